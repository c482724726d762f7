#include <algorithm>
#include <tuple>

#include "yupana/forest/parted_keys.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/forest/parted_keys_cpu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace yupana::forest::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Keys = hn::CappedTag<std::uint16_t, 32>;

/// How many keys are `pair` and how many `pair` + 1.
template <class K>
std::pair<std::int64_t, std::int64_t> count_in_vectors(const K* keys,
                                                       std::int64_t count,
                                                       std::uint32_t pair) {
  const hn::CappedTag<K, 32> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t end = count / lanes * lanes;
  const auto last = hn::FirstN(d, static_cast<std::size_t>(count - end));
  const auto zero = hn::Set(d, static_cast<K>(pair));
  const auto one = hn::Set(d, static_cast<K>(pair + 1));
  std::size_t zeros = 0, ones = 0;
  for (std::int64_t i = 0; i < end; i += lanes) {
    const auto key = hn::LoadU(d, keys + i);
    zeros += hn::CountTrue(d, hn::Eq(key, zero));
    ones += hn::CountTrue(d, hn::Eq(key, one));
  }
  if (end < count) {
    const auto key = hn::LoadU(d, keys + end);
    zeros += hn::CountTrue(d, hn::And(last, hn::Eq(key, zero)));
    ones += hn::CountTrue(d, hn::And(last, hn::Eq(key, one)));
  }
  return {static_cast<std::int64_t>(zeros), static_cast<std::int64_t>(ones)};
}

/// Highway's tables hold plain functions: this one has those of either size.
auto pair_counts() {
  return std::make_tuple(count_in_vectors<std::uint16_t>, count_in_vectors<std::uint32_t>);
}

/// Whether keys are in neither range.
PartedKeys::Marked mark_left(const std::uint16_t* keys,
                             std::int64_t count,
                             const RightKeys& right,
                             std::uint16_t* to) {
  const Keys d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto all = [&](std::uint32_t x) { return hn::Set(d, static_cast<std::uint16_t>(x)); };
  const auto first = all(right.first), size = all(right.size);
  const auto also_first = all(right.also_first), also_size = all(right.also_size);
  const auto lowest = hn::Set(d, std::uint16_t{1});
  std::size_t left = 0, odd = 0;
  for (std::int64_t i = 0; i < count; i += lanes) {
    const auto key = hn::LoadU(d, keys + i);
    const auto is_right =
        hn::Or(hn::Lt(hn::Sub(key, first), size), hn::Lt(hn::Sub(key, also_first), also_size));
    const auto rest = static_cast<std::size_t>(std::min(lanes, count - i));
    const auto is_left = hn::AndNot(is_right, hn::FirstN(d, rest));
    left += hn::CountTrue(d, is_left);
    odd += hn::CountTrue(d, hn::And(is_left, hn::TestBit(key, lowest)));
    hn::StoreU(hn::VecFromMask(d, is_left), d, to + i);
  }
  return {static_cast<std::int64_t>(left), static_cast<std::int64_t>(odd)};
}

/// A vector is read before others are written over it. Compressed in registers: some processors
/// take hundreds of cycles to compress into memory.
void part_column(std::uint16_t* keys,
                 std::int64_t count,
                 const std::uint16_t* left,
                 std::uint16_t* right) {
  const Keys d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::size_t left_count = 0, right_count = 0;
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto key = hn::LoadU(d, keys + i);
    const auto is_left = hn::MaskFromVec(hn::LoadU(d, left + i));
    const std::size_t own = hn::CountTrue(d, is_left);
    hn::StoreU(hn::Compress(key, is_left), d, keys + left_count);
    hn::StoreU(hn::CompressNot(key, is_left), d, right + right_count);
    left_count += own;
    right_count += static_cast<std::size_t>(lanes) - own;
  }
  if (i < count) {
    const auto key = hn::LoadU(d, keys + i);
    const auto rest = hn::FirstN(d, static_cast<std::size_t>(count - i));
    const auto is_left = hn::And(rest, hn::MaskFromVec(hn::LoadU(d, left + i)));
    const std::size_t own = hn::CountTrue(d, is_left);
    hn::BlendedStore(hn::Compress(key, is_left), hn::FirstN(d, own), d, keys + left_count);
    hn::StoreU(hn::CompressNot(key, is_left), d, right + right_count);
    left_count += own;
    right_count += static_cast<std::size_t>(count - i) - own;
  }
  for (std::size_t j = 0; j < right_count; j += static_cast<std::size_t>(lanes)) {
    const auto rest = hn::FirstN(d, right_count - j);
    hn::BlendedStore(hn::LoadU(d, right + j), rest, d, keys + left_count + j);
  }
}

void part_columns(std::uint16_t* keys,
                  std::int64_t stride,
                  std::int64_t columns,
                  std::int64_t count,
                  const std::uint16_t* left,
                  std::uint16_t* right) {
  for (std::int64_t f = 0; f < columns; ++f) part_column(keys + f * stride, count, left, right);
}

}  // namespace yupana::forest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::forest {

HWY_EXPORT(pair_counts);
HWY_EXPORT(mark_left);
HWY_EXPORT(part_columns);

template <class K>
std::pair<std::int64_t, std::int64_t> cpu::count_pair(const K* keys,
                                                      std::int64_t count,
                                                      std::uint32_t pair) {
  return std::get<decltype(&cpu::count_pair<K>)>(HWY_DYNAMIC_DISPATCH(pair_counts)())(
      keys, count, pair);
}
template std::pair<std::int64_t, std::int64_t> cpu::count_pair(const std::uint16_t*,
                                                               std::int64_t,
                                                               std::uint32_t);
template std::pair<std::int64_t, std::int64_t> cpu::count_pair(const std::uint32_t*,
                                                               std::int64_t,
                                                               std::uint32_t);

PartedKeys::Marked PartedKeys::mark(std::int64_t column,
                                    std::int64_t begin,
                                    std::int64_t count,
                                    const RightKeys& right) {
  const std::uint16_t* const keys = this->column(column) + begin;
  return HWY_DYNAMIC_DISPATCH(mark_left)(keys, count, right, left_.data());
}

PartedKeys::Marked PartedKeys::mark(std::int64_t column,
                                    std::int64_t begin,
                                    std::int64_t count,
                                    int class_bits,
                                    const std::vector<std::uint8_t>& is_left) {
  const std::uint16_t* const keys = this->column(column) + begin;
  Marked left{0, 0};
  for (std::int64_t i = 0; i < count; ++i) {
    const bool goes_left = is_left[keys[i] >> class_bits] != 0;
    left_[i] = static_cast<std::uint16_t>(goes_left ? ~0 : 0);  // as vectors have it
    left.rows += goes_left ? 1 : 0;
    left.odd += goes_left ? keys[i] & 1 : 0;
  }
  return left;
}

void PartedKeys::part(std::int64_t begin, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(part_columns)
  (keys_.data() + begin, stride_, features_, count, left_.data(), right_.data());
}

}  // namespace yupana::forest
#endif
