#include "yupana/genotype/grm_dosages.hpp"

namespace yupana::genotype::reference {

void add_dosage_tile(const double* rows, const double* columns, std::int64_t sites, double* sums) {
  constexpr std::int64_t n = DosageTiles::tile_samples;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t s = 0; s < sites; ++s) {
        sums[i * n + j] += rows[s * n + i] * columns[s * n + j];
      }
    }
  }
}

}  // namespace yupana::genotype::reference
