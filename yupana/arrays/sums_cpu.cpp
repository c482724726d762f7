#include <tuple>
#include <type_traits>

#include "yupana/arrays/sums.hpp"
#include "yupana/core/instantiate.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/arrays/sums_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target:
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yupana::arrays::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
namespace hn = hwy::HWY_NAMESPACE;

/// The additions of narrow_prefix_sums, its four vectors of 16 bytes in one of 64: 12 instructions
/// for 64 bytes in place of about 50.
template <class T>
class WidePrefix {
 public:
  using D = hn::FixedTag<T, 64 / sizeof(T)>;
  using V = hn::Vec<D>;
  static constexpr int lanes = 64 / sizeof(T);
  static constexpr int block = 16 / sizeof(T);  // lanes of 16 bytes

  WidePrefix() {
    HWY_ALIGN Index from_odd[lanes], from_half[lanes], up[lanes];
    for (int i = 0; i < lanes; ++i) {
      from_odd[i] = static_cast<Index>(i / block * block - (i >= block ? 1 : 0));
      from_half[i] = static_cast<Index>(2 * block - 1);
      up[i] = static_cast<Index>(i == 0 ? 0 : i - 1);
    }
    from_odd_ = hn::SetTableIndices(d_, from_odd);
    from_half_ = hn::SetTableIndices(d_, from_half);
    up_ = hn::SetTableIndices(d_, up);
    HWY_ALIGN Index last[lanes];
    for (int i = 0; i < lanes; ++i) last[i] = lanes - 1;
    last_ = hn::SetTableIndices(d_, last);
    const auto count = [&](int n) HWY_ATTR { return hn::FirstN(d_, static_cast<size_t>(n)); };
    odd_blocks_ = hn::Or(hn::AndNot(count(block), count(2 * block)), hn::Not(count(3 * block)));
    second_half_ = hn::Not(count(2 * block));
  }

  template <bool exclusive, bool past_cache>
  std::int64_t run(const T* in, std::int64_t n, T& start, T* out, const T* ahead) const {
    V carry = hn::Set(d_, start);
    const auto first = hn::FirstN(d_, 1);
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      if constexpr (past_cache) __builtin_prefetch(ahead + i, 0, 2);
      V v = hn::LoadU(d_, in + i);
      v = hn::Add(v, hn::ShiftLeftLanes<1>(d_, v));
      if constexpr (sizeof(T) == 4) v = hn::Add(v, hn::ShiftLeftLanes<2>(d_, v));
      v = hn::IfThenElse(odd_blocks_, hn::Add(v, hn::TableLookupLanes(v, from_odd_)), v);
      v = hn::IfThenElse(second_half_, hn::Add(v, hn::TableLookupLanes(v, from_half_)), v);
      const V next = hn::Add(carry, hn::TableLookupLanes(v, last_));
      v = hn::Add(carry, v);
      if constexpr (exclusive) v = hn::IfThenElse(first, carry, hn::TableLookupLanes(v, up_));
      if constexpr (past_cache) {
        hn::Stream(v, d_, out + i);
      } else {
        hn::StoreU(v, d_, out + i);
      }
      carry = next;
    }
    if constexpr (past_cache) hwy::FlushStream();
    start = hn::GetLane(carry);
    return i;
  }

 private:
  using Index = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  using Indices = decltype(hn::SetTableIndices(D(), static_cast<const Index*>(nullptr)));
  D d_;
  Indices from_odd_, from_half_, up_, last_;
  hn::Mask<D> odd_blocks_, second_half_;
};

template <class T>
void prefix_of(const T* in, std::int64_t n, T carry, T* out, PrefixParams params) {
  const WidePrefix<T> wide;
  std::int64_t done = 0;
  const T* const ahead = params.ahead == nullptr ? in : static_cast<const T*>(params.ahead);
  if (params.past_cache) {
    done = params.exclusive ? wide.template run<true, true>(in, n, carry, out, ahead)
                            : wide.template run<false, true>(in, n, carry, out, ahead);
  } else {
    done = params.exclusive ? wide.template run<true, false>(in, n, carry, out, ahead)
                            : wide.template run<false, false>(in, n, carry, out, ahead);
  }
  narrow_prefix_sums(in + done, n - done, carry, out + done, {.exclusive = params.exclusive});
}
#else
template <class T>
void prefix_of(const T* in, std::int64_t n, T carry, T* out, PrefixParams params) {
  narrow_prefix_sums(in, n, carry, out, params);
}
#endif

PrefixFunctions all_prefix_sums() { return {prefix_of<std::uint32_t>, prefix_of<std::uint64_t>}; }

}  // namespace yupana::arrays::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::arrays::cpu {

HWY_EXPORT(all_prefix_sums);

template <class T>
void prefix_sums(const T* in, std::int64_t n, T carry, T* out, PrefixParams params) {
  const PrefixFunctions functions = HWY_DYNAMIC_DISPATCH(all_prefix_sums)();
  std::get<PrefixFunction<T>>(functions)(in, n, carry, out, params);
}

YUPANA_FUNCTIONS(YUPANA_PREFIXED, prefix_sums)

}  // namespace yupana::arrays::cpu
#endif  // HWY_ONCE
