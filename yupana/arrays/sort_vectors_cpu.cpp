#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "yupana/arrays/sort_vectors.hpp"
#include "yupana/core/tiles.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/arrays/sort_vectors_cpu.cpp"
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
void encode32(std::uint32_t* words, std::int64_t n, KeyCode<std::uint32_t> code) {
  recode<true>(words, n, code);
}
void encode64(std::uint64_t* words, std::int64_t n, KeyCode<std::uint64_t> code) {
  recode<true>(words, n, code);
}
void decode32(std::uint32_t* words, std::int64_t n, KeyCode<std::uint32_t> code) {
  recode<false>(words, n, code);
}
void decode64(std::uint64_t* words, std::int64_t n, KeyCode<std::uint64_t> code) {
  recode<false>(words, n, code);
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
std::int64_t split(U* words, std::int64_t n, U pivot, const KeyCode<U>& code) {
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
std::int64_t split32(std::uint32_t* words, std::int64_t n, std::uint32_t pivot) {
  return split<false>(words, n, pivot, KeyCode<std::uint32_t>{});
}
std::int64_t split64(std::uint64_t* words, std::int64_t n, std::uint64_t pivot) {
  return split<false>(words, n, pivot, KeyCode<std::uint64_t>{});
}
std::int64_t encode_split32(std::uint32_t* words,
                            std::int64_t n,
                            std::uint32_t pivot,
                            KeyCode<std::uint32_t> code) {
  return split<true>(words, n, pivot, code);
}
std::int64_t encode_split64(std::uint64_t* words,
                            std::int64_t n,
                            std::uint64_t pivot,
                            KeyCode<std::uint64_t> code) {
  return split<true>(words, n, pivot, code);
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
bool are_equal32(const std::uint32_t* words, std::int64_t n, std::uint32_t word) {
  return are_equal(words, n, word);
}
bool are_equal64(const std::uint64_t* words, std::int64_t n, std::uint64_t word) {
  return are_equal(words, n, word);
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
bool any_odd32(const float* keys, std::int64_t n) { return any_odd(keys, n); }
bool any_odd64(const double* keys, std::int64_t n) { return any_odd(keys, n); }

}  // namespace yupana::arrays::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::arrays::cpu {

HWY_EXPORT(encode32);
HWY_EXPORT(encode64);
HWY_EXPORT(decode32);
HWY_EXPORT(decode64);
HWY_EXPORT(split32);
HWY_EXPORT(split64);
HWY_EXPORT(encode_split32);
HWY_EXPORT(encode_split64);
HWY_EXPORT(are_equal32);
HWY_EXPORT(are_equal64);
HWY_EXPORT(any_odd32);
HWY_EXPORT(any_odd64);

namespace {

using Code32 = KeyCode<std::uint32_t>;
using Code64 = KeyCode<std::uint64_t>;

void encode(std::uint32_t* words, std::int64_t n, Code32 code) {
  HWY_DYNAMIC_DISPATCH(encode32)(words, n, code);
}
void encode(std::uint64_t* words, std::int64_t n, Code64 code) {
  HWY_DYNAMIC_DISPATCH(encode64)(words, n, code);
}
void decode(std::uint32_t* words, std::int64_t n, Code32 code) {
  HWY_DYNAMIC_DISPATCH(decode32)(words, n, code);
}
void decode(std::uint64_t* words, std::int64_t n, Code64 code) {
  HWY_DYNAMIC_DISPATCH(decode64)(words, n, code);
}
std::int64_t split(std::uint32_t* words, std::int64_t n, std::uint32_t pivot, const Code32* code) {
  return code != nullptr ? HWY_DYNAMIC_DISPATCH(encode_split32)(words, n, pivot, *code)
                         : HWY_DYNAMIC_DISPATCH(split32)(words, n, pivot);
}
std::int64_t split(std::uint64_t* words, std::int64_t n, std::uint64_t pivot, const Code64* code) {
  return code != nullptr ? HWY_DYNAMIC_DISPATCH(encode_split64)(words, n, pivot, *code)
                         : HWY_DYNAMIC_DISPATCH(split64)(words, n, pivot);
}

bool are_equal(const std::uint32_t* words, std::int64_t n, std::uint32_t word) {
  return HWY_DYNAMIC_DISPATCH(are_equal32)(words, n, word);
}
bool are_equal(const std::uint64_t* words, std::int64_t n, std::uint64_t word) {
  return HWY_DYNAMIC_DISPATCH(are_equal64)(words, n, word);
}

/// Splits until one thread sorts a part in its cache with Highway's quicksort. That takes integers
/// alone: Highway 1.0.3 makes the largest number of an infinity.
template <class U>
class WordSort {
 public:
  WordSort(Context& context, std::int64_t n, KeyCode<U> code)
      : context_(context),
        code_(code),
        shared_(context.threads() > 1 ? n / context.threads() : n) {}

  /// Words of `encoded` parts are codes already. Too many bad pivots end in one call of Highway's,
  /// which has its own way out of them.
  void sort(U* words, std::int64_t n, bool encoded, int depth) {
    context_.check_cancelled();
    if (n <= part || depth == 0) {
      if (!encoded) encode(words, n, code_);
      hwy::Sorter()(words, static_cast<std::size_t>(n), hwy::SortAscending());
      if (code_.changes()) decode(words, n, code_);
      return;
    }
    bool same = false;
    const U pivot = choose_pivot(words, n, encoded, same);
    const U key = code_.decode(pivot);
    if (same && are_equal(words, n, encoded ? pivot : key)) {
      if (encoded && code_.changes()) std::fill_n(words, n, key);
      return;
    }
    std::int64_t lower = split_all(words, n, pivot, encoded ? nullptr : &code_);
    U* const rest = words + lower;
    const std::int64_t upper = n - lower;
    // A long left side hints at many words equal to the pivot: they are in place once split off.
    if (upper < n / 8) {
      const std::int64_t less = pivot == 0 ? 0 : split_all(words, lower, pivot - 1, nullptr);
      if (code_.changes()) std::fill(words + less, rest, key);
      lower = less;
    }
    each(2, std::min(lower, upper) >= part, [&](std::int64_t half) {
      if (half == 0 && lower > 0) sort(words, lower, true, depth - 1);
      if (half == 1 && upper > 0) sort(rest, upper, true, depth - 1);
    });
  }

 private:
  /// Half a mebibyte: half of a core's second-level cache.
  static constexpr std::int64_t part = (std::int64_t{512} << 10) / sizeof(U);
  static constexpr std::int64_t max_swap = std::int64_t{1} << 16;

  template <class Body>
  void each(std::int64_t count, bool parallel, const Body& body) {
    if (!parallel || context_.threads() == 1) {
      for (std::int64_t i = 0; i < count; ++i) body(i);
      return;
    }
    context_.parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) body(i);
    });
  }

  /// The median of a sample, whose words may all be the same.
  U choose_pivot(const U* words, std::int64_t n, bool encoded, bool& same) const {
    constexpr std::int64_t most = 255;
    const std::int64_t samples = n > 16 * part ? most : 31;
    U sample[most];
    for (std::int64_t i = 0; i < samples; ++i) {
      const U word = words[n / samples * i + n / (2 * samples)];
      sample[i] = encoded ? word : code_.encode(word);
    }
    same = std::all_of(sample, sample + samples, [&](U word) { return word == sample[0]; });
    std::nth_element(sample, sample + samples / 2, sample + samples);
    return sample[samples / 2];
  }

  /// The same as split(), by all threads where they would have nothing else to do: each splits a
  /// block, then the words between that are on the wrong side change places.
  std::int64_t split_all(U* words, std::int64_t n, U pivot, const KeyCode<U>* code) {
    const std::int64_t blocks = context_.threads();
    if (blocks == 1 || n <= shared_ + shared_ / 4 || n <= 2 * part) {
      return split(words, n, pivot, code);
    }
    std::vector<std::int64_t> lower(static_cast<std::size_t>(blocks));
    const auto begin_of = [&](std::int64_t b) { return n / blocks * b + std::min(b, n % blocks); };
    each(blocks, true, [&](std::int64_t b) {
      const std::int64_t begin = begin_of(b);
      lower[static_cast<std::size_t>(b)] =
          split(words + begin, begin_of(b + 1) - begin, pivot, code);
    });
    std::int64_t all = 0;
    for (const std::int64_t count : lower) all += count;
    std::vector<Range> high, low;  // misplaced, in front of `all` and past it
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t middle = begin_of(b) + lower[static_cast<std::size_t>(b)];
      add(high, middle, std::min(all, begin_of(b + 1)));
      add(low, std::max(all, begin_of(b)), middle);
    }
    swap(words, high, low);
    return all;
  }
  static void add(std::vector<Range>& ranges, std::int64_t begin, std::int64_t end) {
    if (begin < end) ranges.push_back({begin, end});
  }
  /// As many words in one list as in the other.
  void swap(U* words, std::vector<Range>& high, std::vector<Range>& low) {
    struct Swap {
      std::int64_t a, b, n;
    };
    std::vector<Swap> swaps;
    for (std::size_t i = 0, k = 0; i < high.size();) {
      Range& a = high[i];
      Range& b = low[k];
      const std::int64_t n = std::min({a.end - a.begin, b.end - b.begin, max_swap});
      swaps.push_back({a.begin, b.begin, n});
      a.begin += n;
      b.begin += n;
      if (a.begin == a.end) ++i;
      if (b.begin == b.end) ++k;
    }
    each(static_cast<std::int64_t>(swaps.size()), true, [&](std::int64_t i) {
      const Swap& s = swaps[static_cast<std::size_t>(i)];
      std::swap_ranges(words + s.a, words + s.a + s.n, words + s.b);
    });
  }

  Context& context_;
  const KeyCode<U> code_;
  const std::int64_t shared_;  // shorter ranges are split by one thread
};

template <class U>
void sort_all(Context& context, U* words, std::int64_t n, KeyCode<U> code) {
  const int depth = 2 * std::bit_width(static_cast<std::uint64_t>(n));
  // Nothing to turn and one thread: Highway's quicksort at once. Above a second's keys ours looks
  // at Ctrl-C in between.
  const bool at_once = !code.changes() && context.threads() == 1 && n <= std::int64_t{1} << 24;
  WordSort<U>(context, n, code).sort(words, n, !code.changes(), at_once ? 0 : depth);
}

template <class F, class AnyOdd>
bool none_odd(Context& context, const F* keys, std::int64_t n, const AnyOdd& any_odd) {
  constexpr std::int64_t tile = std::int64_t{1} << 18;
  std::atomic<bool> odd = false;
  context.parallel_for((n + tile - 1) / tile, 1, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    if (any_odd(keys + begin * tile, std::min(n, end * tile) - begin * tile)) odd = true;
  });
  return !odd;
}

// Zen 4 stores compressed vectors by microcode, which Highway came to avoid: 32-bit keys take five
// times as long there as by radix; 64-bit ones are still faster.
bool has_slow_compression() {
#if HWY_ARCH_X86 && HWY_MAJOR == 1 && HWY_MINOR == 0 && HWY_PATCH < 5
  return __builtin_cpu_is("amdfam19h") != 0 &&
         (hwy::SupportedTargets() & (HWY_AVX3 | HWY_AVX3_DL)) != 0;
#else
  return false;
#endif
}

}  // namespace

bool has_fast_vectors(std::size_t bytes) {
#if HWY_ARCH_X86
  static const bool wide = (hwy::SupportedTargets() & (HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL)) != 0;
  static const bool slow = has_slow_compression();
  return wide && (bytes == 8 || !slow);
#else
  return false;  // not measured
#endif
}

void sort_words(Context& context, std::uint32_t* words, std::int64_t n, Code32 code) {
  sort_all(context, words, n, code);
}
void sort_words(Context& context, std::uint64_t* words, std::int64_t n, Code64 code) {
  sort_all(context, words, n, code);
}

bool are_plain(Context& context, const float* keys, std::int64_t n) {
  return none_odd(context, keys, n, [](const float* some, std::int64_t count) {
    return HWY_DYNAMIC_DISPATCH(any_odd32)(some, count);
  });
}
bool are_plain(Context& context, const double* keys, std::int64_t n) {
  return none_odd(context, keys, n, [](const double* some, std::int64_t count) {
    return HWY_DYNAMIC_DISPATCH(any_odd64)(some, count);
  });
}

}  // namespace yupana::arrays::cpu
#endif  // HWY_ONCE
