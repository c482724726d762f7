#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "yupana/genotype/site_block.hpp"
#include "yupana/io/bgen_file.hpp"

namespace yupana::io {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers of a file are read in place");

/// The layout of a variant's probabilities.
struct BgenLayout {
  std::int64_t alleles = 2;
  bool phased = false;
  int bits = 0;
  const std::uint8_t* ploidies = nullptr;  ///< a byte a sample
  const std::uint8_t* values = nullptr;
};

constexpr std::int64_t fixed_bytes = 10;  ///< besides those of samples

int ploidy_of(std::uint8_t byte) { return byte & 63; }
bool is_missing(std::uint8_t byte) { return (byte & 128) != 0 || ploidy_of(byte) == 0; }

/// BgenNumbers stored for a sample.
std::int64_t values_of(int ploidy, const BgenLayout& layout) {
  const std::int64_t k = layout.alleles;
  if (layout.phased || ploidy < 2) return ploidy * (k - 1);
  return k * (k + 1) / 2 - 1;
}

/// BgenNumbers of `bits` bits, one after the other.
class BgenNumbers {
 public:
  explicit BgenNumbers(const BgenLayout& layout)
      : bytes_(layout.values), bits_(layout.bits), top_((std::uint64_t{1} << layout.bits) - 1) {}
  /// The number that means a probability of one.
  std::uint64_t top() const { return top_; }
  std::uint64_t next() {
    std::uint64_t word;
    std::memcpy(&word, bytes_ + (at_ >> 3), sizeof word);
    word = word >> (at_ & 7) & top_;
    at_ += bits_;
    return word;
  }
  void pass(std::int64_t numbers) { at_ += static_cast<std::uint64_t>(numbers) * bits_; }

 private:
  const std::uint8_t* bytes_;
  unsigned bits_;
  std::uint64_t top_;
  std::uint64_t at_ = 0;
};

/// Reads the layout; what is wrong with it, null where nothing is.
const char* read_layout(const std::uint8_t* bytes,
                        std::int64_t size,
                        std::int64_t samples,
                        BgenLayout& layout) {
  if (size < fixed_bytes + samples) return "ends inside its ploidies";
  std::uint32_t count;
  std::uint16_t alleles;
  std::memcpy(&count, bytes, sizeof count);
  std::memcpy(&alleles, bytes + 4, sizeof alleles);
  if (count != samples) return "has probabilities of another number of samples";
  if (alleles != layout.alleles) return "has probabilities of another number of alleles";
  const int least = bytes[6], most = bytes[7];
  if (most > 2) return "has calls of more than two alleles, which are not read";
  layout.ploidies = bytes + 8;
  const std::uint8_t* const rest = layout.ploidies + samples;
  if (rest[0] > 1) return "is neither phased nor unphased";
  layout.phased = rest[0] == 1;
  layout.bits = rest[1];
  if (layout.bits < 1 || layout.bits > 32)
    return "has probabilities of less than 1 or over 32 bits";
  layout.values = rest + 2;
  const std::int64_t left = 8 * (size - fixed_bytes - samples);
  std::int64_t bits = 0;
  for (std::int64_t i = 0; i < samples && bits <= left; ++i) {
    const int ploidy = ploidy_of(layout.ploidies[i]);
    if (ploidy < least || ploidy > most) return "has a ploidy outside those it names";
    bits += layout.bits * values_of(ploidy, layout);
  }
  if (bits > left) return "ends inside its probabilities";
  return (bits + 7) / 8 < left / 8 ? "is longer than its probabilities" : nullptr;
}

constexpr const char* above_one = "has probabilities whose sum is above 1; it is damaged";

/// The code of a call by its dosage of the second allele: places in the order of dosages where
/// another one begins.
class CallSteps {
 public:
  CallSteps(const HardCalls& rule, std::uint64_t top) {
    constexpr std::int64_t unit = HardCalls::unit;
    const std::array<std::int64_t, 4> least = {
        rule.most() + 1, unit - rule.most(), unit + rule.most() + 1, 2 * unit - rule.most()};
    for (std::size_t k = 0; k < least.size(); ++k) {
      std::uint64_t begin = 0, end = 2 * top;  // the first part of so many units is among them
      while (begin < end) {
        const std::uint64_t middle = std::midpoint(begin, end);
        if (HardCalls::dosage(middle, top) < least[k]) {
          begin = middle + 1;
        } else {
          end = middle;
        }
      }
      steps_[k] = begin;
    }
  }
  /// `part`: of the second allele, which is ALT unless `ref_last`.
  std::uint8_t code(std::uint64_t part, bool ref_last) const {
    constexpr std::uint8_t codes[] = {genotype::homozygous_a2,
                                      genotype::missing_call,
                                      genotype::heterozygous,
                                      genotype::missing_call,
                                      genotype::homozygous_a1};
    const int passed =
        (part >= steps_[0]) + (part >= steps_[1]) + (part >= steps_[2]) + (part >= steps_[3]);
    return codes[ref_last ? 4 - passed : passed];
  }

 private:
  std::array<std::uint64_t, 4> steps_;
};

/// x of two alleles.
const char* biallelic(const HardCalls& rule,
                      const BgenLayout& layout,
                      std::int64_t samples,
                      const BgenRows& rows) {
  BgenNumbers numbers(layout);
  const std::uint64_t top = numbers.top();
  const CallSteps steps(rule, top);
  bool valid = true;
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::uint8_t byte = layout.ploidies[i];
    const int ploidy = ploidy_of(byte);
    const std::uint64_t a = ploidy > 0 ? numbers.next() : 0, b = ploidy > 1 ? numbers.next() : a;
    const bool is_homozygous = layout.phased || ploidy < 2;  // a, b are those of each allele
    std::uint64_t part = 2 * top - a - b;
    if (!is_homozygous) part -= a;
    const bool missing = is_missing(byte);
    std::uint8_t code = genotype::missing_call;
    if (!missing) {
      valid = valid && (is_homozygous || a + b <= top);
      code = steps.code(part, rows.ref_last);
    }
    if (rows.dosages != nullptr) {
      const std::int64_t dosage = missing ? 0 : HardCalls::dosage(part, top);
      const std::int64_t alt = rows.ref_last ? 2 * HardCalls::unit - dosage : dosage;
      rows.dosages[i] = missing ? genotype::missing_dosage : static_cast<std::uint16_t>(alt);
    }
    rows.first[i / 4] |= static_cast<std::uint8_t>(code << (2 * (i % 4)));
  }
  return valid ? nullptr : above_one;
}

/// Adds the probabilities of a sample to its parts of each allele, in units of 1/top; false where
/// their sum is above 1.
bool add_parts(BgenNumbers& numbers,
               const BgenLayout& layout,
               int ploidy,
               std::vector<std::uint64_t>& parts) {
  const std::int64_t k = layout.alleles;
  const bool by_haplotype = layout.phased || ploidy == 1;
  bool valid = true;
  for (int haplotype = 0; haplotype < (by_haplotype ? ploidy : 1); ++haplotype) {
    const std::uint64_t weight = ploidy == 1 ? 2 : 1;
    std::uint64_t left = numbers.top();
    const auto next = [&](bool is_last) {
      const std::uint64_t value = is_last ? left : numbers.next();
      valid = valid && value <= left;
      left -= value;
      return value;
    };
    for (std::int64_t a = 0; a < k; ++a) {
      if (by_haplotype) {
        parts[a] += weight * next(a == k - 1);
        continue;
      }
      for (std::int64_t b = 0; b <= a; ++b) {
        const std::uint64_t value = next(a == k - 1 && b == a);
        parts[a] += value;
        parts[b] += value;
      }
    }
  }
  return valid;
}

/// x of several ALT alleles.
const char* multiallelic(const HardCalls& rule,
                         const BgenLayout& layout,
                         std::int64_t samples,
                         const BgenRows& rows) {
  BgenNumbers numbers(layout);
  std::vector<std::uint64_t> parts(static_cast<std::size_t>(layout.alleles));
  std::vector<std::int64_t> x(parts.size());
  const std::int64_t ref = rows.ref_last ? layout.alleles - 1 : 0;
  for (std::int64_t i = 0; i < samples; ++i) {
    const int ploidy = ploidy_of(layout.ploidies[i]);
    bool missing = is_missing(layout.ploidies[i]);
    if (missing) {
      numbers.pass(values_of(ploidy, layout));
    } else {
      std::fill(parts.begin(), parts.end(), 0);
      if (!add_parts(numbers, layout, ploidy, parts)) return above_one;
      std::int64_t away = 0;
      for (std::size_t a = 0; a < parts.size(); ++a) {
        const std::int64_t dosage = HardCalls::dosage(parts[a], numbers.top());
        x[a] = (dosage + HardCalls::unit / 2) / HardCalls::unit;
        away += std::abs(dosage - x[a] * HardCalls::unit);
      }
      missing = away > 2 * rule.most();
    }
    for (std::int64_t k = 0; k < rows.count; ++k) {
      const std::int64_t counted = rows.counted + k;
      const std::int64_t alleles =
          counted == 0 ? 2 - x[ref] : x[rows.ref_last ? counted - 1 : counted];
      constexpr std::uint8_t codes[] = {genotype::homozygous_a2,
                                        genotype::heterozygous,
                                        genotype::homozygous_a1,
                                        genotype::missing_call};
      const std::uint8_t code = codes[missing ? 3 : alleles];
      rows.first[k * rows.stride + i / 4] |= static_cast<std::uint8_t>(code << (2 * (i % 4)));
    }
  }
  return nullptr;
}

}  // namespace

HardCalls::HardCalls(double threshold)
    // A threshold of 0.1 is not below 0.1 because it is no binary fraction.
    : most_(static_cast<std::int64_t>(threshold * unit * (1 + 0x1p-44))) {}

const char* hard_calls(const HardCalls& rule,
                       const std::uint8_t* bytes,
                       std::int64_t size,
                       std::int64_t samples,
                       std::int64_t alleles,
                       const BgenRows& rows) {
  BgenLayout layout;
  layout.alleles = alleles;
  if (const char* fault = read_layout(bytes, size, samples, layout)) return fault;
  std::memset(rows.first, 0, static_cast<std::size_t>(rows.count * rows.stride));
  return alleles == 2 ? biallelic(rule, layout, samples, rows)
                      : multiallelic(rule, layout, samples, rows);
}

}  // namespace yupana::io
