#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/arrays/tile.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::arrays::cpu {

/// Counts per tile, adds them up, and lets each tile write to its places.
template <bool keep_others, class T, class Predicate>
std::int64_t partition(
    Context& context, const T* in, std::int64_t n, T* out, const Predicate& predicate) {
  constexpr std::int64_t tile = tile_size<T>;
  Array<std::int64_t> places(divide_up(n, tile));
  const auto each_tile = [&](const auto& body) {
    context.parallel_for(places.size(), 4, [&](std::int64_t begin, std::int64_t end) {
      context.check_cancelled();
      for (std::int64_t t = begin; t < end; ++t) body(t, t * tile, std::min(n, (t + 1) * tile));
    });
  };
  each_tile([&](std::int64_t t, std::int64_t begin, std::int64_t end) {
    std::int64_t count = 0;
    for (std::int64_t i = begin; i < end; ++i) count += predicate(in[i]) ? 1 : 0;
    places[t] = count;
  });
  std::int64_t count = 0;
  for (std::int64_t& place : places) {
    const std::int64_t here = place;
    place = count;
    count += here;
  }
  each_tile([&](std::int64_t t, std::int64_t begin, std::int64_t end) {
    std::int64_t place = places[t];
    std::int64_t other = count + begin - place;
    for (std::int64_t i = begin; i < end; ++i) {
      if constexpr (keep_others) {
        // One store whatever the answer: a branch would be mispredicted half of the time.
        const bool selected = predicate(in[i]);
        out[selected ? place : other] = in[i];
        place += selected;
        other += !selected;
      } else if (predicate(in[i])) {
        out[place++] = in[i];
      }
    }
  });
  return count;
}

}  // namespace yupana::arrays::cpu
