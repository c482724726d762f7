#include "yupana/analysis/histogram.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "yupana/analysis/unreachable.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::analysis {
namespace {

// Rows a task takes: short enough for the long rows at the end of the lower triangle to spread.
constexpr std::int64_t rows_per_task = 32;

/// Runs visit(row i, i) for every row and fold(what its task gathered), one task at a time. Minima,
/// maxima and integer counts do not mind the order.
template <class Part, class T, class Visit, class Fold>
void over_rows(Context& context,
               MatrixView<const T> distances,
               const Visit& visit,
               const Fold& fold) {
  std::mutex mutex;
  context.parallel_for(distances.rows, rows_per_task, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    Part part;
    for (std::int64_t i = begin; i < end; ++i) visit(part, distances.row(i), i);
    const std::lock_guard lock(mutex);
    fold(part);
  });
}

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -1;
  std::int64_t unreachable = 0;
};

template <class T>
Extent extent_of(Context& context, MatrixView<const T> distances) {
  Extent all;
  over_rows<Extent>(
      context,
      distances,
      [](Extent& part, const T* row, std::int64_t i) {
        T low = std::numeric_limits<T>::max(), high = -1;
        std::int64_t unreachable = 0;
        for (std::int64_t j = 0; j < i; ++j) {
          const bool missing = is_unreachable(row[j]);
          unreachable += missing;
          low = std::min(low, row[j]);
          high = std::max(high, missing ? T{-1} : row[j]);
        }
        part.unreachable += unreachable;
        if (high < 0) return;
        part.low = std::min(part.low, static_cast<double>(low));
        part.high = std::max(part.high, static_cast<double>(high));
      },
      [&](const Extent& part) {
        all.low = std::min(all.low, part.low);
        all.high = std::max(all.high, part.high);
        all.unreachable += part.unreachable;
      });
  return all;
}

}  // namespace

template <class T>
Histogram histogram(Context& context, MatrixView<const T> distances, std::int64_t bins) {
  if (bins < 1) throw usage_error("histogram: expected at least 1 bin, got {}", bins);
  check_distances(context, distances, "histogram", Unreachable::allowed);
  Histogram result;
  result.counts.assign(static_cast<std::size_t>(bins), 0);
  const Extent extent = extent_of(context, distances);
  result.unreachable = extent.unreachable;
  if (extent.high < 0) return result;
  result.low = extent.low;
  result.high = extent.high;
  const double width = result.high - result.low;
  const double bin_count = static_cast<double>(bins);
  using Counts = std::vector<std::int64_t>;
  over_rows<Counts>(
      context,
      distances,
      [&](Counts& part, const T* row, std::int64_t i) {
        part.resize(static_cast<std::size_t>(bins));
        for (std::int64_t j = 0; j < i; ++j) {
          if (is_unreachable(row[j])) continue;
          const double from_low = static_cast<double>(row[j]) - result.low;
          const double bin = width > 0 ? bin_count * from_low / width : 0;
          ++part[static_cast<std::size_t>(std::min(static_cast<std::int64_t>(bin), bins - 1))];
        }
      },
      [&](const Counts& part) {
        std::transform(
            part.begin(), part.end(), result.counts.begin(), result.counts.begin(), std::plus<>());
      });
  return result;
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, histogram)

}  // namespace yupana::analysis
