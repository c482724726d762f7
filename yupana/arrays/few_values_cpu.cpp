// Few values have a table without collisions: one product and one look tell which a word is.
#include <array>
#include <atomic>
#include <mutex>
#include <optional>

#include "yupana/arrays/few_values.hpp"
#include "yupana/arrays/split_vectors.hpp"
#include "yupana/core/random.hpp"

namespace yupana::arrays::cpu {
namespace {

constexpr std::size_t most_values = 32;
constexpr std::size_t counted_alone = 4;
constexpr int slot_bits = 9;
constexpr std::size_t slots = std::size_t{1} << slot_bits;

template <class U>
class Values {
 public:
  /// Whether the word is one of at most `most_values`.
  bool add(U word) {
    if (std::find(words_.begin(), words_.end(), word) != words_.end()) return true;
    if (words_.size() == most_values) return false;
    words_.push_back(word);
    return true;
  }
  const std::vector<U>& words() const { return words_; }

  std::size_t slot(U word) const {
    return static_cast<std::size_t>((std::uint64_t{word} * factor_) >> (64 - slot_bits));
  }
  U at(std::size_t slot) const { return table_[slot]; }

  /// Finds a factor that brings each value to a slot of its own: of those drawn one in three does
  /// for 32 values. Other slots hold the first value, which no word that comes to them is.
  bool make_table() {
    for (std::uint64_t tries = 0; tries < 1000; ++tries) {
      factor_ = Random::mix(tries) | 1;
      std::array<bool, slots> taken{};
      const bool apart = std::all_of(words_.begin(), words_.end(), [&](U word) {
        return !std::exchange(taken[slot(word)], true);
      });
      if (!apart) continue;
      table_.fill(words_[0]);
      for (const U word : words_) table_[slot(word)] = word;
      return true;
    }
    return false;
  }

 private:
  std::vector<U> words_;
  std::uint64_t factor_ = 1;
  std::array<U, slots> table_{};
};

/// Counts of the slots; four of each, as one counter for neighbours that are equal would wait for
/// itself.
struct Counters {
  std::array<std::array<std::uint32_t, slots>, 4> of{};
};

/// Counts one value after the other, which vectors do, in pieces that stay in the cache. False if
/// there are others.
template <class U>
bool count_each(const U* words, std::int64_t n, const Values<U>& values, Counters& counters) {
  constexpr std::int64_t piece = 4096;
  std::int64_t all = 0;
  for (std::int64_t begin = 0; begin < n; begin += piece) {
    const std::int64_t end = std::min(begin + piece, n);
    for (const U value : values.words()) {
      const std::int64_t equal = count_equal(words + begin, end - begin, value);
      counters.of[0][values.slot(value)] += static_cast<std::uint32_t>(equal);
      all += equal;
    }
  }
  return all == n;
}

/// The first word that is none of the values.
template <class U>
U other_word(const U* words, std::int64_t n, const Values<U>& values) {
  return *std::find_if(
      words, words + n, [&](U word) { return values.at(values.slot(word)) != word; });
}

/// A word that is none of the values, if there is one. `n` is below 2^32.
template <class U>
std::optional<U> count(const U* words,
                       std::int64_t n,
                       const Values<U>& values,
                       Counters& counters) {
  if (values.words().size() <= counted_alone) {
    if (count_each(words, n, values, counters)) return std::nullopt;
    return other_word(words, n, values);
  }
  U differ = 0;
  std::int64_t i = 0;
  const auto look = [&](std::size_t way, U word) {
    const std::size_t slot = values.slot(word);
    differ = static_cast<U>(differ | (values.at(slot) ^ word));
    ++counters.of[way][slot];
  };
  for (; i + 4 <= n; i += 4) {
    for (std::size_t way = 0; way < 4; ++way) look(way, words[i + static_cast<std::int64_t>(way)]);
  }
  for (; i < n; ++i) look(0, words[i]);
  if (differ == 0) return std::nullopt;
  return other_word(words, n, values);
}

/// Counts all words unless some are none of the values; those, one a thread at least, are added.
/// False if they are too many.
template <class U>
bool count_all(Context& context,
               const U* words,
               std::int64_t n,
               Values<U>& values,
               std::vector<ValueCount<U>>& counts) {
  constexpr std::int64_t tile = std::int64_t{1} << 16;
  std::mutex mutex;
  std::atomic<bool> stop{false};
  std::vector<U> missing;
  std::vector<std::int64_t> totals(slots);
  context.parallel_for((n + tile - 1) / tile, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end && !stop; ++t) {
      context.check_cancelled();
      Counters counters;
      const std::int64_t first = t * tile;
      const auto other = count(words + first, std::min(tile, n - first), values, counters);
      const std::lock_guard<std::mutex> lock(mutex);
      if (other) {
        missing.push_back(*other);
        stop = true;
      }
      for (const auto& way : counters.of) {
        for (std::size_t s = 0; s < slots; ++s) totals[s] += way[s];
      }
    }
  });
  for (const U word : missing) {
    if (!values.add(word)) return false;
  }
  if (!missing.empty()) return true;
  for (const U word : values.words()) counts.push_back({word, totals[values.slot(word)]});
  return true;
}

template <class U>
std::vector<ValueCount<U>> count_values(Context& context, const U* words, std::int64_t n) {
  constexpr std::int64_t samples = 256;
  constexpr int looks = 3;
  Values<U> values;
  for (std::int64_t i = 0; i < samples; ++i) {
    if (!values.add(words[n / samples * i])) return {};
  }
  std::vector<ValueCount<U>> counts;
  for (int look = 0; look < looks && counts.empty(); ++look) {
    if (!values.make_table() || !count_all(context, words, n, values, counts)) return {};
  }
  return counts;
}

}  // namespace

std::vector<ValueCount<std::uint32_t>> count_few_values(Context& context,
                                                        const std::uint32_t* words,
                                                        std::int64_t n) {
  return count_values(context, words, n);
}
std::vector<ValueCount<std::uint64_t>> count_few_values(Context& context,
                                                        const std::uint64_t* words,
                                                        std::int64_t n) {
  return count_values(context, words, n);
}

}  // namespace yupana::arrays::cpu
