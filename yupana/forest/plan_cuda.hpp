#pragma once

#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/forest/problem.hpp"
#include "yupana/forest/tree_cuda.hpp"

/// What trees of a forest take of a device. Private to the family.
namespace yupana::forest::cuda {

/// Trees [first, last) of those that are grown.
struct TreeRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t count() const { return last - first; }
};

struct DevicePlan {
  TreeRange range;
  std::int64_t rows = 0;      ///< of the table, that the device holds
  std::int64_t batch = 1;     ///< trees that grow at once
  std::uint64_t reserve = 0;  ///< bytes to allocate at once; 0: what it takes might be missed
};

/// What counts of a table.
struct TableShape {
  std::int64_t rows = 0;
  std::int64_t features = 0;
  std::size_t value_size = 0;  ///< bytes
  bool has_categories = false;
};

/// Throws where lists of one tree do not fit.
DevicePlan plan_of(const Context& context,
                   const TableShape& table,
                   const Problem& problem,
                   const ForestSamples& draws,
                   TreeRange range);

}  // namespace yupana::forest::cuda
