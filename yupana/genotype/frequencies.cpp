#include "yupana/genotype/frequencies.hpp"

#include <algorithm>
#include <limits>

#include "yupana/genotype/site_block.hpp"

namespace yupana::genotype {
namespace {

std::int64_t window_of(Structure structure, std::int64_t populations) {
  if (structure == Structure::line) return std::max<std::int64_t>(1, populations - 1);
  if (structure == Structure::ring) return std::max<std::int64_t>(1, populations / 2);
  return 1;
}

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

void window_sums(std::span<const double> values, std::int64_t window, std::span<double> sums) {
  const std::int64_t count = std::ssize(sums);
  // Blocks of one window: a sum is the end of one block and the beginning of the next.
  for (std::int64_t block = 0; block < count; block += window) {
    double end = 0;
    for (std::int64_t k = block + window - 1; k >= block; --k) {
      end += values[k];
      if (k < count) sums[k] = end;
    }
    double beginning = 0;
    for (std::int64_t k = block + 1; k < std::min(block + window, count); ++k) {
      beginning += values[k + window - 1];
      sums[k] += beginning;
    }
  }
}

PopulationFrequencies::PopulationFrequencies(Structure structure,
                                             std::int64_t populations,
                                             double fst,
                                             std::uint64_t seed)
    : populations_(populations),
      fst_(fst),
      seed_(seed),
      window_(window_of(structure, populations)),
      sources_(structure == Structure::ring ? populations : populations + window_ - 1) {}

void PopulationFrequencies::draw(std::int64_t site, std::vector<double>& result) const {
  RandomSequence random(seed_, 2 * static_cast<std::uint64_t>(site));
  const double ancestral = 0.05 + 0.9 * random.uniform();
  result.assign(static_cast<std::size_t>(populations_), ancestral);
  if (fst_ == 0) return;
  const double scale = (1 - fst_) / fst_ / static_cast<double>(window_);
  const Gamma one(ancestral * scale);
  const Gamma other((1 - ancestral) * scale);
  const auto row = static_cast<std::size_t>(populations_ + window_ - 1);
  std::vector<double> numbers(2 * row + result.size());
  const std::span<double> a(numbers.data(), row), b(a.data() + row, row);
  const std::span<double> sums(b.data() + row, result.size());
  for (std::int64_t k = 0; k < sources_; ++k) {
    a[k] = one.draw(random);
    b[k] = other.draw(random);
    // Both underflow for F near 1, where a source is of either allele alone.
    if (a[k] + b[k] > 0) continue;
    (random.uniform() < ancestral ? a : b)[k] = std::numeric_limits<double>::min();
  }
  // A ring's row ends with the sources that it began with.
  std::copy(a.begin(), a.begin() + (std::ssize(a) - sources_), a.begin() + sources_);
  std::copy(b.begin(), b.begin() + (std::ssize(b) - sources_), b.begin() + sources_);
  window_sums(a, window_, result);
  window_sums(b, window_, sums);
  for (std::int64_t k = 0; k < populations_; ++k) result[k] /= result[k] + sums[k];
}

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
