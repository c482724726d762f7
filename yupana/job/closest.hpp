#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/geometry/closest_pair.hpp"
#include "yupana/io/points.hpp"

namespace yupana::job {

struct ClosestFileParams {
  io::PointsParams in;
  geometry::ClosestPairParams closest;
};

struct ClosestFileResult {
  std::int64_t points = 0;
  std::int64_t dimensions = 0;
  geometry::ClosestPair pair;
  std::vector<double> first;  ///< coordinates of pair.i
  std::vector<double> second;
};

/// The two nearest points of a file.
///   errors: what io::read_points and geometry::closest_pair refuse, naming the file
ClosestFileResult closest_file(Context& context, const ClosestFileParams& params);

}  // namespace yupana::job
