#pragma once

#include <cstddef>
#include <cstdint>

namespace yupana::arrays {

/// Elements a tile of scan, reduce, partition and reduce_by_key: 256 KiB, a quarter of a core's
/// second-level cache, so that the second reading of a tile does not go to memory. Tiles depend on
/// the type alone; results therefore do not depend on threads.
template <class T>
inline constexpr std::int64_t tile_size = sizeof(T) >= (std::size_t{256} << 10)
                                              ? 1
                                              : static_cast<std::int64_t>((256 << 10) / sizeof(T));

/// Of a tile, a scan by an operator of one's own folds runs of so many values from left to right,
/// and the last, shorter one: a thread has four under way, where each operation of one run waits
/// for the one before. A line of the cache less than a quarter: at equal distances of a power of
/// two their values would have one set of the first cache for all.
inline constexpr int runs_at_once = 4;
template <class T>
inline constexpr std::int64_t run_size = tile_size<T> < 4096
                                             ? (tile_size<T> + runs_at_once - 1) / runs_at_once
                                             : tile_size<T> / runs_at_once
                                                   - std::int64_t{64 / sizeof(T)};
/// Runs of a tile.
template <class T>
inline constexpr std::int64_t most_runs = (tile_size<T> + run_size<T> - 1) / run_size<T>;

}  // namespace yupana::arrays
