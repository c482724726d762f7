#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/job/trees.hpp"

namespace yupana::job {

/// The rows' weights by --balanced and --class-weight; empty if neither is given.
///   errors: usage for factors that cannot be, or where numbers are predicted; bad_input for a
///   class that no row has
std::vector<double> class_weights(const std::vector<std::string>& classes,
                                  std::int64_t rows,
                                  const forest::Target& target,
                                  const FitTreesParams& params);

}  // namespace yupana::job
