#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "yupana/geometry/closest_pair_backends.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/geometry/extent_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include "yupana/core/instantiate.hpp"

HWY_BEFORE_NAMESPACE();
namespace yupana::geometry::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The largest absolute value, or infinity if any is NaN or infinite.
template <class T>
double largest_of(const T* values, std::int64_t n) {
  const hn::ScalableTag<T> d;
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  const auto most = hn::Set(d, std::numeric_limits<T>::max());
  const auto none = hn::Set(d, std::numeric_limits<T>::infinity());
  auto largest = hn::Zero(d);
  auto second = hn::Zero(d);
  const auto size_of = [&](const T* at) HWY_ATTR {
    const auto size = hn::Abs(hn::LoadU(d, at));
    return hn::IfThenElse(hn::Le(size, most), size, none);  // NaN is not <= anything
  };
  std::int64_t i = 0;
  for (; i + 2 * step <= n; i += 2 * step) {
    largest = hn::Max(largest, size_of(values + i));
    second = hn::Max(second, size_of(values + i + step));
  }
  T result = hn::GetLane(hn::MaxOfLanes(d, hn::Max(largest, second)));
  for (; i < n; ++i) {
    const T size = std::abs(values[i]);
    result = size <= std::numeric_limits<T>::max() ? std::max(result, size)
                                                   : std::numeric_limits<T>::infinity();
  }
  return static_cast<double>(result);
}

double largest_float(const float* values, std::int64_t n) { return largest_of(values, n); }
double largest_double(const double* values, std::int64_t n) { return largest_of(values, n); }

}  // namespace yupana::geometry::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::geometry::cpu {
namespace {

HWY_EXPORT(largest_float);
HWY_EXPORT(largest_double);

double largest_of(const float* values, std::int64_t n) {
  return HWY_DYNAMIC_DISPATCH(largest_float)(values, n);
}
double largest_of(const double* values, std::int64_t n) {
  return HWY_DYNAMIC_DISPATCH(largest_double)(values, n);
}

}  // namespace

template <class T>
Extent extent_of(Context& context, MatrixView<const T> points) {
  std::atomic<double> largest{0};
  std::atomic<std::int64_t> bad{points.rows};
  constexpr std::int64_t piece = std::int64_t{1} << 16;
  context.parallel_for(points.rows, piece, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    double here = 0;
    if (points.stride == points.cols) {
      here = largest_of(points.row(begin), (end - begin) * points.cols);
    } else {
      for (std::int64_t i = begin; i < end; ++i) {
        here = std::max(here, largest_of(points.row(i), points.cols));
      }
    }
    if (here > std::numeric_limits<double>::max()) {
      const auto finite = [&](std::int64_t i) {
        return largest_of(points.row(i), points.cols) <= std::numeric_limits<double>::max();
      };
      std::int64_t row = begin;
      while (finite(row)) ++row;
      std::int64_t first = bad.load();
      while (row < first && !bad.compare_exchange_weak(first, row)) {
      }
    }
    double most = largest.load();
    while (here > most && !largest.compare_exchange_weak(most, here)) {
    }
  });
  return {largest.load(), bad.load() < points.rows ? bad.load() : -1};
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, extent_of)

}  // namespace yupana::geometry::cpu
#endif  // HWY_ONCE
