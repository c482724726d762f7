#include "yupana/genotype/simulate_families.hpp"

#include <algorithm>

#include "yupana/genotype/site_block.hpp"

namespace yupana::genotype {
namespace {

unsigned code_at(const std::uint8_t* row, std::int64_t sample) {
  return row[sample / 4] >> (2 * (sample % 4)) & 3u;
}

/// Copies of A1 that a parent hands down: its own or the other of two alleles, as `choice` says.
unsigned handed_down(unsigned code, unsigned choice) {
  return code == heterozygous ? choice : code == homozygous_a1;
}

}  // namespace

SimulatedFamilies::SimulatedFamilies(std::span<const std::int64_t> bounds, std::int64_t size) {
  if (size < 3) return;
  fathers_.assign(static_cast<std::size_t>(bounds.back()), -1);
  for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
    for (std::int64_t father = bounds[k]; father + size <= bounds[k + 1]; father += size) {
      std::fill_n(fathers_.begin() + father, size, father);
    }
  }
}

void SimulatedFamilies::inherit(const Random& random, std::uint8_t* row) const {
  constexpr std::uint8_t code_of[] = {homozygous_a2, heterozygous, homozygous_a1};
  std::uint64_t child = 0, word = 0;
  for (std::int64_t i = 0; i < std::ssize(fathers_); ++i) {
    if (!is_child(i)) continue;
    const std::int64_t father = father_of_family(i);
    word = child % 32 == 0 ? random.word(child / 32) : word >> 2;
    ++child;
    const unsigned copies = handed_down(code_at(row, father), word & 1) +
                            handed_down(code_at(row, father + 1), word >> 1 & 1);
    const auto shift = static_cast<unsigned>(2 * (i % 4));
    row[i / 4] =
        static_cast<std::uint8_t>((row[i / 4] & ~(3u << shift)) | code_of[copies] << shift);
  }
}

}  // namespace yupana::genotype
