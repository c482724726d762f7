#include "yupana/analysis/clustering_points.hpp"

#include <algorithm>
#include <limits>

#include "yupana/analysis/unreachable.hpp"

namespace yupana::analysis {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
void gather_row(MatrixView<const T> square,
                std::int64_t point,
                std::span<const std::int64_t> others,
                double* out) {
  const T* const row = square.row(point);
  for (const std::int64_t other : others) {
    const T distance = row[other];
    *out++ = other == point || is_unreachable(distance) ? infinity : static_cast<double>(distance);
  }
}

/// The distances to smaller points lie in a column, each in a line of memory of its own.
void gather_condensed(const double* condensed,
                      std::int64_t n,
                      std::int64_t point,
                      std::span<const std::int64_t> others,
                      double* out) {
  constexpr std::size_t ahead = 16;
  const auto of_pair = [&](std::int64_t i, std::int64_t j) {  // i < j
    return condensed + i * (2 * n - i - 1) / 2 + (j - i - 1);
  };
  std::size_t k = 0;
  for (; k < others.size() && others[k] < point; ++k) {
    const std::int64_t next = others[std::min(k + ahead, others.size() - 1)];
    if (next < point) __builtin_prefetch(of_pair(next, point));
    out[k] = *of_pair(others[k], point);
  }
  if (k < others.size() && others[k] == point) out[k++] = infinity;
  for (; k < others.size(); ++k) out[k] = *of_pair(point, others[k]);
}

}  // namespace

template <class T>
PointDistances::PointDistances(MatrixView<const T> square)
    : count_(square.rows), gather_([=](auto point, auto others, double* out) {
        gather_row(square, point, others, out);
      }) {}

PointDistances::PointDistances(std::int64_t points, std::span<const double> condensed)
    : count_(points), gather_([=](auto point, auto others, double* out) {
        gather_condensed(condensed.data(), points, point, others, out);
      }) {}

template PointDistances::PointDistances(MatrixView<const std::int32_t>);
template PointDistances::PointDistances(MatrixView<const float>);
template PointDistances::PointDistances(MatrixView<const double>);

}  // namespace yupana::analysis
