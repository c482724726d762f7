// What clustering does with rows of distances, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/analysis/clustering_rows_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "yupana/analysis/clustering_active.hpp"

HWY_BEFORE_NAMESPACE();
namespace yupana::analysis::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Doubles = hn::ScalableTag<double>;

/// Of all infinite lanes Highway's emulated targets take the largest finite number for the least.
double least_of(hn::Vec<Doubles> v) {
  const Doubles d;
  constexpr double none = std::numeric_limits<double>::infinity();
  return hn::AllTrue(d, hn::Eq(v, hn::Set(d, none))) ? none : hn::GetLane(hn::MinOfLanes(d, v));
}

double smallest(const double* row, const double* bar, std::int64_t count) {
  const Doubles d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto none = hn::Set(d, std::numeric_limits<double>::infinity());
  auto low0 = none, low1 = none, low2 = none, low3 = none;
  const auto at = [&](std::int64_t j)
                      HWY_ATTR { return hn::Add(hn::LoadU(d, row + j), hn::LoadU(d, bar + j)); };
  std::int64_t j = 0;
  for (; j + 4 * lanes <= count; j += 4 * lanes) {
    low0 = hn::Min(low0, at(j));
    low1 = hn::Min(low1, at(j + lanes));
    low2 = hn::Min(low2, at(j + 2 * lanes));
    low3 = hn::Min(low3, at(j + 3 * lanes));
  }
  for (; j + lanes <= count; j += lanes) low0 = hn::Min(low0, at(j));
  const auto low = hn::Min(hn::Min(low0, low1), hn::Min(low2, low3));
  double least = least_of(low);
  for (; j < count; ++j) least = std::min(least, row[j] + bar[j]);
  return least;
}

std::int64_t smallest_number(const double* row,
                             const double* bar,
                             const std::int64_t* number,
                             std::int64_t count,
                             double value,
                             std::int64_t none) {
  const Doubles d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto target = hn::Set(d, value);
  for (std::int64_t j = 0; j < count; j += lanes) {
    const std::int64_t end = std::min(count, j + lanes);
    if (end == j + lanes) {
      const auto found = hn::Eq(hn::Add(hn::LoadU(d, row + j), hn::LoadU(d, bar + j)), target);
      if (hn::AllFalse(d, found)) continue;
    }
    for (std::int64_t i = j; i < end; ++i) {
      if (row[i] + bar[i] == value) none = std::min(none, number[i]);
    }
  }
  return none;
}

void average_rows(
    const double* other, double* row, std::int64_t count, double other_points, double points) {
  const Doubles d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto of_other = hn::Set(d, other_points), of_row = hn::Set(d, points);
  const auto of_both = hn::Set(d, other_points + points);
  std::int64_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    const auto weighted =
        hn::Add(hn::Mul(of_other, hn::LoadU(d, other + j)), hn::Mul(of_row, hn::LoadU(d, row + j)));
    hn::StoreU(hn::Div(weighted, of_both), d, row + j);
  }
  for (; j < count; ++j) {
    row[j] = (other_points * other[j] + points * row[j]) / (other_points + points);
  }
}

void ward_rows(const double* other,
               double* row,
               const double* sizes,
               std::int64_t count,
               const cpu::WardMerge& merge) {
  const auto update = [&](auto d, std::int64_t j) HWY_ATTR {
    const auto far = hn::LoadU(d, other + j), near = hn::LoadU(d, row + j);
    const auto n = hn::LoadU(d, sizes + j);
    const auto share =
        hn::Div(hn::Set(d, 1), hn::Add(hn::Set(d, merge.other_points + merge.points), n));
    const auto product = [&](auto points, auto distance) HWY_ATTR {
      return hn::Mul(hn::Mul(hn::Mul(points, share), distance), distance);
    };
    const auto of_other = product(hn::Add(n, hn::Set(d, merge.other_points)), far);
    const auto of_row = product(hn::Add(n, hn::Set(d, merge.points)), near);
    const auto of_both = product(n, hn::Set(d, merge.between));
    const auto none = hn::Set(d, std::numeric_limits<double>::infinity());
    const auto joined = hn::Sqrt(hn::Sub(hn::Add(of_other, of_row), of_both));
    hn::StoreU(hn::IfThenElse(hn::Eq(hn::Max(far, near), none), none, joined), d, row + j);
  };
  const Doubles d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t j = 0;
  for (; j + lanes <= count; j += lanes) update(d, j);
  for (; j < count; ++j) update(hn::CappedTag<double, 1>(), j);
}

double shorten(const double* edges,
               double* length,
               std::int64_t* into,
               std::int64_t count,
               std::int64_t vertex) {
  const auto update = [&](auto d, std::int64_t j) HWY_ATTR {
    const hn::RebindToSigned<decltype(d)> integers;
    const auto edge = hn::LoadU(d, edges + j), before = hn::LoadU(d, length + j);
    const auto nearer = hn::Lt(edge, before);
    const auto shorter = hn::IfThenElse(nearer, edge, before);
    hn::StoreU(shorter, d, length + j);
    hn::StoreU(hn::IfThenElse(hn::RebindMask(integers, nearer),
                              hn::Set(integers, vertex),
                              hn::LoadU(integers, into + j)),
               integers,
               into + j);
    return shorter;
  };
  const Doubles d;
  const hn::CappedTag<double, 1> one;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto low = hn::Set(d, std::numeric_limits<double>::infinity());
  std::int64_t j = 0;
  for (; j + lanes <= count; j += lanes) low = hn::Min(low, update(d, j));
  double least = least_of(low);
  for (; j < count; ++j) least = std::min(least, hn::GetLane(update(one, j)));
  return least;
}

const cpu::RowKernels* table() {
  static constexpr cpu::RowKernels all = {
      &smallest, &smallest_number, &average_rows, &ward_rows, &shorten};
  return &all;
}

}  // namespace yupana::analysis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::analysis {

HWY_EXPORT(table);

const cpu::RowKernels& cpu::row_kernels() { return *HWY_DYNAMIC_DISPATCH(table)(); }

}  // namespace yupana::analysis
#endif  // HWY_ONCE
