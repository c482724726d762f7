#include "yupana/genotype/grm_backends.hpp"
#include "yupana/genotype/grm_dosages.hpp"

namespace yupana::genotype::reference {

void add_block(const GrmBlock& block, Grm& grm) {
  constexpr int copies[4] = {2, 0, 1, 0};  // by code
  for (std::int64_t i = grm.rows.begin; i < grm.rows.end; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      for (std::int64_t site = 0; site < block.sites(); ++site) {
        const Code a = block.codes.at(site, i), b = block.codes.at(site, j);
        const std::int32_t* corrections = &block.corrections[4 * site];
        const int difference = copies[a] - copies[b];
        std::int64_t& sum = grm.sums[grm.cell(i, j)];
        sum -= block.weights[site] * difference * difference;
        if (a == missing_call) sum += 2 * std::int64_t{corrections[b]};
        if (b == missing_call) sum += 2 * std::int64_t{corrections[a]};
        if (a == missing_call && b == missing_call) ++grm.missing_both[grm.cell(i, j)];
      }
    }
  }
  for (std::int64_t i = 0; i < grm.samples; ++i) {
    for (std::int64_t site = 0; site < block.sites(); ++site) {
      const Code code = block.codes.at(site, i);
      grm.own_sums[static_cast<std::size_t>(i)] += block.own_terms[4 * site + code];
      grm.missing[static_cast<std::size_t>(i)] += code == missing_call;
    }
  }
}

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
