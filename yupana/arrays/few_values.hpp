#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "yupana/arrays/radix_key.hpp"
#include "yupana/core/context.hpp"

/// Private to the family: keys of few values are counted and written anew.
namespace yupana::arrays::cpu {

template <class U>
struct ValueCount {
  U word = 0;
  std::int64_t count = 0;
};

/// The words that occur and how often, in any order; nothing if there are more than 32, or
/// more than a sample shows and quicksort by vectors is as fast.
///   errors: interrupted
std::vector<ValueCount<std::uint32_t>> count_few_values(Context& context,
                                                        const std::uint32_t* words,
                                                        std::int64_t n);
std::vector<ValueCount<std::uint64_t>> count_few_values(Context& context,
                                                        const std::uint64_t* words,
                                                        std::int64_t n);

/// Fewer keys than this are sorted before a sample of them shows anything.
inline constexpr std::int64_t few_values_min = std::int64_t{1} << 14;

/// False with the keys as they were, unless they have few values, of which no two are equal in the
/// order: NaNs and zeros of both signs have to stay in theirs.
template <class Order, class K>
bool sort_few_values(Context& context, K* keys, std::int64_t n) {
  using U = UnsignedOf<sizeof(K)>;
  if (n < few_values_min) return false;
  auto counts = count_few_values(context, reinterpret_cast<const U*>(keys), n);
  const auto is_odd = [](const ValueCount<U>& value) {
    const K key = std::bit_cast<K>(value.word);
    return key != key || (key == K{0} && value.word != 0);
  };
  if (counts.empty() || std::any_of(counts.begin(), counts.end(), is_odd)) return false;
  if (counts.size() == 1) return true;
  std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
    return radix_key<Order>(std::bit_cast<K>(a.word)) < radix_key<Order>(std::bit_cast<K>(b.word));
  });
  constexpr std::int64_t tile = std::int64_t{1} << 18;
  context.parallel_for((n + tile - 1) / tile, 1, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t run = 0;  // where one begins
    for (const auto& [word, count] : counts) {
      const std::int64_t from = std::max(run, begin * tile);
      const std::int64_t to = std::min({run + count, end * tile, n});
      if (from < to) std::fill(keys + from, keys + to, std::bit_cast<K>(word));
      run += count;
    }
  });
  return true;
}

}  // namespace yupana::arrays::cpu
