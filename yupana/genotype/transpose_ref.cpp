#include <cstring>

#include "yupana/genotype/transpose_backends.hpp"

namespace yupana::genotype::reference {

void transpose(const SiteBlock& block,
               std::span<const std::int64_t> samples,
               std::span<const std::int64_t> sites,
               PlaneBlock& result) {
  std::memset(result.bytes.data(), 0, static_cast<std::size_t>(result.samples * result.stride));
  for (std::int64_t r = 0; r < result.samples; ++r) {
    for (std::int64_t k = 0; k < result.sites; ++k) {
      const Code code = block.at(sites[k], samples[r]);
      const std::int64_t chunk = k / chunk_sites;
      const std::int64_t byte = k % chunk_sites / 8;
      std::uint8_t* planes = result.row(r) + chunk * result.planes * chunk_bytes + byte;
      const auto bit = static_cast<std::uint8_t>(1 << (k % 8));
      if (code == homozygous_a1 || code == heterozygous) planes[0] |= bit;
      if (code == heterozygous) planes[chunk_bytes] |= bit;
      if (result.planes == 3 && code != missing_call) planes[2 * chunk_bytes] |= bit;
    }
  }
}

}  // namespace yupana::genotype::reference
