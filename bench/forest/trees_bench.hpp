#pragma once

#include <vector>

#include "bench/support/bench.hpp"
#include "yupana/core/table.hpp"
#include "yupana/forest/tree.hpp"

namespace yupana::bench {

inline constexpr std::int64_t tree_features = 18;

struct TreeRows {
  Table<float> table;
  std::vector<std::int32_t> codes;
  forest::Target target() const {
    forest::Target target;
    target.codes = codes.data();
    target.classes = 2;
    return target;
  }
};

/// Eighteen uniform features; the class is the side of a curved surface of five of them, turned
/// around for one row in six.
TreeRows tree_rows(std::int64_t rows);

/// The part of `yupana bench trees` that has columns of categories, on processors.
void categories(Context& context, const BenchParams& params);

/// The GPU part of `yupana bench trees`; only in CUDA builds.
void trees_cuda(Context& context, const BenchParams& params);

}  // namespace yupana::bench
