#include "yupana/genotype/grm_words.hpp"

#include <algorithm>
#include <bit>

#include "yupana/genotype/planes.hpp"

namespace yupana::genotype {
namespace {

constexpr int significant_bits = 24;
constexpr int digit_bits = 15;
/// Weights of one shift span this many powers of two: 24 + 6 bits are two digits.
constexpr int shift_step = 2 * digit_bits - significant_bits + 1;

/// A part of the weight of a site, so packed that sorting brings equal parts together.
class Part {
 public:
  Part(int shift_steps, std::int64_t digits, std::int64_t site)
      : bits_(static_cast<std::uint64_t>(shift_steps) << 61 |
              static_cast<std::uint64_t>(digits) << 31 | static_cast<std::uint64_t>(site)) {}
  int shift() const { return static_cast<int>(bits_ >> 61) * shift_step; }
  std::int64_t digits() const { return static_cast<std::int64_t>(bits_ >> 31 & ((1u << 30) - 1)); }
  std::int64_t site() const { return static_cast<std::int64_t>(bits_ & ((1u << 31) - 1)); }
  std::uint64_t weight_key() const { return bits_ >> 31; }
  auto operator<=>(const Part&) const = default;

 private:
  std::uint64_t bits_;
};

std::vector<Part> sorted_parts(std::span<const std::int64_t> weights, int parts) {
  const int width = significant_bits / parts;
  std::vector<Part> result;
  for (std::int64_t site = 0; site < std::ssize(weights); ++site) {
    const std::int64_t weight = weights[static_cast<std::size_t>(site)];
    if (weight == 0) continue;
    const int exponent = std::bit_width(static_cast<std::uint64_t>(weight)) - significant_bits;
    const int steps = exponent / shift_step;
    for (int part = 0; part < parts; ++part) {
      const std::int64_t mask = ((std::int64_t{1} << width) - 1) << (part * width + exponent);
      if ((weight & mask) == 0) continue;
      result.emplace_back(steps, (weight & mask) >> (steps * shift_step), site);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Calls body(begin, end) for every run of equal weights.
template <class Body>
void for_each_run(const std::vector<Part>& parts, const Body& body) {
  for (std::size_t begin = 0; begin < parts.size();) {
    std::size_t end = begin + 1;
    while (end < parts.size() && parts[end].weight_key() == parts[begin].weight_key()) ++end;
    body(begin, end);
    begin = end;
  }
}

std::int64_t count_words(const std::vector<Part>& parts) {
  std::int64_t words = 0;
  for_each_run(parts, [&](std::size_t begin, std::size_t end) {
    words += divide_up(static_cast<std::int64_t>(end - begin), word_sites);
  });
  return words;
}

std::vector<Part> best_parts(std::span<const std::int64_t> weights) {
  std::vector<Part> best = sorted_parts(weights, 1);
  std::int64_t best_words = count_words(best);
  for (const int parts : {2, 3}) {
    // With every word full a site takes `parts` sixteenths of one.
    if (best_words * word_sites <= parts * std::ssize(weights)) break;
    std::vector<Part> other = sorted_parts(weights, parts);
    const std::int64_t words = count_words(other);
    if (words < best_words) {
      best_words = words;
      best = std::move(other);
    }
  }
  return best;
}

class SlabWriter {
 public:
  explicit SlabWriter(std::int64_t blank) : blank_(blank) {}

  void add_word(const Part* parts, std::int64_t count) {
    const int shift = parts->shift();
    if (words_.slabs.empty() || words_.slabs.back().shift != shift ||
        std::ssize(words_.sites) - words_.slabs.back().sites.begin == slab_sites) {
      close_slab();
      words_.slabs.push_back({{std::ssize(words_.sites), 0}, shift});
    }
    const std::int64_t digits = parts->digits();
    words_.low.push_back(static_cast<std::int16_t>(digits & ((1 << digit_bits) - 1)));
    words_.high.push_back(static_cast<std::int16_t>(digits >> digit_bits));
    for (std::int64_t i = 0; i < count; ++i) words_.sites.push_back(parts[i].site());
    words_.sites.resize(words_.low.size() * word_sites, blank_);
  }
  WeightWords take() {
    close_slab();
    return std::move(words_);
  }

 private:
  /// Fills the last chunk with words of weight 0.
  void close_slab() {
    if (words_.slabs.empty()) return;
    const auto end = static_cast<std::size_t>(round_up(std::ssize(words_.sites), chunk_sites));
    words_.sites.resize(end, blank_);
    words_.low.resize(end / word_sites);
    words_.high.resize(end / word_sites);
    words_.slabs.back().sites.end = static_cast<std::int64_t>(end);
  }

  std::int64_t blank_;
  WeightWords words_;
};

}  // namespace

WeightWords weight_words(std::span<const std::int64_t> weights, std::int64_t blank) {
  const std::vector<Part> parts = best_parts(weights);
  SlabWriter writer(blank);
  for_each_run(parts, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; i += word_sites) {
      writer.add_word(&parts[i], std::min<std::int64_t>(word_sites, end - i));
    }
  });
  return writer.take();
}

}  // namespace yupana::genotype
