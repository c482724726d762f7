#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h>

#include "yupana/arrays/sort_vectors.hpp"

namespace yupana::arrays::cpu {
namespace {

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

template <class K>
void sort(K* keys, std::int64_t n, bool descending) {
  const hwy::Sorter sorter;
  const auto size = static_cast<std::size_t>(n);
  if (descending) {
    sorter(keys, size, hwy::SortDescending());
  } else {
    sorter(keys, size, hwy::SortAscending());
  }
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

void sort_vectors(std::uint32_t* keys, std::int64_t n, bool descending) {
  sort(keys, n, descending);
}
void sort_vectors(std::int32_t* keys, std::int64_t n, bool descending) {
  sort(keys, n, descending);
}
void sort_vectors(float* keys, std::int64_t n, bool descending) { sort(keys, n, descending); }
void sort_vectors(std::uint64_t* keys, std::int64_t n, bool descending) {
  sort(keys, n, descending);
}
void sort_vectors(std::int64_t* keys, std::int64_t n, bool descending) {
  sort(keys, n, descending);
}
void sort_vectors(double* keys, std::int64_t n, bool descending) { sort(keys, n, descending); }

}  // namespace yupana::arrays::cpu
