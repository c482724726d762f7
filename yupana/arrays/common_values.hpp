#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "yupana/arrays/radix_key.hpp"
#include "yupana/arrays/sort_vectors.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"

/// Private to the family: values that many keys have are counted and written anew, so that only
/// the other keys are sorted.
namespace yupana::arrays::cpu {

template <class U>
struct ValueCount {
  U word = 0;
  std::int64_t count = 0;
};

template <class U>
struct CountedWords {
  std::vector<ValueCount<U>> common;  ///< at most 32 values, in any order
  Array<U> others;                    ///< the words of other values, in their order
};

/// Words of a sample.
inline constexpr std::int64_t common_samples = 256;

template <class U>
struct CommonRules {
  U infinity = 0;          ///< the word of this float; 0: words are integers
  std::int64_t least = 0;  ///< of a sample's words that have common values
};

/// Counts the values that a sample shows to be common. None, with words in another order but the
/// same stable one, if there are none, too many others or one of those equals a common value in the
/// order of floats.
///   memory: others, at most half of the words
///   errors: interrupted
template <class U>
CountedWords<U> count_common_values(Context& context,
                                    U* words,
                                    std::int64_t n,
                                    const CommonRules<U>& rules);

/// Fewer keys than this are sorted before a sample of them shows anything.
inline constexpr std::int64_t common_values_min = std::int64_t{1} << 14;

/// Writes the counted keys and the others, both sorted, as one sorted sequence.
template <class Order, class K, class U>
void merge_common(Context& context,
                  const std::vector<ValueCount<U>>& common,
                  const K* others,
                  std::int64_t rest,
                  K* keys) {
  std::vector<std::int64_t> places;  // of common values among the others
  std::int64_t n = rest;
  for (const auto& value : common) {
    const K key = std::bit_cast<K>(value.word);
    places.push_back(std::lower_bound(others, others + rest, key, Order{}) - others);
    n += value.count;
  }
  places.push_back(rest);
  constexpr std::int64_t tile = std::int64_t{1} << 18;
  context.parallel_for((n + tile - 1) / tile, 1, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t run = 0;  // where one begins
    const auto write = [&](std::int64_t length, const auto& body) {
      const std::int64_t from = std::max(run, begin * tile);
      const std::int64_t to = std::min({run + length, end * tile, n});
      if (from < to) body(from, to);
      run += length;
    };
    std::int64_t next = 0;  // of the others
    for (std::size_t v = 0; v < places.size(); ++v) {
      write(places[v] - next, [&](std::int64_t from, std::int64_t to) {
        const K* const first = others + next - run;
        std::copy(first + from, first + to, keys + from);
      });
      next = places[v];
      if (v == common.size()) break;
      write(common[v].count, [&](std::int64_t from, std::int64_t to) {
        std::fill(keys + from, keys + to, std::bit_cast<K>(common[v].word));
      });
    }
  });
}

/// What pays off: radix passes wait for the counter of a value that is common; vectors do not, and
/// Highway's alone not for any other.
template <class Order, class K>
CommonRules<UnsignedOf<sizeof(K)>> common_rules() {
  using U = UnsignedOf<sizeof(K)>;
  CommonRules<U> rules{0, common_samples * 5 / 8};
  if constexpr (std::is_floating_point_v<K>) {
    rules.infinity = std::bit_cast<U>(std::numeric_limits<K>::infinity());
  }
  if (has_fast_vectors(sizeof(K))) {
    rules.least = key_code<Order, K>().changes() ? common_samples * 15 / 16 : common_samples;
  }
  return rules;
}

/// Sorts keys by sort_others(keys, n), those of common values counted and written anew.
template <class Order, class K, class SortOthers>
void sort_common_values(Context& context, K* keys, std::int64_t n, const SortOthers& sort_others) {
  using U = UnsignedOf<sizeof(K)>;
  CountedWords<U> counted;
  if (n >= common_values_min) {
    counted = count_common_values(context, reinterpret_cast<U*>(keys), n, common_rules<Order, K>());
  }
  auto& common = counted.common;
  K* const others = common.empty() ? keys : reinterpret_cast<K*>(counted.others.data());
  const std::int64_t rest = common.empty() ? n : counted.others.size();
  if (rest > 1) sort_others(others, rest);
  if (common.empty()) return;
  std::sort(common.begin(), common.end(), [](const auto& a, const auto& b) {
    return radix_key<Order>(std::bit_cast<K>(a.word)) < radix_key<Order>(std::bit_cast<K>(b.word));
  });
  merge_common<Order>(context, common, others, rest, keys);
}

}  // namespace yupana::arrays::cpu
