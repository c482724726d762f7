#include "yupana/analysis/histogram.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "yupana/analysis/unreachable.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"

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

void check_order(const std::vector<std::int64_t>& order, std::int64_t n) {
  std::vector<bool> seen(static_cast<std::size_t>(n));
  bool whole = static_cast<std::int64_t>(order.size()) == n;
  for (const std::int64_t i : order) {
    whole = whole && i >= 0 && i < n && !seen[static_cast<std::size_t>(i)];
    if (!whole) break;
    seen[static_cast<std::size_t>(i)] = true;
  }
  if (!whole) {
    throw usage_error(
        "reduced: expected an order of the {} individuals, each once, got one of length {} that is "
        "not",
        n,
        order.size());
  }
}

struct Mean {
  double sum = 0;
  std::int64_t count = 0;
  std::int64_t missing = 0;

  float value() const {
    if (count > 0) return static_cast<float>(sum / static_cast<double>(count));
    return missing > 0 ? std::numeric_limits<float>::infinity() : 0.0f;
  }
};

/// Means of the cells (a, 0) .. (a, a), gathered in the order of the rows.
template <class T>
class CellRow {
 public:
  CellRow(MatrixView<const T> distances, const std::vector<std::int64_t>& order, std::int64_t side)
      : distances_(distances), order_(order), side_(side), means_(static_cast<std::size_t>(side)) {}

  const std::vector<Mean>& gather(std::int64_t a) {
    std::fill(means_.begin(), means_.end(), Mean());
    for (std::int64_t i = positions(a).begin; i < positions(a).end; ++i) {
      const T* row = distances_.row(order_[static_cast<std::size_t>(i)]);
      for (std::int64_t b = 0; b <= a; ++b)
        add(row, i, positions(b), means_[static_cast<std::size_t>(b)]);
    }
    return means_;
  }

 private:
  Range positions(std::int64_t cell) const {
    const std::int64_t n = distances_.rows;
    return {cell * n / side_, (cell + 1) * n / side_};
  }

  void add(const T* row, std::int64_t i, Range columns, Mean& mean) const {
    const std::int64_t* const order = order_.data();
    Mean own = mean;  // in registers: as far as the compiler knows, counts may lie in the order
    for (std::int64_t j = columns.begin; j < columns.end; ++j) {
      if (i == j) continue;
      const T distance = row[order[j]];
      const bool missing = is_unreachable(distance);
      own.sum += missing ? 0 : static_cast<double>(distance);
      own.count += !missing;
      own.missing += missing;
    }
    mean = own;
  }

  MatrixView<const T> distances_;
  const std::vector<std::int64_t>& order_;
  std::int64_t side_;
  std::vector<Mean> means_;
};

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

template <class T>
SquareMatrix<float> reduced(Context& context,
                            MatrixView<const T> distances,
                            const std::vector<std::int64_t>& order,
                            std::int64_t cells) {
  if (cells < 1) throw usage_error("reduced: expected at least 1 cell, got {}", cells);
  check_distances(context, distances, "reduced", Unreachable::allowed);
  check_order(order, distances.rows);
  const std::int64_t side = std::min(distances.rows, cells);
  SquareMatrix<float> result(side);
  context.parallel_for(side, 4, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    CellRow<T> row(distances, order, side);
    for (std::int64_t a = begin; a < end; ++a) {
      const std::vector<Mean>& means = row.gather(a);
      for (std::int64_t b = 0; b <= a; ++b) {
        result(a, b) = result(b, a) = means[static_cast<std::size_t>(b)].value();
      }
    }
  });
  return result;
}

using Order = std::vector<std::int64_t>;
YUPANA_FUNCTIONS(YUPANA_DISTANCES, reduced)

}  // namespace yupana::analysis
