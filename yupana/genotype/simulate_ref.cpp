#include <cstring>

#include "yupana/genotype/simulate_backends.hpp"
#include "yupana/genotype/site_block.hpp"

namespace yupana::genotype::reference {
namespace {

bool event(const SiteDraw& site, std::int64_t sample, std::int64_t draw, std::uint64_t threshold) {
  const std::int64_t first = (sample / 64 * draws_per_word + draw) * bits_per_draw;
  std::uint64_t number = 0;
  for (std::int64_t b = 0; b < bits_per_draw; ++b) {
    number = 2 * number + (site.random.word(first + b) >> (sample % 64) & 1);
  }
  return number < threshold;
}

}  // namespace

void simulate_row(const SiteDraw& site, std::uint8_t* row, std::int64_t stride) {
  std::memset(row, 0, stride);
  constexpr Code code_of[3] = {homozygous_a2, heterozygous, homozygous_a1};
  for (const PopulationPiece& piece : site.pieces) {
    const std::uint64_t threshold = site.thresholds[piece.population];
    for (std::int64_t k = 0; k < 64 * block_words; ++k) {
      if ((piece.samples[k / 64] >> (k % 64) & 1) == 0) continue;
      const std::int64_t i = 64 * block_words * piece.block + k;
      const int x = event(site, i, 0, threshold) + event(site, i, 1, threshold);
      const Code code = event(site, i, 2, site.missing) ? missing_call : code_of[x];
      row[i / 4] |= static_cast<std::uint8_t>(code << (2 * (i % 4)));
    }
  }
}

}  // namespace yupana::genotype::reference
