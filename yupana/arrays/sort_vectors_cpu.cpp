// Quicksort by vectors: splits in place on all threads, parts that fit the cache by Highway.
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

#include "yupana/arrays/sort_vectors.hpp"
#include "yupana/arrays/split_vectors.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::arrays::cpu {
namespace {

/// Splits until one thread sorts a part in its cache with Highway's quicksort. That takes integers
/// alone: of floats Highway 1.0.3 makes the largest number of an infinity, and loses some next to a
/// value that many have.
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
      if (!encoded) kernels_.encode(words, n, code_);
      hwy::Sorter()(words, static_cast<std::size_t>(n), hwy::SortAscending());
      if (code_.changes()) kernels_.decode(words, n, code_);
      return;
    }
    bool same = false;
    const U pivot = choose_pivot(words, n, encoded, same);
    const U key = code_.decode(pivot);
    if (same && kernels_.are_equal(words, n, encoded ? pivot : key)) {
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
      return kernels_.split(words, n, pivot, code);
    }
    std::vector<std::int64_t> lower(static_cast<std::size_t>(blocks));
    const auto begin_of = [&](std::int64_t b) { return n / blocks * b + std::min(b, n % blocks); };
    each(blocks, true, [&](std::int64_t b) {
      const std::int64_t begin = begin_of(b);
      lower[static_cast<std::size_t>(b)] =
          kernels_.split(words + begin, begin_of(b + 1) - begin, pivot, code);
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
  const VectorKernels<U>& kernels_ = vector_kernels<U>();
  const std::int64_t shared_;  // shorter ranges are split by one thread
};

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

// On other processors it was not measured.
bool has_fast_vectors(std::size_t bytes) {
  static const bool wide = (hwy::SupportedTargets() & (HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL)) != 0;
  static const bool slow = has_slow_compression();
  return wide && (bytes == 8 || !slow);
}

bool sorts_at_once(const Context& context, std::int64_t n) {
  return context.threads() == 1 && n <= std::int64_t{1} << 24;
}

namespace {

template <class W>
void sort_at_once(W* words, std::int64_t n, bool descending) {
  const auto count = static_cast<std::size_t>(n);
  if (descending) return hwy::Sorter()(words, count, hwy::SortDescending());
  hwy::Sorter()(words, count, hwy::SortAscending());
}

/// By Highway alone: keys are sorted as the integers that their bits are; the greater those of two
/// negative floats, the lesser the float.
template <class U>
void sort_at_once(U* words, std::int64_t n, KeyCode<U> code) {
  using S = std::make_signed_t<U>;
  const bool descending = code.flip & 1;
  const bool is_signed = (descending ? static_cast<U>(~code.flip) : code.flip) != 0;
  if (!is_signed) return sort_at_once(words, n, descending);
  auto* const keys = reinterpret_cast<S*>(words);
  sort_at_once(keys, n, descending);
  if (code.fold == 0) return;
  S* const split =
      std::partition_point(keys, keys + n, [&](S key) { return (key < 0) != descending; });
  if (descending) return std::reverse(split, keys + n);
  std::reverse(keys, split);
}

}  // namespace

template <class U>
void sort_words(Context& context, U* words, std::int64_t n, KeyCode<U> code) {
  if (sorts_at_once(context, n)) return sort_at_once(words, n, code);
  const int depth = 2 * std::bit_width(static_cast<std::uint64_t>(n));
  WordSort<U>(context, n, code).sort(words, n, !code.changes(), depth);
}

template <class F>
bool are_plain(Context& context, const F* keys, std::int64_t n) {
  constexpr std::int64_t tile = std::int64_t{1} << 18;
  const auto any_odd = vector_kernels<UnsignedOf<sizeof(F)>>().any_odd;
  std::atomic<bool> odd = false;
  context.parallel_for((n + tile - 1) / tile, 1, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    if (any_odd(keys + begin * tile, std::min(n, end * tile) - begin * tile)) odd = true;
  });
  return !odd;
}

YUPANA_FUNCTIONS(YUPANA_WORDS, sort_words)
YUPANA_FUNCTIONS(YUPANA_FLOATS, are_plain)

}  // namespace yupana::arrays::cpu
