#include "yupana/genotype/grm_words.hpp"

#include <algorithm>
#include <bit>

#include "yupana/genotype/planes.hpp"

namespace yupana::genotype {
namespace {

constexpr int significant_bits = 24;
constexpr int digit_bits = 15;

int digits_of(int parts) { return parts == 1 ? 2 : 1; }

/// A part of the weight of a site, so packed that sorting brings equal parts together.
class Part {
 public:
  Part(int shift, std::int64_t digits, std::int64_t site)
      : bits_(static_cast<std::uint64_t>(shift) << 57 | static_cast<std::uint64_t>(digits) << 27 |
              static_cast<std::uint64_t>(site)) {}
  int shift() const { return static_cast<int>(bits_ >> 57); }
  std::int64_t digits() const { return static_cast<std::int64_t>(bits_ >> 27 & ((1u << 30) - 1)); }
  std::int64_t site() const { return static_cast<std::int64_t>(bits_ & ((1u << 27) - 1)); }
  std::uint64_t weight_key() const { return bits_ >> 27; }
  auto operator<=>(const Part&) const = default;

 private:
  std::uint64_t bits_;
};

std::vector<Part> sorted_parts(std::span<const std::int64_t> weights, int parts) {
  const int width = significant_bits / parts;
  // Shifts are multiples of a step as large as the digits have bits to spare.
  const int step = digits_of(parts) * digit_bits - width + 1;
  std::vector<Part> result;
  for (std::int64_t site = 0; site < std::ssize(weights); ++site) {
    const std::int64_t weight = weights[static_cast<std::size_t>(site)];
    if (weight == 0) continue;
    const int exponent = std::bit_width(static_cast<std::uint64_t>(weight)) - significant_bits;
    for (int part = 0; part < parts; ++part) {
      const int at = part * width + exponent;
      const std::int64_t value = weight >> at & ((std::int64_t{1} << width) - 1);
      if (value == 0) continue;
      const int shift = at / step * step;
      result.emplace_back(shift, value << (at - shift), site);
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

struct Parts {
  int digits;
  std::vector<Part> parts;
};

Parts best_parts(std::span<const std::int64_t> weights) {
  // Vector operations of a word, besides loads.
  const auto operations = [](int parts) { return parts == 1 ? 10 : 8; };
  Parts best = {digits_of(1), sorted_parts(weights, 1)};
  std::int64_t best_work = count_words(best.parts) * operations(1);
  for (const int parts : {2, 3}) {
    // With every word full a site takes `parts` sixteenths of one.
    const std::int64_t full = parts * std::ssize(weights) / word_sites * operations(parts);
    if (best_work <= full) break;
    std::vector<Part> other = sorted_parts(weights, parts);
    const std::int64_t work = count_words(other) * operations(parts);
    if (work >= best_work) continue;
    best_work = work;
    best = {digits_of(parts), std::move(other)};
  }
  return best;
}

class SlabWriter {
 public:
  SlabWriter(std::int64_t blank, int digits) : blank_(blank) { words_.digits = digits; }

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
  const auto [digits, parts] = best_parts(weights);
  SlabWriter writer(blank, digits);
  for_each_run(parts, [&writer, &all = parts](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; i += word_sites) {
      writer.add_word(&all[i], std::min<std::int64_t>(word_sites, end - i));
    }
  });
  return writer.take();
}

}  // namespace yupana::genotype
