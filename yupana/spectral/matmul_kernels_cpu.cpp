#include <tuple>

#include "yupana/core/instantiate.hpp"
#include "yupana/spectral/matmul_backends.hpp"

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (YUPANA_DISABLED_TARGETS | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/spectral/matmul_kernels_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yupana::spectral::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Two vectors of c in each row, as many rows as leave registers for b and a: 24 of 32, 12 of 16.
#if HWY_TARGET == HWY_AVX3
constexpr int tile_rows = 12;
#else
constexpr int tile_rows = 6;
#endif

template <class T>
void run_tile(std::int64_t depth, const T* a, const T* b, T* c, std::int64_t stride, bool add) {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  const D d;
  constexpr std::int64_t lanes = HWY_LANES(T);
  V sums[tile_rows][2];
#pragma GCC unroll 12
  for (int i = 0; i < tile_rows; ++i) sums[i][0] = sums[i][1] = hn::Zero(d);
  for (std::int64_t k = 0; k < depth; ++k) {
    const V left = hn::Load(d, b), right = hn::Load(d, b + lanes);
#pragma GCC unroll 12
    for (int i = 0; i < tile_rows; ++i) {
      const V by = hn::Set(d, a[i]);
      sums[i][0] = hn::MulAdd(by, left, sums[i][0]);
      sums[i][1] = hn::MulAdd(by, right, sums[i][1]);
    }
    a += tile_rows;
    b += 2 * lanes;
  }
#pragma GCC unroll 12
  for (int i = 0; i < tile_rows; ++i) {
    T* const row = c + i * stride;
    if (add) {
      sums[i][0] = hn::Add(sums[i][0], hn::LoadU(d, row));
      sums[i][1] = hn::Add(sums[i][1], hn::LoadU(d, row + lanes));
    }
    hn::StoreU(sums[i][0], d, row);
    hn::StoreU(sums[i][1], d, row + lanes);
  }
}

template <class T>
MatmulKernel<T> kernel_of() {
  return {tile_rows, 2 * static_cast<std::int64_t>(HWY_LANES(T)), run_tile<T>};
}

auto kernels() { return std::make_tuple(kernel_of<float>(), kernel_of<double>()); }

}  // namespace yupana::spectral::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::spectral::cpu {

HWY_EXPORT(kernels);

template <class T>
MatmulKernel<T> matmul_kernel() {
  return std::get<MatmulKernel<T>>(HWY_DYNAMIC_DISPATCH(kernels)());
}
YUPANA_FUNCTIONS(YUPANA_FLOATS, matmul_kernel)

}  // namespace yupana::spectral::cpu
#endif  // HWY_ONCE
