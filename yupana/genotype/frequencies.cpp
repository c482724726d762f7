#include "yupana/genotype/frequencies.hpp"

#include <algorithm>
#include <limits>

#include "yupana/core/random.hpp"
#include "yupana/genotype/variates.hpp"

namespace yupana::genotype {
namespace {

std::int64_t window_of(Structure structure, std::int64_t populations) {
  if (structure == Structure::line) return std::max<std::int64_t>(1, populations - 1);
  if (structure == Structure::ring) return std::max<std::int64_t>(1, populations / 2);
  return 1;
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

}  // namespace yupana::genotype
