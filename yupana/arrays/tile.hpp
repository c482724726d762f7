#pragma once

#include <cstdint>

namespace yupana::arrays {

/// Elements a tile of scan, reduce, partition and reduce_by_key: 256 KiB, a quarter of a core's
/// second-level cache, so that the second reading of a tile does not go to memory. Tiles depend on
/// the type alone; results therefore do not depend on threads.
template <class T>
inline constexpr std::int64_t tile_size = sizeof(T) >= (std::size_t{256} << 10)
                                              ? 1
                                              : static_cast<std::int64_t>((256 << 10) / sizeof(T));

}  // namespace yupana::arrays
