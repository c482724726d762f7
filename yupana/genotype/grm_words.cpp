#include "yupana/genotype/grm_words.hpp"

#include <algorithm>
#include <bit>

#include "yupana/genotype/planes.hpp"

namespace yupana::genotype {
namespace {

constexpr int significant_bits = 24;
constexpr int digit_bits = 15;

/// A part of the weight of a site, so packed that sorting brings equal parts together.
class WordPart {
 public:
  WordPart(int shift, std::int64_t digits, std::int64_t site)
      : bits_(static_cast<std::uint64_t>(shift) << 57 | static_cast<std::uint64_t>(digits) << 27 |
              static_cast<std::uint64_t>(site)) {}
  int shift() const { return static_cast<int>(bits_ >> 57); }
  std::int64_t digits() const { return static_cast<std::int64_t>(bits_ >> 27 & ((1u << 30) - 1)); }
  std::int64_t site() const { return static_cast<std::int64_t>(bits_ & ((1u << 27) - 1)); }
  std::uint64_t weight_key() const { return bits_ >> 27; }
  auto operator<=>(const WordPart&) const = default;

 private:
  std::uint64_t bits_;
};

/// The least multiple of `step` by which the number is shifted right to fit `bits` bits.
int shift_of(int width, int bits, int step) {
  return width > bits ? (width - bits + step - 1) / step * step : 0;
}

/// Every weight as one part of two digits.
std::vector<WordPart> whole_parts(std::span<const std::int64_t> weights) {
  constexpr int step = 2 * digit_bits - significant_bits + 1;
  std::vector<WordPart> result;
  for (std::int64_t site = 0; site < std::ssize(weights); ++site) {
    const std::int64_t weight = weights[static_cast<std::size_t>(site)];
    if (weight == 0) continue;
    const int shift =
        (std::bit_width(static_cast<std::uint64_t>(weight)) - significant_bits) / step * step;
    result.emplace_back(shift, weight >> shift, site);
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// What no part has yet of the weight of a site, so packed that sorting is by size.
class Rest {
 public:
  Rest(std::int64_t weight, std::int64_t site) {
    const int width = std::bit_width(static_cast<std::uint64_t>(weight));
    const std::uint64_t digits = width > significant_bits ? weight >> (width - significant_bits)
                                                          : weight << (significant_bits - width);
    bits_ = (static_cast<std::uint64_t>(width) << significant_bits | digits) << 27 |
            static_cast<std::uint64_t>(site);
  }
  int width() const { return static_cast<int>(bits_ >> (significant_bits + 27)); }
  std::int64_t site() const { return static_cast<std::int64_t>(bits_ & ((1u << 27) - 1)); }
  std::int64_t weight() const {
    const auto digits = static_cast<std::int64_t>(bits_ >> 27 & ((1u << significant_bits) - 1));
    const int more = width() - significant_bits;
    return more > 0 ? digits << more : digits >> -more;
  }
  auto operator<=>(const Rest&) const = default;

 private:
  std::uint64_t bits_;
};

/// Parts of one digit. Of up to 16 rests next to each other in size, and of one bit width, the
/// smallest one, but for its lowest bits, is a part of all: what is left of them has at least a bit
/// less, and after two rounds is so small that many sites share it.
std::vector<WordPart> shared_parts(std::span<const std::int64_t> weights) {
  constexpr int step = 9;
  std::vector<Rest> rests, next;
  for (std::int64_t site = 0; site < std::ssize(weights); ++site) {
    const std::int64_t weight = weights[static_cast<std::size_t>(site)];
    if (weight != 0) rests.emplace_back(weight, site);
  }
  std::vector<WordPart> result;
  for (; !rests.empty(); std::swap(rests, next)) {
    std::sort(rests.begin(), rests.end());
    next.clear();
    for (std::size_t begin = 0, end = 0; begin < rests.size(); begin = end) {
      const int shift = shift_of(rests[begin].width(), digit_bits, step);
      const std::int64_t digits = rests[begin].weight() >> shift;
      for (; end < std::min(begin + word_sites, rests.size()); ++end) {
        const Rest rest = rests[end];
        if (rest.width() != rests[begin].width()) break;
        result.emplace_back(shift, digits, rest.site());
        const std::int64_t left = rest.weight() - (digits << shift);
        if (left != 0) next.emplace_back(left, rest.site());
      }
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Calls body(begin, end) for every run of equal weights.
template <class Body>
void for_each_run(const std::vector<WordPart>& parts, const Body& body) {
  for (std::size_t begin = 0; begin < parts.size();) {
    std::size_t end = begin + 1;
    while (end < parts.size() && parts[end].weight_key() == parts[begin].weight_key()) ++end;
    body(begin, end);
    begin = end;
  }
}

std::int64_t count_words(const std::vector<WordPart>& parts) {
  std::int64_t words = 0;
  for_each_run(parts, [&](std::size_t begin, std::size_t end) {
    words += divide_up(static_cast<std::int64_t>(end - begin), word_sites);
  });
  return words;
}

struct Parts {
  int digits;
  std::vector<WordPart> parts;
};

Parts best_parts(std::span<const std::int64_t> weights) {
  // Vector operations of a word, besides loads.
  constexpr std::int64_t whole_operations = 10, shared_operations = 8;
  std::vector<WordPart> whole = whole_parts(weights);
  const std::int64_t whole_work = count_words(whole) * whole_operations;
  // With every word full a site would take two sixteenths of one, at least.
  if (whole_work <= 2 * std::ssize(weights) / word_sites * shared_operations)
    return {2, std::move(whole)};
  std::vector<WordPart> shared = shared_parts(weights);
  if (whole_work <= count_words(shared) * shared_operations) return {2, std::move(whole)};
  return {1, std::move(shared)};
}

class SlabWriter {
 public:
  SlabWriter(std::int64_t blank, int digits) : blank_(blank) { words_.digits = digits; }

  void add_word(const WordPart* parts, std::int64_t count) {
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
