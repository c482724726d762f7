// The pass of neighbour joining over a row of distances, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/analysis/neighbor_joining_rows_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "yupana/analysis/neighbor_joining_backends.hpp"

HWY_BEFORE_NAMESPACE();
namespace yupana::analysis::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Doubles = hn::ScalableTag<double>;
using Vector = hn::Vec<Doubles>;

struct Minima {
  Vector criterion, key;
};

HWY_INLINE void take(Minima& least,
                     const double* row,
                     const double* sums,
                     const double* known,
                     Vector others,
                     Vector sum) {
  const Doubles d;
  const auto cells = hn::LoadU(d, row);
  const auto q = hn::Sub(hn::Mul(others, cells), hn::Add(sum, hn::LoadU(d, sums)));
  least.criterion = hn::Min(least.criterion, q);
  least.key = hn::Min(least.key, hn::Sub(cells, hn::LoadU(d, known)));
}

cpu::RowMinima minima_of_row(const double* row,
                             const double* sums,
                             const double* known,
                             std::int64_t count,
                             double others,
                             double sum) {
  const Doubles d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto none = hn::Set(d, std::numeric_limits<double>::infinity());
  const auto all_others = hn::Set(d, others), all_sums = hn::Set(d, sum);
  Minima even{none, none}, odd{none, none};
  std::int64_t j = 0;
  for (; j + 2 * lanes <= count; j += 2 * lanes) {
    take(even, row + j, sums + j, known + j, all_others, all_sums);
    const std::int64_t k = j + lanes;
    take(odd, row + k, sums + k, known + k, all_others, all_sums);
  }
  const auto q = hn::Min(even.criterion, odd.criterion), key = hn::Min(even.key, odd.key);
  cpu::RowMinima least{hn::GetLane(hn::MinOfLanes(d, q)), hn::GetLane(hn::MinOfLanes(d, key))};
  for (; j < count; ++j) {
    least.criterion = std::min(least.criterion, criterion(others, row[j], sum, sums[j]));
    least.key = std::min(least.key, row[j] - known[j]);
  }
  return least;
}

}  // namespace yupana::analysis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::analysis {
HWY_EXPORT(minima_of_row);

cpu::RowMinima cpu::row_minima(const double* row,
                               const double* sums,
                               const double* known,
                               std::int64_t count,
                               double others,
                               double sum) {
  return HWY_DYNAMIC_DISPATCH(minima_of_row)(row, sums, known, count, others, sum);
}

}  // namespace yupana::analysis
#endif  // HWY_ONCE
