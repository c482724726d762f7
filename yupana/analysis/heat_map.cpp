#include "yupana/analysis/heat_map.hpp"

#include <algorithm>
#include <limits>

#include "yupana/analysis/unreachable.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::analysis {
namespace {

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
