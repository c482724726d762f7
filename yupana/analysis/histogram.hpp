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

/// A symmetric matrix, its individuals taken in `order`, reduced to min(n, cells) cells a side:
///   cell(a, b) = mean of distances(order[i], order[j]) over a's i and b's j, i != j
/// where cell a holds positions [a n / cells, (a + 1) n / cells). A cell of one individual with
/// itself is 0; pairs without a distance are left out, and a cell of nothing else is +inf.
///   reads the lower triangle in that order and mirrors it, so that the result is symmetric to the
///   bit; sums in double; the same for any number of threads
///   errors: cells < 1 or an order that is not one index an individual, each once, is usage;
///   not square, NaN or negative is bad_input
template <class T>
SquareMatrix<float> reduced(Context& context,
                            MatrixView<const T> distances,
                            const std::vector<std::int64_t>& order,
                            std::int64_t cells);

}  // namespace yupana::analysis
