#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::analysis {

struct Histogram {
  double low = 0, high = 0;          ///< smallest and largest distance of a pair
  std::vector<std::int64_t> counts;  ///< equal bins over [low, high]
  std::int64_t unreachable = 0;      ///< pairs without a distance, in no bin
};

/// Counts of the distances of all pairs i < j in `bins` equal bins:
///   bin(d) = floor(bins (d - low) / (high - low)), the largest distance in the last bin; all in
///   the first where low = high
/// Exact counts of exactly that expression in double (which is exact for integers); the same for
/// any number of threads. Without a reachable pair low = high = 0.
///   errors: bins < 1 is usage; not square, NaN or negative is bad_input
template <class T>
Histogram histogram(Context& context, MatrixView<const T> distances, std::int64_t bins);

}  // namespace yupana::analysis
