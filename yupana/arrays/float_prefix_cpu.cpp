#include <algorithm>
#include <array>
#include <tuple>

#include "yupana/arrays/prefix_order.hpp"
#include "yupana/arrays/scan_cpu.hpp"
#include "yupana/arrays/scan_ref.hpp"
#include "yupana/core/instantiate.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/arrays/float_prefix_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target:
#include <hwy/cache_control.h>
#include <hwy/highway.h>

// The functions of one type, for one processor.
#ifndef YUPANA_FLOAT_PREFIX_ONCE
#define YUPANA_FLOAT_PREFIX_ONCE
namespace yupana::arrays::cpu {

template <class T>
struct FloatPrefix {
  decltype(&slice_sums<T>) sums;
  decltype(&prefix_tile<T>) tile;
};
using FloatPrefixes = std::tuple<FloatPrefix<float>, FloatPrefix<double>>;

}  // namespace yupana::arrays::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace yupana::arrays::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
template <class T>
void sums_of(const T* in, std::int64_t n, T* sums) {
  constexpr std::int64_t slice = PrefixOrder<T>::slice;
  for (std::int64_t i = 0; i + slice <= n; i += slice)
    sums[i / slice] = reference::slice_sum(in + i);
}
template <class T>
void tile_of(const T* in, std::int64_t n, T before, const T*, T* out, PrefixParams params) {
  reference::scan_tile(in, n, before, out, params.exclusive);
}
#else
namespace hn = hwy::HWY_NAMESPACE;

/// Vectors of 16 bytes stand across registers: lane l of column register j is value j of vector
/// l, so that one addition adds a value to each of `width` vectors.
template <class T>
struct Columns {
  using Order = PrefixOrder<T>;
  using D = hn::CappedTag<T, 32 / sizeof(T)>;
  using V = hn::Vec<D>;
  using Half = hn::Half<D>;
  static constexpr std::size_t width = hn::MaxLanes(D());
  static constexpr std::size_t vector = Order::vector;
  static constexpr std::size_t groups = Order::vectors / width;
  static constexpr bool two_blocks = width > vector;

  /// x[k], block b: vector k + b * vector of the group; transposed, columns of vectors in order.
  static HWY_INLINE V load(const T* from, std::size_t k) {
    const D d;
    if constexpr (two_blocks) {
      const Half half;
      return hn::Combine(
          d, hn::LoadU(half, from + (k + vector) * vector), hn::LoadU(half, from + k * vector));
    } else {
      return hn::LoadU(d, from + k * vector);
    }
  }
  /// Square blocks turned over: columns to vectors and back.
  static HWY_INLINE void transpose(V* x) {
    const D d;
    if constexpr (sizeof(T) == 8) {
      const V lower = hn::InterleaveLower(d, x[0], x[1]);
      x[1] = hn::InterleaveUpper(d, x[0], x[1]);
      x[0] = lower;
    } else {
      const hn::RepartitionToWide<D> wide;
      const auto lower_a = hn::BitCast(wide, hn::InterleaveLower(d, x[0], x[1]));
      const auto upper_a = hn::BitCast(wide, hn::InterleaveUpper(d, x[0], x[1]));
      const auto lower_b = hn::BitCast(wide, hn::InterleaveLower(d, x[2], x[3]));
      const auto upper_b = hn::BitCast(wide, hn::InterleaveUpper(d, x[2], x[3]));
      x[0] = hn::BitCast(d, hn::InterleaveLower(wide, lower_a, lower_b));
      x[1] = hn::BitCast(d, hn::InterleaveUpper(wide, lower_a, lower_b));
      x[2] = hn::BitCast(d, hn::InterleaveLower(wide, upper_a, upper_b));
      x[3] = hn::BitCast(d, hn::InterleaveUpper(wide, upper_a, upper_b));
    }
  }
  /// Lanes of x moved up by `distance`, the last ones of `below` shifted in.
  template <std::size_t distance>
  static HWY_INLINE V move_up(V below, V x) {
    const D d;
    if constexpr (two_blocks) {
      const V middle = hn::ConcatLowerUpper(d, x, below);
      if constexpr (distance == vector) {
        return middle;
      } else {
        return hn::CombineShiftRightBytes<16 - distance * sizeof(T)>(d, x, middle);
      }
    } else {
      return hn::CombineShiftRightBytes<16 - distance * sizeof(T)>(d, x, below);
    }
  }
  template <std::size_t distance>
  static HWY_INLINE void double_once(V* x) {
    if constexpr (distance < width) {
      for (std::size_t g = groups; g-- > 0;) {
        const V below = g > 0 ? x[g - 1] : hn::Set(D(), no_sum<T>);
        x[g] = hn::Add(move_up<distance>(below, x[g]), x[g]);
      }
    } else {
      constexpr std::size_t registers = distance / width;
      for (std::size_t g = groups; g-- > registers;) x[g] = hn::Add(x[g - registers], x[g]);
    }
  }
  /// sum_by_doubling() over the lanes of all groups.
  static HWY_INLINE void sum_by_doubling(V* x) {
    double_once<1>(x);
    double_once<2>(x);
    double_once<4>(x);
    double_once<8>(x);
    double_once<16>(x);
  }
  static HWY_INLINE V last_lane(V x) {
    const D d;
    if constexpr (two_blocks) x = hn::ConcatUpperUpper(d, x, x);
    if constexpr (vector == 2) {
      return hn::InterleaveUpper(d, x, x);
    } else {
      return hn::Broadcast<3>(x);
    }
  }
  template <bool past_cache>
  static HWY_INLINE void store_at(V x, T* to) {
    if constexpr (past_cache) {
      hn::Stream(x, D(), to);
    } else {
      hn::StoreU(x, D(), to);
    }
  }
  /// The reverse of load(), for a group.
  template <bool past_cache>
  static HWY_INLINE void store(const V* x, T* to) {
    const D d;
    if constexpr (two_blocks) {
      for (std::size_t k = 0; k < vector; k += 2) {
        store_at<past_cache>(hn::ConcatLowerLower(d, x[k + 1], x[k]), to + k * vector);
      }
      for (std::size_t k = 0; k < vector; k += 2) {
        store_at<past_cache>(hn::ConcatUpperUpper(d, x[k + 1], x[k]), to + (k + vector) * vector);
      }
    } else {
      for (std::size_t k = 0; k < vector; ++k) store_at<past_cache>(x[k], to + k * vector);
    }
  }

  /// Prefetches the values of a group.
  static HWY_INLINE void fetch(const T* from) {
    for (std::size_t at = 0; at < width * vector; at += 64 / sizeof(T)) hwy::Prefetch(from + at);
  }

  static HWY_INLINE T slice_sum(const T* in) {
    const D d;
    HWY_ALIGN std::array<T, Order::vectors> sums;
    for (std::size_t g = 0; g < groups; ++g) {
      const T* const from = in + g * width * vector;
      V x[vector];
      for (std::size_t k = 0; k < vector; ++k) x[k] = load(from, k);
      for (std::int64_t r = 1; r < Order::rows; ++r) {
        const T* const below = from + r * Order::row;
        for (std::size_t k = 0; k < vector; ++k) x[k] = hn::Add(x[k], load(below, k));
      }
      // The next slice: eight rows at a time are more streams than processors see coming.
      for (std::int64_t r = 0; r < Order::rows; ++r) fetch(from + r * Order::row + Order::slice);
      transpose(x);
      for (std::size_t j = 1; j < vector; ++j) x[0] = hn::Add(x[0], x[j]);
      hn::Store(x[0], d, sums.data() + g * width);
    }
    return sum_by_neighbours(sums);
  }

  /// One row behind `carry`, which becomes what comes before the next.
  template <bool exclusive, bool past_cache>
  static HWY_INLINE void row(const T* in, V& carry, T* out, const T* ahead) {
    V inside[groups][vector], through[groups];
    for (std::size_t g = 0; g < groups; ++g) {
      V* const x = inside[g];
      if constexpr (past_cache) fetch(ahead + g * width * vector);
      for (std::size_t k = 0; k < vector; ++k) x[k] = load(in + g * width * vector, k);
      transpose(x);
      for (std::size_t j = 1; j < vector; ++j) x[j] = hn::Add(x[j - 1], x[j]);
      through[g] = x[vector - 1];
    }
    sum_by_doubling(through);
    for (std::size_t g = 0; g < groups; ++g) {
      const V below = g > 0 ? through[g - 1] : hn::Set(D(), no_sum<T>);
      const V before = hn::Add(carry, move_up<1>(below, through[g]));
      V x[vector];
      for (std::size_t j = 0; j < vector; ++j) {
        if constexpr (exclusive) {
          x[j] = j == 0 ? before : hn::Add(before, inside[g][j - 1]);
        } else {
          x[j] = hn::Add(before, inside[g][j]);
        }
      }
      transpose(x);
      store<past_cache>(x, out + g * width * vector);
    }
    carry = hn::Add(carry, last_lane(through[groups - 1]));
  }

  template <bool exclusive, bool past_cache>
  static HWY_INLINE void slice(const T* in, std::int64_t n, T before, T* out, const T* ahead) {
    V carry = hn::Set(D(), before);
    std::int64_t i = 0;
    for (; i + Order::row <= n; i += Order::row) {
      row<exclusive, past_cache>(in + i, carry, out + i, ahead + i);
    }
    if (i == n) return;
    HWY_ALIGN T rest[Order::row];
    std::fill(std::copy(in + i, in + n, rest), rest + Order::row, no_sum<T>);
    row<exclusive, false>(rest, carry, rest, rest);
    std::copy_n(rest, n - i, out + i);
  }

  template <bool exclusive, bool past_cache>
  static HWY_INLINE void tile(
      const T* in, std::int64_t n, T before, const T* slices, T* out, const T* ahead) {
    std::array<T, Order::slices> through{};
    std::copy_n(slices, std::min(n / Order::slice, Order::slices), through.begin());
    arrays::sum_by_doubling(through);
    for (std::int64_t s = 0; s * Order::slice < n; ++s) {
      const std::int64_t first = s * Order::slice;
      const T carry = s == 0 ? before : before + through[static_cast<std::size_t>(s - 1)];
      slice<exclusive, past_cache>(
          in + first, std::min(Order::slice, n - first), carry, out + first, ahead + first);
    }
    if constexpr (past_cache) hwy::FlushStream();
  }
};

template <class T>
void sums_of(const T* in, std::int64_t n, T* sums) {
  constexpr std::int64_t slice = PrefixOrder<T>::slice;
  for (std::int64_t s = 0; (s + 1) * slice <= n; ++s) {
    sums[s] = Columns<T>::slice_sum(in + s * slice);
  }
}

template <class T>
void tile_of(const T* in, std::int64_t n, T before, const T* slices, T* out, PrefixParams params) {
  using C = Columns<T>;
  const T* const ahead = params.ahead == nullptr ? in : static_cast<const T*>(params.ahead);
  if (params.past_cache) {
    params.exclusive ? C::template tile<true, true>(in, n, before, slices, out, ahead)
                     : C::template tile<false, true>(in, n, before, slices, out, ahead);
  } else {
    params.exclusive ? C::template tile<true, false>(in, n, before, slices, out, ahead)
                     : C::template tile<false, false>(in, n, before, slices, out, ahead);
  }
}
#endif

FloatPrefixes float_prefixes() {
  return {{sums_of<float>, tile_of<float>}, {sums_of<double>, tile_of<double>}};
}

}  // namespace yupana::arrays::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::arrays::cpu {

HWY_EXPORT(float_prefixes);

template <class T>
void slice_sums(const T* in, std::int64_t n, T* sums) {
  std::get<FloatPrefix<T>>(HWY_DYNAMIC_DISPATCH(float_prefixes)()).sums(in, n, sums);
}

template <class T>
void prefix_tile(
    const T* in, std::int64_t n, T before, const T* slices, T* out, PrefixParams params) {
  const FloatPrefixes functions = HWY_DYNAMIC_DISPATCH(float_prefixes)();
  std::get<FloatPrefix<T>>(functions).tile(in, n, before, slices, out, params);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, slice_sums, prefix_tile)

}  // namespace yupana::arrays::cpu
#endif  // HWY_ONCE
