#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "yupana/arrays/split_vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/arrays/split_vectors_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yupana::arrays::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors are arguments, never members: those of some processors have no size known to the
// compiler.

template <class D, class V>
HWY_INLINE V fold_negative(D d, V word, V fold) {
  const hn::RebindToSigned<D> s;
  return hn::Xor(word, hn::And(hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(s, word))), fold));
}

template <bool forth, class U>
void recode(U* words, std::int64_t n, const KeyCode<U>& code) {
  const hn::ScalableTag<U> d;
  const auto fold = hn::Set(d, code.fold);
  const auto flip = hn::Set(d, code.flip);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto word = hn::LoadU(d, words + i);
    hn::StoreU(forth ? hn::Xor(fold_negative(d, word, fold), flip)
                     : fold_negative(d, hn::Xor(word, flip), fold),
               d,
               words + i);
  }
  for (; i < n; ++i) words[i] = forth ? code.encode(words[i]) : code.decode(words[i]);
}

template <bool encodes, class D, class U, class V>
HWY_INLINE V load(D d, const U* from, V fold, V flip) {
  const V word = hn::LoadU(d, from);
  return encodes ? hn::Xor(fold_negative(d, word, fold), flip) : word;
}

/// Lesser words grow from the front, greater ones from the back, in the room of four vectors that
/// were read ahead at either end.
template <class U>
struct Ends {
  U* front;
  U* back;

  /// Whole vectors: what is too much lies in the room between the ends.
  template <class D, class V>
  HWY_INLINE void put(D d, V v, V pivot) {
    const auto goes_right = hn::Gt(v, pivot);
    const std::size_t lanes = hn::Lanes(d);
    const std::size_t right = hn::CountTrue(d, goes_right);
    if constexpr (hn::CompressIsPartition<U>::value) {
      const V left_first = hn::Compress(v, hn::Not(goes_right));
      hn::StoreU(left_first, d, front);
      hn::StoreU(left_first, d, back - lanes);
    } else {
      hn::CompressBlendedStore(v, hn::Not(goes_right), d, front);
      hn::CompressBlendedStore(v, goes_right, d, back - right);
    }
    front += lanes - right;
    back -= right;
  }
  template <class D, class V>
  HWY_INLINE void put_exactly(D d, V v, V pivot) {
    const auto goes_right = hn::Gt(v, pivot);
    const std::size_t right = hn::CountTrue(d, goes_right);
    const std::size_t left = hn::Lanes(d) - right;
    hn::BlendedStore(hn::Compress(v, hn::Not(goes_right)), hn::FirstN(d, left), d, front);
    front += left;
    back -= right;
    hn::BlendedStore(hn::Compress(v, goes_right), hn::FirstN(d, right), d, back);
  }
};

/// The splitting of a multiple of 4 vectors, at least 8; returns how many words are at most pivot.
template <bool encodes, class D, class U = hn::TFromD<D>>
std::int64_t split_vectors(D d, U* words, std::int64_t n, U at, const KeyCode<U>& code) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto pivot = hn::Set(d, at);
  const auto fold = hn::Set(d, code.fold);
  const auto flip = hn::Set(d, code.flip);
  Ends<U> ends{words, words + n};
  const U* left = words + 4 * lanes;
  const U* right = words + n - 4 * lanes;
  const auto l0 = load<encodes>(d, words, fold, flip);
  const auto l1 = load<encodes>(d, words + lanes, fold, flip);
  const auto l2 = load<encodes>(d, words + 2 * lanes, fold, flip);
  const auto l3 = load<encodes>(d, words + 3 * lanes, fold, flip);
  const auto r0 = load<encodes>(d, right, fold, flip);
  const auto r1 = load<encodes>(d, right + lanes, fold, flip);
  const auto r2 = load<encodes>(d, right + 2 * lanes, fold, flip);
  const auto r3 = load<encodes>(d, right + 3 * lanes, fold, flip);
  while (left != right) {
    // Read at the end with less room, so that neither runs out of it.
    const bool at_left = left - ends.front < ends.back - right;
    right -= at_left ? 0 : 4 * lanes;
    const U* const from = at_left ? left : right;
    left += at_left ? 4 * lanes : 0;
    const auto a = load<encodes>(d, from, fold, flip);
    const auto b = load<encodes>(d, from + lanes, fold, flip);
    const auto c = load<encodes>(d, from + 2 * lanes, fold, flip);
    const auto e = load<encodes>(d, from + 3 * lanes, fold, flip);
    ends.put(d, a, pivot);
    ends.put(d, b, pivot);
    ends.put(d, c, pivot);
    ends.put(d, e, pivot);
  }
  ends.put_exactly(d, l0, pivot);
  ends.put_exactly(d, l1, pivot);
  ends.put_exactly(d, l2, pivot);
  ends.put_exactly(d, l3, pivot);
  ends.put_exactly(d, r0, pivot);
  ends.put_exactly(d, r1, pivot);
  ends.put_exactly(d, r2, pivot);
  ends.put_exactly(d, r3, pivot);
  return ends.front - words;
}

template <bool encodes, class U>
std::int64_t split_all(U* words, std::int64_t n, U pivot, const KeyCode<U>& code) {
  const hn::ScalableTag<U> d;
  const auto chunk = 4 * static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t done = n < 2 * chunk ? 0 : n - n % chunk;
  std::int64_t lower = done > 0 ? split_vectors<encodes>(d, words, done, pivot, code) : 0;
  for (; done < n; ++done) {
    const U word = encodes ? code.encode(words[done]) : words[done];
    words[done] = words[lower];
    words[lower] = word;
    lower += word <= pivot ? 1 : 0;
  }
  return lower;
}
template <class U>
std::int64_t split(U* words, std::int64_t n, U pivot, const KeyCode<U>* code) {
  return code != nullptr ? split_all<true>(words, n, pivot, *code)
                         : split_all<false>(words, n, pivot, KeyCode<U>{});
}

template <class U>
bool are_equal(const U* words, std::int64_t n, U word) {
  constexpr std::int64_t stretch = 4096;  // words between two looks at the result
  const hn::ScalableTag<U> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto all = hn::Set(d, word);
  std::int64_t i = 0;
  while (i + lanes <= n) {
    auto differ = hn::Zero(d);
    const std::int64_t end = std::min(i + stretch, n);
    for (; i + lanes <= end; i += lanes) {
      differ = hn::Or(differ, hn::Xor(hn::LoadU(d, words + i), all));
    }
    if (!hn::AllTrue(d, hn::Eq(differ, hn::Zero(d)))) return false;
  }
  return std::all_of(words + i, words + n, [word](U w) { return w == word; });
}

/// Counts of lanes, one more where the mask is true.
template <class D, class V, class M>
HWY_INLINE V count_true(D d, V counts, M mask) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return hn::IfThenElse(mask, hn::Add(counts, hn::Set(d, hn::TFromD<D>{1})), counts);
#else
  return hn::Sub(counts, hn::VecFromMask(d, mask));
#endif
}
template <class D, class V, class M>
HWY_INLINE void count_equal(D d, V word, V value, V& counts, M& known) {
  const auto equal = hn::Eq(word, value);
  counts = count_true(d, counts, equal);
  known = hn::Or(known, equal);
}
/// counts[v] += how often values[v] occurs, v < count <= 4; returns how many other words there are.
template <std::size_t count, class U>
std::int64_t count_some(U* words, std::int64_t n, const U* values, std::int64_t* counts) {
  const hn::ScalableTag<U> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto a = hn::Set(d, values[0]), b = hn::Set(d, values[count > 1 ? 1 : 0]);
  const auto c = hn::Set(d, values[count > 2 ? 2 : 0]), e = hn::Set(d, values[count - 1]);
  auto of_a = hn::Zero(d), of_b = hn::Zero(d), of_c = hn::Zero(d), of_e = hn::Zero(d);
  std::int64_t i = 0, left = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto word = hn::LoadU(d, words + i);
    auto known = hn::Eq(word, a);
    of_a = count_true(d, of_a, known);
    if constexpr (count > 1) count_equal(d, word, b, of_b, known);
    if constexpr (count > 2) count_equal(d, word, c, of_c, known);
    if constexpr (count > 3) count_equal(d, word, e, of_e, known);
    if (hn::AllTrue(d, known)) continue;
    const auto other = hn::Not(known);
    hn::StoreU(hn::Compress(word, other), d, words + left);
    left += static_cast<std::int64_t>(hn::CountTrue(d, other));
  }
  const auto put = [&](std::size_t v, auto of_lanes) HWY_ATTR {
    counts[v] += static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, of_lanes)));
  };
  put(0, of_a);
  if constexpr (count > 1) put(1, of_b);
  if constexpr (count > 2) put(2, of_c);
  if constexpr (count > 3) put(3, of_e);
  for (; i < n; ++i) {
    const auto v = static_cast<std::size_t>(std::find(values, values + count, words[i]) - values);
    if (v < count) ++counts[v];
    if (v == count) words[left++] = words[i];
  }
  return left;
}
template <class U>
std::int64_t count_known(
    U* words, std::int64_t n, const U* values, std::size_t count, std::int64_t* counts) {
  if (count == 1) return count_some<1>(words, n, values, counts);
  if (count == 2) return count_some<2>(words, n, values, counts);
  if (count == 3) return count_some<3>(words, n, values, counts);
  return count_some<4>(words, n, values, counts);
}

template <class F>
bool any_odd(const F* keys, std::int64_t n) {
  const hn::ScalableTag<UnsignedOf<sizeof(F)>> d;
  using U = hn::TFromD<decltype(d)>;
  constexpr U sign = U{1} << (8 * sizeof(F) - 1);
  // Twice the bits of infinity, without the sign: NaNs are above.
  const U infinity = std::bit_cast<U>(std::numeric_limits<F>::infinity()) << 1;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* const words = reinterpret_cast<const U*>(keys);
  std::int64_t i = 0;
  auto odd = hn::FirstN(d, 0);
  for (; i + lanes <= n; i += lanes) {
    const auto word = hn::LoadU(d, words + i);
    odd = hn::Or(odd, hn::Eq(word, hn::Set(d, sign)));
    odd = hn::Or(odd, hn::Gt(hn::Add(word, word), hn::Set(d, infinity)));
  }
  bool any = !hn::AllFalse(d, odd);
  for (; i < n; ++i) any |= (keys[i] != keys[i]) || (keys[i] == 0 && std::signbit(keys[i]));
  return any;
}

template <class U>
VectorKernels<U> kernels_of() {
  return {&recode<true, U>,
          &recode<false, U>,
          &split<U>,
          &are_equal<U>,
          &count_known<U>,
          &any_odd<typename VectorKernels<U>::Float>};
}

const VectorTables* vector_tables() {
  static const VectorTables all = {kernels_of<std::uint32_t>(), kernels_of<std::uint64_t>()};
  return &all;
}

}  // namespace yupana::arrays::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::arrays::cpu {

HWY_EXPORT(vector_tables);

const VectorTables& vector_kernels() { return *HWY_DYNAMIC_DISPATCH(vector_tables)(); }

}  // namespace yupana::arrays::cpu
#endif  // HWY_ONCE
