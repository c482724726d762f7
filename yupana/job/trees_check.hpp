#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/job/trees.hpp"

namespace yupana::job {

/// usage for what no table can make meaningful: no label, options that need or exclude others.
void check_fit(const FitTreesParams& params);

/// usage for a cost complexity below 0.
void check_alpha(double alpha);

/// usage where a class has rows, but fewer than stratified folds.
void check_members(const std::vector<std::string>& classes,
                   const Array<std::int32_t>& codes,
                   std::int64_t folds);

}  // namespace yupana::job
