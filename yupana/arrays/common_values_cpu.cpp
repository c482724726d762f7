// Up to four values are counted by vectors, more by a table without collisions.
#include <array>
#include <atomic>

#include "yupana/arrays/common_values.hpp"
#include "yupana/arrays/split_vectors.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/random.hpp"

namespace yupana::arrays::cpu {
namespace {

constexpr std::size_t max_common = 32;
constexpr int slot_bits = 9;
constexpr std::size_t slots = std::size_t{1} << slot_bits;
constexpr std::int64_t samples = common_samples;
constexpr std::int64_t odd = 85;  ///< steps that lead through all samples, far apart

using Counts = std::array<std::int64_t, max_common>;

template <class U>
std::size_t slot_of(U word, std::uint64_t factor) {
  return static_cast<std::size_t>((std::uint64_t{word} * factor) >> (64 - slot_bits));
}

/// A word of part i of `samples` equal ones, another at every look, at places without a period.
template <class U>
U sampled(const U* words, std::int64_t n, std::int64_t i, std::int64_t look) {
  const auto part = static_cast<std::uint64_t>(n / samples);
  const auto fraction = (static_cast<std::uint64_t>(i + look * samples) * Random::weyl) >> 32;
  return words[static_cast<std::uint64_t>(i) * part + (fraction * part >> 32)];
}

/// How often words occur in two samples.
template <class U>
class Sample {
 public:
  Sample(const U* words, std::int64_t n) {
    constexpr std::int64_t few = samples / 4;  // enough to meet a common value again
    std::int64_t distinct = 0;
    for (std::int64_t i = 0; i < samples; ++i) {
      const U word = sampled(words, n, i * odd % samples, 0);
      const std::size_t slot = find(word);
      words_[slot] = word;
      distinct += ++first_[slot] == 1;
      if (i + 1 == few && distinct == few) return;
    }
    for (std::size_t slot = 0; slot < slots; ++slot) {
      if (first_[slot] > 1) repeated_.push_back(slot);
    }
    const auto more = [&](std::size_t a, std::size_t b) { return first_[a] > first_[b]; };
    std::stable_sort(repeated_.begin(), repeated_.end(), more);
    repeated_.resize(std::min(repeated_.size(), max_common));
    const std::int64_t first = sum(first_, max_common);
    if (first == samples) second_ = first_;
    if (first < samples / 2 || first == samples) return;
    for (std::int64_t i = 0; i < samples; ++i) ++second_[find(sampled(words, n, i, 1))];
  }

  /// The most frequent of the first sample: none unless the second holds them `least` times, four
  /// unless more of them are more words by a sixteenth.
  std::vector<U> common(std::int64_t least) const {
    const std::int64_t all = sum(second_, max_common), four = sum(second_, max_counted);
    if (all < least) return {};
    std::vector<U> result;
    for (const std::size_t slot : repeated_) {
      if (result.size() == max_counted && all - four < samples / 16) break;
      result.push_back(words_[slot]);
    }
    return result;
  }

 private:
  using Counts16 = std::array<std::uint16_t, slots>;

  /// The slot of the word, or a free one.
  std::size_t find(U word) const {
    std::size_t slot = slot_of(word, Random::weyl);
    while (first_[slot] != 0 && words_[slot] != word) slot = (slot + 1) % slots;
    return slot;
  }
  std::int64_t sum(const Counts16& counts, std::size_t most) const {
    std::int64_t result = 0;
    for (std::size_t v = 0; v < std::min(most, repeated_.size()); ++v)
      result += counts[repeated_[v]];
    return result;
  }

  std::array<U, slots> words_;
  Counts16 first_{}, second_{};
  std::vector<std::size_t> repeated_;  ///< slots of words that occur twice or more, frequent first
};

/// One product and one look tell which of the values a word is.
template <class U>
class Table {
 public:
  explicit Table(const std::vector<U>& values) : values_(values) {}

  /// Finds a factor that brings each value to a slot of its own: of those drawn one in three does
  /// for 32 values. Other slots hold the first value, which no word that comes to them is.
  bool make() {
    for (std::uint64_t tries = 0; tries < 1000; ++tries) {
      factor_ = Random::mix(tries) | 1;
      std::array<bool, slots> taken{};
      const bool apart = std::all_of(values_.begin(), values_.end(), [&](U word) {
        return !std::exchange(taken[slot_of(word, factor_)], true);
      });
      if (!apart) continue;
      words_.fill(values_[0]);
      for (const U word : values_) words_[slot_of(word, factor_)] = word;
      return true;
    }
    return false;
  }

  /// As count_known(). Pieces that hold no other words are counted without moving any.
  std::int64_t count(U* words, std::int64_t n, Counts& counts) const {
    constexpr std::int64_t piece = 4096;
    std::int64_t left = 0;
    bool keeps = false;
    for (std::int64_t at = 0; at < n; at += piece) {
      const std::int64_t length = std::min(piece, n - at);
      std::int64_t others = keeps ? 1 : count_piece<false>(words + at, length, counts, nullptr);
      if (others > 0) others = count_piece<true>(words + at, length, counts, words + left);
      keeps = others > 0;
      left += others;
    }
    return left;
  }

 private:
  /// Returns how many others there are, to which they go if it keeps them; otherwise whether there
  /// are any, of which nothing is counted. Four counters of each value: one for neighbours that are
  /// equal would wait for itself.
  template <bool keeps>
  std::int64_t count_piece(const U* words, std::int64_t n, Counts& counts, U* others) const {
    std::array<std::array<std::uint32_t, slots>, 4> of{};
    const U first = values_[0];
    std::int64_t i = 0, firsts = 0, left = 0;
    U differ = 0;
    const auto look = [&](std::size_t way, U word) {
      const std::size_t slot = slot_of(word, factor_);
      const U other = words_[slot] ^ word;
      if constexpr (keeps) {
        of[way][slot] += other == 0;
        others[left] = word;
        left += other != 0;
      } else {
        ++of[way][slot];
        differ |= other;
      }
    };
    for (; i + 4 <= n; i += 4) {
      const std::array<U, 4> four = {words[i], words[i + 1], words[i + 2], words[i + 3]};
      if (((four[0] ^ first) | (four[1] ^ first) | (four[2] ^ first) | (four[3] ^ first)) == 0) {
        firsts += 4;
        continue;
      }
      for (std::size_t way = 0; way < 4; ++way) look(way, four[way]);
    }
    for (; i < n; ++i) look(0, words[i]);
    if (differ != 0) return 1;
    for (std::size_t v = 0; v < values_.size(); ++v) {
      for (const auto& way : of) counts[v] += way[slot_of(values_[v], factor_)];
    }
    counts[0] += firsts;
    return left;
  }

  const std::vector<U>& values_;
  std::uint64_t factor_ = 1;
  std::array<U, slots> words_{};
};

/// Counts words tile by tile and moves the others to the front of each.
template <class U>
class Count {
 public:
  Count(Context& context,
        U* words,
        std::int64_t n,
        const CommonRules<U>& rules,
        std::vector<U> values)
      : context_(context),
        words_(words),
        n_(n),
        infinity_(rules.infinity),
        max_left_(n / samples * (samples - rules.least) * 4 / 3),
        values_(std::move(values)),
        tiles_(static_cast<std::size_t>((n + tile - 1) / tile)) {}

  /// False, with words whose stable order is what it was, if the others are too many or one equals
  /// a value in the order.
  bool run() {
    Table<U> table(values_);
    if (!table.make()) return false;
    std::atomic<bool> stop{false};
    each_tile([&](Tile& t, U* words, std::int64_t count) {
      if (stop || ties(words, count)) {
        stop = true;
        return;
      }
      t.left =
          values_.size() <= max_counted
              ? kernels_.count_known(words, count, values_.data(), values_.size(), t.counts.data())
              : table.count(words, count, t.counts);
      left_ += t.left;
      if (left_ > max_left_) stop = true;
    });
    if (stop) put_back();
    return !stop;
  }

  CountedWords<U> take() {
    CountedWords<U> result{{}, Array<U>(left_)};
    for (const U value : values_) result.common.push_back({value, 0});
    std::int64_t begin = 0;
    for (Tile& t : tiles_) {
      for (std::size_t v = 0; v < values_.size(); ++v) result.common[v].count += t.counts[v];
      t.begin = begin;
      begin += t.left;
    }
    if (left_ == 0) return result;
    each_tile([&](const Tile& t, const U* words, std::int64_t) {
      std::copy_n(words, t.left, result.others.data() + t.begin);
    });
    return result;
  }

 private:
  static constexpr std::int64_t tile = std::int64_t{1} << 16;
  const VectorKernels<U>& kernels_ = vector_kernels<U>();
  struct Tile {
    Counts counts{};
    std::int64_t left = 0, begin = 0;  ///< of its others, among all
  };

  template <class Body>
  void each_tile(const Body& body) {
    const auto count = static_cast<std::int64_t>(tiles_.size());
    context_.parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end) {
      context_.check_cancelled();
      for (std::int64_t t = begin; t < end; ++t) {
        body(tiles_[static_cast<std::size_t>(t)], words_ + t * tile, std::min(tile, n_ - t * tile));
      }
    });
  }
  void put_back() {
    each_tile([&](const Tile& t, U* words, std::int64_t) {
      words += t.left;
      for (std::size_t v = 0; v < values_.size(); ++v) {
        words = std::fill_n(words, t.counts[v], values_[v]);
      }
    });
  }

  /// Whether a word equals a value in the order of floats and has other bits.
  bool ties(const U* words, std::int64_t n) const {
    using F = typename VectorKernels<U>::Float;
    const auto can_tie = [&](U value) { return is_zero(value) || is_nan(value); };
    if (std::none_of(values_.begin(), values_.end(), can_tie)) return false;
    // By vectors: only a NaN or -0 ties with others than its own bits, or +0 with it.
    const bool only_positive = std::find(values_.begin(), values_.end(), sign) == values_.end();
    if (only_positive && !kernels_.any_odd(reinterpret_cast<const F*>(words), n)) return false;
    bool any = false;
    for (const U value : values_) {
      for (std::int64_t i = 0; i < n && is_zero(value); ++i) {
        any |= is_zero(words[i]) & (words[i] != value);
      }
      for (std::int64_t i = 0; i < n && is_nan(value); ++i) {
        any |= is_nan(words[i]) & (words[i] != value);
      }
    }
    return any;
  }
  static constexpr U sign = U{1} << (8 * sizeof(U) - 1);
  bool is_nan(U word) const { return infinity_ != 0 && U(word << 1) > U(infinity_ << 1); }
  bool is_zero(U word) const { return infinity_ != 0 && U(word << 1) == 0; }

  Context& context_;
  U* const words_;
  const std::int64_t n_;
  const U infinity_;
  const std::int64_t max_left_;
  const std::vector<U> values_;
  std::vector<Tile> tiles_;
  std::atomic<std::int64_t> left_{0};
};

}  // namespace

template <class U>
CountedWords<U> count_common_values(Context& context,
                                    U* words,
                                    std::int64_t n,
                                    const CommonRules<U>& rules) {
  std::vector<U> values = Sample<U>(words, n).common(rules.least);
  if (values.empty()) return {};
  Count<U> count(context, words, n, rules, std::move(values));
  if (!count.run()) return {};
  return count.take();
}
YUPANA_FUNCTIONS(YUPANA_WORDS, count_common_values)

}  // namespace yupana::arrays::cpu
