#include <algorithm>
#include <array>
#include <bit>

#include "yupana/forest/scan.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/forest/scan_cpu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace yupana::forest::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Of each byte, how many of its bits 0..lane are set.
inline const double* prefix_counts() {
  static const std::array<double, 256 * 8> table = [] {
    std::array<double, 256 * 8> counts{};
    for (unsigned byte = 0; byte < 256; ++byte) {
      for (unsigned lane = 0; lane < 8; ++lane) {
        counts[byte * 8 + lane] = std::popcount(byte & ((2u << lane) - 1));
      }
    }
    return counts;
  }();
  return table.data();
}

/// Splits after entries [begin, end), a multiple of the vector's lanes; `ones` before them.
double best_in_vectors(const std::uint32_t* keys,
                       std::int64_t begin,
                       std::int64_t end,
                       double rows,
                       double all_ones,
                       double before_rows,
                       std::int64_t ones) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<std::uint64_t, decltype(d)> wide;
  const hn::Rebind<std::uint32_t, decltype(d)> narrow;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const double* table = prefix_counts();
  const auto n = hn::Set(d, rows);
  const auto t1 = hn::Set(d, all_ones);
  const auto none = hn::Set(d, -1.0);
  auto nl = hn::Add(hn::Iota(d, 1.0), hn::Set(d, before_rows + static_cast<double>(begin)));
  const auto step = hn::Set(d, static_cast<double>(lanes));
  auto best = none;
  for (std::int64_t i = begin; i < end; i += lanes) {
    const auto key = hn::LoadU(narrow, keys + i);
    const auto next = hn::LoadU(narrow, keys + i + 1);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(narrow, hn::TestBit(key, hn::Set(narrow, 1u)), bits);
    const auto l1 =
        hn::Add(hn::LoadU(d, table + bits[0] * 8), hn::Set(d, static_cast<double>(ones)));
    ones += std::popcount(bits[0]);
    const auto difference = hn::MulSub(l1, n, hn::Mul(nl, t1));
    const auto score = hn::Div(hn::Mul(difference, difference), hn::Mul(nl, hn::Sub(n, nl)));
    const auto changed = hn::PromoteTo(wide, hn::ShiftRight<1>(hn::Xor(key, next)));
    const auto is_split = hn::RebindMask(d, hn::Ne(changed, hn::Zero(wide)));
    best = hn::Max(best, hn::IfThenElse(is_split, score, none));
    nl = hn::Add(nl, step);
  }
  return hn::GetLane(hn::MaxOfLanes(d, best));
}

std::int64_t vector_lanes() {
  return static_cast<std::int64_t>(hn::Lanes(hn::CappedTag<double, 8>()));
}

}  // namespace yupana::forest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::forest::cpu {

HWY_EXPORT(best_in_vectors);
HWY_EXPORT(vector_lanes);

double best_of_two_classes(const NodeRange& range,
                           std::int64_t rows,
                           std::int64_t ones,
                           std::int64_t before_rows,
                           std::int64_t before_ones) {
  const std::uint32_t* keys = range.keys;
  const std::int64_t missing = range.all - range.known;
  std::int64_t l1 = before_ones;
  double best = -1;
  const auto score_at = [&](std::int64_t i) {
    const std::int64_t nl = before_rows + i + 1;
    const double d = static_cast<double>(l1 * rows - nl * ones);
    return d * d / (static_cast<double>(nl) * static_cast<double>(rows - nl));
  };
  // Splits after entries [first, last).
  const std::int64_t first = std::max<std::int64_t>(0, range.least.rows - before_rows - 1);
  const std::int64_t last = std::min(range.known - 1, range.all - range.least.rows - before_rows);
  for (std::int64_t i = 0; i < std::min(first, last); ++i) l1 += keys[i] & 1;
  std::int64_t i = first;
  const std::int64_t lanes = HWY_DYNAMIC_DISPATCH(vector_lanes)();
  if (last - first >= 2 * lanes) {
    const std::int64_t end = first + (last - first) / lanes * lanes;
    best = HWY_DYNAMIC_DISPATCH(best_in_vectors)(keys,
                                                 first,
                                                 end,
                                                 static_cast<double>(rows),
                                                 static_cast<double>(ones),
                                                 static_cast<double>(before_rows),
                                                 l1);
    for (; i < end; ++i) l1 += keys[i] & 1;
  }
  for (; i < last; ++i) {
    l1 += keys[i] & 1;
    if (range.changes_after(i)) best = std::max(best, score_at(i));
  }
  // All known values left, the missing ones right.
  if (before_rows == 0 && missing > 0 &&
      range.known >= std::max<std::int64_t>(1, range.least.rows) && missing >= range.least.rows) {
    l1 = 0;
    for (std::int64_t j = 0; j < range.known; ++j) l1 += keys[j] & 1;
    best = std::max(best, score_at(range.known - 1));
  }
  return best;
}

}  // namespace yupana::forest::cpu
#endif
