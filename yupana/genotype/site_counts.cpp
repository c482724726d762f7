#include "yupana/genotype/site_counts.hpp"

#include <algorithm>
#include <cstring>

#include "yupana/core/messages.hpp"
#include "yupana/genotype/site_counts_backends.hpp"

namespace yupana::genotype {
namespace {

/// A number of heterozygotes and the homozygotes that follow from the alleles, with a weight
/// proportional to its probability.
struct Outcome {
  double heterozygous;
  double rare;
  double common;
  double weight;

  void up() {
    weight *= 4 * rare * common / ((heterozygous + 2) * (heterozygous + 1));
    heterozygous += 2;
    --rare;
    --common;
  }
  void down() {
    weight *= heterozygous * (heterozygous - 1) / (4 * (rare + 1) * (common + 1));
    heterozygous -= 2;
    ++rare;
    ++common;
  }
};

/// The most probable number of heterozygotes, or one near it, with weight 1.
Outcome most_probable(const SiteCounts& counts) {
  const std::int64_t called = counts.called(), rare = counts.minor_alleles();
  auto heterozygous =
      static_cast<std::int64_t>(static_cast<double>(rare) * static_cast<double>(2 * called - rare) /
                                static_cast<double>(2 * called));
  heterozygous += (heterozygous ^ rare) & 1;
  const std::int64_t homozygous = (rare - heterozygous) / 2;
  return {static_cast<double>(heterozygous),
          static_cast<double>(homozygous),
          static_cast<double>(called - heterozygous - homozygous),
          1};
}

/// Weights of an outcome and all beyond it, and of those among them that are rarer than the one
/// observed and as rare.
struct Sums {
  double all = 0, rarer = 0, as_rare = 0;

  void add(double weight, double observed) {
    constexpr double same = 1e-10;
    all += weight;
    if (weight < observed * (1 - same)) {
      rarer += weight;
    } else if (weight <= observed * (1 + same)) {
      as_rare += weight;
    }
  }
};

}  // namespace

std::int64_t SiteCounts::minor_alleles() const {
  return std::min(2 * homozygous_a1 + heterozygous, 2 * homozygous_a2 + heterozygous);
}

Code SiteCounts::mode() const {
  if (homozygous_a2 >= heterozygous && homozygous_a2 >= homozygous_a1) return Code::homozygous_a2;
  return heterozygous >= homozygous_a1 ? Code::heterozygous : Code::homozygous_a1;
}

SampleMask::SampleMask(std::int64_t samples, std::span<const std::int64_t> members)
    : samples_(samples), codes_(Array<std::uint8_t>::zeros(SiteBlock(samples, 0).stride)) {
  for (const std::int64_t member : members) {
    if (member < 0 || member >= samples) {
      throw usage_error("expected samples 0 to {} in a mask, got {}", samples - 1, member);
    }
    const auto bits = static_cast<std::uint8_t>(3 << (2 * (member % 4)));
    size_ += (codes_[member / 4] & bits) == 0;
    codes_[member / 4] |= bits;
  }
}

void site_counts(Backend backend,
                 const SiteBlock& block,
                 const SampleMask& mask,
                 std::span<SiteCounts> counts) {
  if (mask.samples() != block.samples || std::ssize(counts) != block.sites) {
    throw usage_error("site_counts: expected {} samples and {} results, got {} and {}",
                      block.samples,
                      block.sites,
                      mask.samples(),
                      counts.size());
  }
  if (backend == Backend::reference) {
    reference::site_counts(block, mask, counts);
  } else {
    cpu::site_counts(block, mask, counts);
  }
}

void fill_missing(std::uint8_t* row, std::int64_t bytes, Code code) {
  constexpr std::uint64_t low_bits = 0x5555555555555555;
  const auto change = static_cast<std::uint64_t>(code ^ Code::missing_call);
  for (std::int64_t i = 0; i < bytes; i += 8) {  // strides are multiples of 64
    std::uint64_t word;
    std::memcpy(&word, row + i, 8);
    const std::uint64_t missing = word & ~(word >> 1) & low_bits;
    word ^= missing * change;  // change is at most 3: no carry leaves a pair of bits
    std::memcpy(row + i, &word, 8);
  }
}

double hardy_weinberg_p(const SiteCounts& counts, bool mid_p) {
  if (counts.called() == 0) return 1;
  const Outcome start = most_probable(counts);
  const auto heterozygous = static_cast<double>(counts.heterozygous);
  Outcome observed = start;
  while (observed.heterozygous < heterozygous) observed.up();
  while (observed.heterozygous > heterozygous) observed.down();
  if (observed.weight < 1e-300) return 0;
  // What is left out beyond this is below the error: weights fall faster and faster.
  const double least = 1e-14 * std::min(observed.weight, 1e-3);
  Sums sums;
  for (Outcome at = start; at.weight > least; at.up()) {
    sums.add(at.weight, observed.weight);
    if (at.rare < 1) break;
  }
  for (Outcome at = start; at.heterozygous >= 2;) {
    at.down();
    if (at.weight <= least) break;
    sums.add(at.weight, observed.weight);
  }
  return (sums.rarer + (mid_p ? 0.5 : 1.0) * sums.as_rare) / sums.all;
}

}  // namespace yupana::genotype
