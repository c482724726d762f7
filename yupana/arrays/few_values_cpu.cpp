// Up to four values are counted by vectors, more by a table without collisions.
#include <array>
#include <atomic>
#include <mutex>

#include "yupana/arrays/few_values.hpp"
#include "yupana/arrays/split_vectors.hpp"
#include "yupana/core/random.hpp"

namespace yupana::arrays::cpu {
namespace {

constexpr std::size_t max_known = 32;
constexpr int slot_bits = 9;
constexpr std::size_t slots = std::size_t{1} << slot_bits;

/// Different words in the order in which they were met: frequent ones of a sample come first. One
/// product and one look tell which of them a word is.
template <class U>
class Values {
 public:
  /// The word's number; max_known if it is one too many.
  std::size_t add(U word) {
    const auto at = std::find(words_.begin(), words_.end(), word);
    const auto number = static_cast<std::size_t>(at - words_.begin());
    if (at != words_.end()) return number;
    if (number == max_known) return max_known;
    words_.push_back(word);
    return make_table() ? number : max_known;
  }
  /// Adds the first word that is new, of which there is one; false if it is one too many.
  bool add_new(const U* word) {
    while (at(slot(*word)) == *word) ++word;
    return add(*word) < max_known;
  }
  const std::vector<U>& words() const { return words_; }

  std::size_t slot(U word) const {
    return static_cast<std::size_t>((std::uint64_t{word} * factor_) >> (64 - slot_bits));
  }
  U at(std::size_t slot) const { return table_[slot]; }

 private:
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

  std::vector<U> words_;
  std::uint64_t factor_ = 1;
  std::array<U, slots> table_{};
};

using Counts = std::array<std::int64_t, max_known>;

/// As count_known(), by the table of slots. Four counters of each: one for neighbours that are
/// equal would wait for itself.
template <class U>
std::int64_t count_by_slots(const U* words,
                            std::int64_t n,
                            const Values<U>& values,
                            Counts& counts) {
  constexpr std::int64_t piece = 4096;
  const U first = values.words()[0];
  for (std::int64_t at = 0; at < n; at += piece) {
    std::array<std::array<std::uint32_t, slots>, 4> of{};
    U differ = 0;
    const auto look = [&](std::size_t way, U word) {
      const std::size_t slot = values.slot(word);
      differ = static_cast<U>(differ | (values.at(slot) ^ word));
      ++of[way][slot];
    };
    const std::int64_t end = std::min(at + piece, n);
    std::int64_t i = at, firsts = 0;
    for (; i + 4 <= end; i += 4) {
      const U* const four = words + i;
      if (((four[0] ^ first) | (four[1] ^ first) | (four[2] ^ first) | (four[3] ^ first)) == 0) {
        firsts += 4;
        continue;
      }
      for (std::size_t way = 0; way < 4; ++way) look(way, four[way]);
    }
    for (; i < end; ++i) look(0, words[i]);
    if (differ != 0) return at;
    for (std::size_t v = 0; v < values.words().size(); ++v) {
      for (const auto& way : of) counts[v] += way[values.slot(values.words()[v])];
    }
    counts[0] += firsts;
  }
  return n;
}

/// Counts every value; words that are none of them join them, unless quicksort by vectors, which is
/// quick where a few values are nearly all, takes over. False if it does or they are too many.
template <class U>
bool count_tile(const U* words, std::int64_t n, Values<U>& values, Counts& counts) {
  counts = {};
  for (std::int64_t at = 0;;) {
    const auto& known = values.words();
    at += known.size() <= max_counted
              ? count_known(words + at, n - at, known.data(), known.size(), counts.data())
              : count_by_slots(words + at, n - at, values, counts);
    if (at == n) return true;
    if (has_fast_vectors(sizeof(U)) || !values.add_new(words + at)) return false;
  }
}

/// Tiles begin with the values of those counted before.
template <class U>
std::vector<ValueCount<U>> count_all(Context& context,
                                     const U* words,
                                     std::int64_t n,
                                     Values<U> values) {
  constexpr std::int64_t tile = std::int64_t{1} << 16;
  std::mutex mutex;
  std::atomic<bool> stop{false};
  Counts totals{};
  context.parallel_for((n + tile - 1) / tile, 1, [&](std::int64_t begin, std::int64_t end) {
    Values<U> own;
    Counts counts;
    for (std::int64_t t = begin; t < end && !stop; ++t) {
      context.check_cancelled();
      {
        const std::lock_guard<std::mutex> lock(mutex);
        if (own.words().size() < values.words().size()) own = values;
      }
      bool few = count_tile(words + t * tile, std::min(tile, n - t * tile), own, counts);
      const std::lock_guard<std::mutex> lock(mutex);
      for (std::size_t v = 0; few && v < own.words().size(); ++v) {
        const std::size_t number = values.add(own.words()[v]);
        few = number < max_known;
        if (few) totals[number] += counts[v];
      }
      if (!few) stop = true;
    }
  });
  std::vector<ValueCount<U>> result;
  for (std::size_t v = 0; !stop && v < values.words().size(); ++v) {
    result.push_back({values.words()[v], totals[v]});
  }
  return result;
}

template <class U>
std::vector<ValueCount<U>> count_values(Context& context, const U* words, std::int64_t n) {
  constexpr std::int64_t samples = 256;
  Values<U> values;
  for (std::int64_t i = 0; i < samples; ++i) {
    if (values.add(words[n / samples * i]) == max_known) return {};
  }
  return count_all(context, words, n, std::move(values));
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
