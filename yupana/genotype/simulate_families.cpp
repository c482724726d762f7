#include "yupana/genotype/simulate_families.hpp"

#include <algorithm>

#include "yupana/genotype/site_block.hpp"

namespace yupana::genotype {
namespace {

unsigned code_at(const std::uint8_t* row, std::int64_t sample) {
  return row[sample / 4] >> (2 * (sample % 4)) & 3u;
}

/// Copies of A1 that a parent hands down: its own or the other of two alleles, as `choice` says.
unsigned handed_down(unsigned code, std::uint64_t choice) {
  static_assert(homozygous_a1 == 0 && heterozygous == 2 && homozygous_a2 == 3);
  constexpr std::uint8_t copies[4][2] = {{1, 1}, {0, 0}, {0, 1}, {0, 0}};
  return copies[code][choice & 1];
}

}  // namespace

SimulatedFamilies::SimulatedFamilies(std::span<const std::int64_t> bounds, std::int64_t size) {
  if (size < 3) return;
  size_ = size;
  fathers_.assign(static_cast<std::size_t>(bounds.back()), -1);
  for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
    for (std::int64_t father = bounds[k]; father + size <= bounds[k + 1]; father += size) {
      std::fill_n(fathers_.begin() + father, size, father);
    }
  }
}

void SimulatedFamilies::inherit(const Random& random, std::uint8_t* row) const {
  constexpr unsigned code_of[] = {homozygous_a2, heterozygous, homozygous_a1};
  std::uint64_t child = 0, word = 0;
  for (std::int64_t i = 0; i < std::ssize(fathers_); ++i) {
    if (father_of_family(i) < 0) continue;
    const unsigned father = code_at(row, i), mother = code_at(row, i + 1);
    const std::int64_t end = i + size_;
    for (i += 2; i < end; ++i) {
      word = child % 32 == 0 ? random.word(child / 32) : word >> 2;
      ++child;
      const unsigned copies = handed_down(father, word) + handed_down(mother, word >> 1);
      const auto shift = static_cast<unsigned>(2 * (i % 4));
      row[i / 4] =
          static_cast<std::uint8_t>((row[i / 4] & ~(3u << shift)) | code_of[copies] << shift);
    }
    --i;
  }
}

}  // namespace yupana::genotype
