#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/arrays/tile.hpp"
#include "yupana/core/context.hpp"

namespace yupana::arrays::cpu {

/// body(s) for every segment: those of up to a tile share the threads among them (within a tile no
/// body starts threads), longer ones come one after another, each with all threads.
template <class T, class Body>
void for_each_segment(Context& context,
                      const std::int64_t* offsets,
                      std::int64_t segments,
                      const Body& body) {
  constexpr std::int64_t tile = tile_size<T>;
  const auto is_long = [&](std::int64_t s) { return offsets[s + 1] - offsets[s] > tile; };
  if (context.backend() == Backend::reference) {
    for (std::int64_t s = 0; s < segments; ++s) body(s);
    return;
  }
  // A task is a stretch of segments; oneTBB halves it down to the grain and evens out what differs.
  const std::int64_t grain = std::clamp<std::int64_t>(segments / (16 * context.threads()), 1, 256);
  context.parallel_for(segments, grain, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t s = begin; s < end; ++s) {
      if (!is_long(s)) body(s);
    }
  });
  for (std::int64_t s = 0; s < segments; ++s) {
    if (is_long(s)) body(s);
  }
}

}  // namespace yupana::arrays::cpu
