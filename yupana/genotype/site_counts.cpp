#include "yupana/genotype/site_counts.hpp"

#include <algorithm>
#include <cstring>

#include "yupana/core/messages.hpp"
#include "yupana/genotype/site_counts_backends.hpp"

namespace yupana::genotype {

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

}  // namespace yupana::genotype
