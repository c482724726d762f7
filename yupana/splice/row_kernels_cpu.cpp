#include <algorithm>
#include <cstring>
#include <limits>

#include "yupana/splice/row_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/splice/row_kernels_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yupana::splice::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 16-bit sums stop at the ends of the range: the caller sees to it that the upper end is never
// reached, and that what stops at the lower end could not have won. 32-bit sums have room below.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V add(D, V a, V b) {
  if constexpr (sizeof(hn::TFromD<D>) == 2) {
    return hn::SaturatedAdd(a, b);
  } else {
    return hn::Add(a, b);
  }
}

// Each lane gets the one before it, lane 0 gets `first`.
template <class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE V shift_up(D d, V v, T first) {
  const V zeroth = hn::Set(d, first);
#if HWY_TARGET == HWY_SCALAR
  (void)v;
  return zeroth;
#else
  const auto is_first = hn::FirstN(d, 1);
#if HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  // Blocks of 128 bits move up by one, then bytes across the seams.
  const hn::RebindToUnsigned<hn::Repartition<std::int32_t, D>> d32;
  constexpr std::size_t words = HWY_LANES(std::uint32_t);
  alignas(64) std::int32_t from[words];
  for (std::size_t i = 0; i < words; ++i) from[i] = static_cast<std::int32_t>(i < 4 ? i : i - 4);
  const V below =
      hn::BitCast(d, hn::TableLookupLanes(hn::BitCast(d32, v), hn::SetTableIndices(d32, from)));
  const V moved = hn::CombineShiftRightBytes<16 - sizeof(T)>(d, v, below);
#else
  static_assert(HWY_LANES(T) * sizeof(T) == 16, "one block");
  const V moved = hn::ShiftLeftLanes<1>(d, v);
#endif
  return hn::IfThenElse(is_first, zeroth, moved);
#endif
}

// Each lane gets the largest of the lanes before it.
template <class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE V largest_before(D d, V v) {
  constexpr T least = std::numeric_limits<T>::min();
  V largest = shift_up(d, v, least);
#if HWY_TARGET != HWY_SCALAR
  largest = hn::Max(largest, shift_up(d, largest, least));
  // Steps of whole 32-bit words from here on: two 16-bit lanes, or two 32-bit ones.
  const hn::Repartition<std::int32_t, D> d32;
  constexpr std::size_t words = HWY_LANES(std::int32_t);
  const V none = hn::Set(d, least);
  for (std::size_t step = sizeof(T) == 2 ? 1 : 2; step < words; step *= 2) {
    alignas(64) std::int32_t from[words];
    for (std::size_t i = 0; i < words; ++i) {
      from[i] = static_cast<std::int32_t>(i < step ? i : i - step);
    }
    const V moved = hn::BitCast(
        d, hn::TableLookupLanes(hn::BitCast(d32, largest), hn::SetTableIndices(d32, from)));
    const std::size_t first = step * sizeof(std::int32_t) / sizeof(T);
    largest = hn::Max(largest, hn::IfThenElse(hn::FirstN(d, first), none, moved));
  }
#endif
  return largest;
}

// Gaps of letters that leave one lane for those behind it: being relative to gaps they lose nothing
// on their way. Where no lane's gap beats what starts in a column, none does from there on: what
// starts at that column is at least as good, and was carried along when the row was made.
// True if it ended before the lanes did.
template <bool is_affine, class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE bool carry_once(D d, const RowsTask<T>& task, V carry) {
  const std::int64_t lanes = hn::Lanes(d);
  const V open = hn::Set(d, task.open);
  for (std::int64_t v = 0; v < task.vectors; ++v) {
    const V best = hn::Load(d, task.best + v * lanes);
    const V starts = is_affine ? add(d, best, open) : best;
    if (hn::AllFalse(d, hn::Gt(carry, starts))) return true;
    const V raised = hn::Max(best, carry);
    hn::Store(raised, d, task.best + v * lanes);
    if constexpr (is_affine) {
      T* gap = task.gap + v * lanes;
      hn::Store(hn::Max(hn::Load(d, gap), add(d, raised, open)), d, gap);
    }
  }
  return false;
}

// Most gaps end within the next lane; only where one goes through a lane are all lanes asked.
template <bool is_affine, class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE V carry_gaps(D d, const RowsTask<T>& task, V out) {
  const V next = shift_up(d, out, std::numeric_limits<T>::min());
  if (carry_once<is_affine>(d, task, next)) return out;
  const V carry = largest_before(d, out);
  carry_once<is_affine>(d, task, carry);
  return hn::Max(out, carry);
}

// Column `columns` before the first: the cells of no letter, or the block before.
template <bool is_affine, class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE V one_row(D d, const RowsTask<T>& task, std::int64_t row) {
  constexpr T least = std::numeric_limits<T>::min();
  const std::int64_t lanes = hn::Lanes(d);
  const T* HWY_RESTRICT scores = task.profiles[static_cast<unsigned char>(task.bases[row])];
  T* HWY_RESTRICT above = task.best;
  T* HWY_RESTRICT gaps = task.gap;
  const V open = hn::Set(d, task.open);
  V diagonal = shift_up(d, hn::Load(d, above + (task.vectors - 1) * lanes), task.left[row]);
  V letters =
      hn::IfThenElse(hn::FirstN(d, 1), hn::Set(d, task.left_gap[row + 1]), hn::Set(d, least));
  for (std::int64_t v = 0; v < task.vectors; ++v) {
    const V up = hn::Load(d, above + v * lanes);
    const V pair = add(d, diagonal, hn::Load(d, scores + v * lanes));
    diagonal = up;
    if constexpr (is_affine) {
      const V bases = hn::Load(d, gaps + v * lanes);
      const V best = hn::Max(hn::Max(pair, bases), letters);
      const V starts = add(d, best, open);
      hn::Store(best, d, above + v * lanes);
      hn::Store(hn::Max(bases, starts), d, gaps + v * lanes);
      letters = hn::Max(letters, starts);
    } else {
      letters = hn::Max(hn::Max(pair, up), letters);
      hn::Store(letters, d, above + v * lanes);
    }
  }
  return carry_gaps<is_affine>(d, task, letters);
}

template <class T, bool is_affine>
void rows(const RowsTask<T>& task) {
  const hn::ScalableTag<T> d;
  const std::int64_t lanes = hn::Lanes(d);
  if (task.vectors == 0) return;
  const std::int64_t stride = task.vectors * lanes;
  // Row 0 is read before `right`, which may be the same memory, is written.
  T corner = task.best[stride - 1];
  for (std::int64_t row = 0; row < task.rows; ++row) {
    const auto out = one_row<is_affine>(d, task, row);
    if (task.right != nullptr) {
      task.right[row] = corner;
      corner = task.best[stride - 1];
      task.right_gap[row + 1] = hn::GetLane(hn::Reverse(d, out));
    }
    if (task.save_best != nullptr) {
      std::memcpy(task.save_best + row * stride, task.best, stride * sizeof(T));
      if (is_affine) std::memcpy(task.save_gap + row * stride, task.gap, stride * sizeof(T));
    }
  }
  if (task.right != nullptr) task.right[task.rows] = corner;
}

template <class T>
void merge(std::int64_t count,
           T* to,
           T* low,
           T* high,
           const T* from,
           T added,
           T winner_low,
           T winner_high) {
  const hn::ScalableTag<T> d;
  const std::int64_t lanes = hn::Lanes(d);
  const auto more = hn::Set(d, added);
  for (std::int64_t c = 0; c < count; c += lanes) {
    const auto old = hn::Load(d, to + c);
    const auto sum = add(d, hn::Load(d, from + c), more);
    if (low != nullptr) {
      const auto grew = hn::Gt(sum, old);
      if (hn::AllFalse(d, grew)) continue;
      hn::Store(hn::IfThenElse(grew, hn::Set(d, winner_low), hn::Load(d, low + c)), d, low + c);
      hn::Store(hn::IfThenElse(grew, hn::Set(d, winner_high), hn::Load(d, high + c)), d, high + c);
    }
    hn::Store(hn::Max(old, sum), d, to + c);
  }
}

template <class T>
void absorb(std::int64_t count,
            T* to,
            T* low,
            T* high,
            const T* from,
            const T* from_low,
            const T* from_high) {
  const hn::ScalableTag<T> d;
  const std::int64_t lanes = hn::Lanes(d);
  for (std::int64_t c = 0; c < count; c += lanes) {
    const auto old = hn::Load(d, to + c);
    const auto other = hn::Load(d, from + c);
    if (low != nullptr) {
      const auto grew = hn::Gt(other, old);
      if (hn::AllFalse(d, grew)) continue;
      const auto l = hn::IfThenElse(grew, hn::Load(d, from_low + c), hn::Load(d, low + c));
      const auto h = hn::IfThenElse(grew, hn::Load(d, from_high + c), hn::Load(d, high + c));
      hn::Store(l, d, low + c);
      hn::Store(h, d, high + c);
    }
    hn::Store(hn::Max(old, other), d, to + c);
  }
}

template <class T>
bool enter(std::int64_t count, T* out, const T* from, T added, T least, const T* room) {
  const hn::ScalableTag<T> d;
  const std::int64_t lanes = hn::Lanes(d);
  const auto more = hn::Set(d, added);
  const auto floor = hn::Set(d, least);
  const auto full = hn::Set(d, static_cast<T>(std::numeric_limits<T>::max() / 2));
  auto highest = floor;
  for (std::int64_t c = 0; c < count; c += lanes) {
    const auto source = hn::Load(d, from + c);
    const auto value = hn::Max(add(d, source, more), floor);
    hn::Store(value, d, out + c);
    // Half of the room, twice: both are less than T holds where their sum is not. In 16 bits the
    // sum stops at the upper end; 32-bit values have half of the range free.
    const auto half = hn::Load(d, room + c);
    highest = hn::Max(highest, add(d, add(d, hn::Max(value, source), half), half));
  }
  if constexpr (sizeof(T) == 2) {
    const auto end = hn::Set(d, std::numeric_limits<T>::max());
    return !hn::AllFalse(d, hn::Eq(highest, end));
  } else {
    return !hn::AllFalse(d, hn::Gt(highest, full));
  }
}

template <class T>
T largest_sum(std::int64_t count, const T* a, const T* b) {
  const hn::ScalableTag<T> d;
  const std::int64_t lanes = hn::Lanes(d);
  auto largest = hn::Set(d, std::numeric_limits<T>::min());
  for (std::int64_t c = 0; c < count; c += lanes) {
    largest = hn::Max(largest, add(d, hn::Load(d, a + c), hn::Load(d, b + c)));
  }
  alignas(64) T each[HWY_LANES(T)];
  hn::Store(largest, d, each);
  return *std::max_element(each, each + lanes);
}

// Keeps the compiler from knowing a value, so that a loop of constants is not folded away.
template <class V>
HWY_INLINE void forget(V& v) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  asm volatile("" : "+m"(v));
#elif HWY_ARCH_X86
  asm volatile("" : "+v"(v.raw));
#else
  asm volatile("" : "+w"(v.raw));
#endif
}

template <class T>
T register_loop(std::int64_t steps, std::int64_t& cells) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int chains = 6;
  V value[chains], other = hn::Set(d, T{1});
#pragma GCC unroll 8
  for (int c = 0; c < chains; ++c) value[c] = hn::Set(d, static_cast<T>(c));
  for (std::int64_t step = 0; step < steps; ++step) {
    forget(other);
#pragma GCC unroll 8
    for (int c = 0; c < chains; ++c) {
      value[c] = hn::Max(hn::Max(add(d, value[c], other), other), value[c]);
      forget(value[c]);
    }
  }
  cells = steps * chains * static_cast<std::int64_t>(HWY_LANES(T));
  V all = value[0];
#pragma GCC unroll 8
  for (int c = 1; c < chains; ++c) all = hn::Max(all, value[c]);
  return hn::GetLane(all);
}

template <class T>
RowKernels<T> kernels_of() {
  return {static_cast<std::int64_t>(HWY_LANES(T)),
          &rows<T, false>,
          &rows<T, true>,
          &merge<T>,
          &absorb<T>,
          &enter<T>,
          &largest_sum<T>,
          &register_loop<T>};
}

const KernelTable* table() {
  static const KernelTable all = {kernels_of<std::int16_t>(), kernels_of<std::int32_t>()};
  return &all;
}

}  // namespace yupana::splice::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::splice::cpu {

HWY_EXPORT(table);

const KernelTable& kernel_table() { return *HWY_DYNAMIC_DISPATCH(table)(); }

}  // namespace yupana::splice::cpu
#endif
