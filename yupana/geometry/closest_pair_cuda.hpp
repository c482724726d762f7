#pragma once

#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/geometry/closest_pair.hpp"

namespace yupana::geometry::cuda {

/// closest_pair of points in the memory of GPU `device`: row i at points + i * stride. Whatever
/// wrote them must have finished: the work runs in a stream of its own.
///   memory: 8 to 12 bytes a point besides, and a 63rd of the points (a 7th from 4 dimensions)
///   errors: as closest_pair; out_of_resources from 2^32 - 1 points on
template <class T>
ClosestPair closest_pair(Context& context,
                         int device,
                         const T* points,
                         std::int64_t rows,
                         std::int64_t cols,
                         std::int64_t stride);

}  // namespace yupana::geometry::cuda
