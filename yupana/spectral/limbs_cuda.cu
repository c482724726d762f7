#include <algorithm>
#include <bit>

#include "yupana/arrays/scan_cuda.cuh"
#include "yupana/arrays/workspace_cuda.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/spectral/device_polymul.hpp"
#include "yupana/spectral/grid_stride_cuda.cuh"
#include "yupana/spectral/limbs.hpp"

// Factors as polynomials in 2^16, their product's coefficients below 2^63, and the carries.
namespace yupana::spectral::cuda {

using namespace yupana::cuda;

namespace {

__global__ void digits_kernel(const std::uint32_t* limbs, std::int64_t count, longlong2* digits) {
  grid_stride_for(count, [&](std::int64_t i) {
    digits[i] = {static_cast<long long>(limbs[i] & 0xffffu),
                 static_cast<long long>(limbs[i] >> 16)};
  });
}

/// What the coefficients c[k] 2^(16 k) put into limb i: five parts below 2^32.
__device__ __forceinline__ std::uint64_t limb_sum(const std::uint64_t* c,
                                                  std::int64_t coefficients,
                                                  std::int64_t i) {
  const auto at = [&](std::int64_t k) {
    return k >= 0 && k < coefficients ? c[k] : std::uint64_t{0};
  };
  constexpr std::uint64_t low = 0xffffffffu;
  const std::uint64_t even = at(2 * i), odd = at(2 * i + 1);
  const std::uint64_t even_before = at(2 * i - 2), odd_before = at(2 * i - 1);
  return (even & low) + ((odd << 16) & low) + (even_before >> 32) + ((odd_before >> 16) & low) +
         (at(2 * i - 3) >> 48);
}

// A limb with what the one below adds to it passes 2^32 by itself (1), never (0), or just where a
// carry of one comes in (2): at most one comes, since limb_sum() < 5 2^32.
constexpr std::uint32_t stops = 0, makes = 1, hands_on = 2;

__global__ void sums_kernel(const std::uint64_t* coefficients,
                            std::int64_t count,
                            std::int64_t limbs,
                            std::uint32_t* out,
                            std::uint32_t* carries) {
  grid_stride_for(limbs, [&](std::int64_t i) {
    const std::uint64_t below = i > 0 ? limb_sum(coefficients, count, i - 1) >> 32 : 0;
    const std::uint64_t sum = (limb_sum(coefficients, count, i) & 0xffffffffu) + below;
    out[i] = static_cast<std::uint32_t>(sum);
    carries[i] = sum >> 32 != 0 ? makes : sum == 0xffffffffu ? hands_on : stops;
  });
}

struct Carry {
  __device__ std::uint32_t operator()(std::uint32_t before, std::uint32_t here) const {
    return here == hands_on ? before : here;
  }
};

__global__ void carry_kernel(const std::uint32_t* carries, std::int64_t limbs, std::uint32_t* out) {
  grid_stride_for(limbs, [&](std::int64_t i) {
    if (i > 0 && carries[i - 1] == makes) ++out[i];
  });
}

DeviceArray<std::int64_t> digits_of(Context& context, LimbSpan limbs, cudaStream_t stream) {
  const auto count = static_cast<std::int64_t>(limbs.size());
  DeviceArray<std::uint32_t> raw(count);
  context.count_moved(limbs.size_bytes());
  check(cudaMemcpyAsync(raw.data(), limbs.data(), limbs.size_bytes(), cudaMemcpyDefault, stream),
        "copy an integer");
  DeviceArray<std::int64_t> digits(2 * count);
  digits_kernel<<<blocks_for(count, 8192), threads, 0, stream>>>(
      raw.data(), count, reinterpret_cast<longlong2*>(digits.data()));
  check_launch("split limbs");
  check(cudaStreamSynchronize(stream), "split limbs");  // before `raw` is given back
  return digits;
}

}  // namespace

bool multiplies(const Context& context, std::size_t a, std::size_t b) {
  const std::uint64_t limbs = a + b;
  // Digits, coefficients, limbs and carries; the transforms' two arrays.
  const std::uint64_t bytes = limbs * (16 + 16 + 8) + 2 * 8 * std::bit_ceil(2 * limbs);
  return std::min(a, b) >= min_limbs && 2 * std::min(a, b) <= max_digits &&
         bytes <= context.gpu_memory();
}

Limbs multiply(Context& context, LimbSpan a, LimbSpan b) {
  context.check_cancelled();
  const DeviceScope scope(context.devices().front());
  const Stream stream;
  const auto limbs = static_cast<std::int64_t>(a.size() + b.size());
  DeviceArray<std::uint32_t> out(limbs), carries(limbs);
  {
    DeviceArray<std::int64_t> first = digits_of(context, a, stream);
    DeviceArray<std::int64_t> second = digits_of(context, b, stream);
    const std::int64_t count = first.size() + second.size() - 1;
    constexpr std::uint64_t largest_digit = 0xffff;
    const auto terms = static_cast<std::uint64_t>(std::min(first.size(), second.size()));
    DeviceProduct transform(first.size(), second.size(), terms * largest_digit * largest_digit);
    DeviceArray<std::int64_t> coefficients(count);
    transform.run(first.data(), second.data(), coefficients.data(), stream);
    sums_kernel<<<blocks_for(limbs, 8192), threads, 0, stream>>>(
        reinterpret_cast<const std::uint64_t*>(coefficients.data()),
        count,
        limbs,
        out.data(),
        carries.data());
    check_launch("add coefficients up");
    stream.wait();
  }
  arrays::cuda::Workspace space;
  arrays::cuda::inclusive_scan(space, stream, carries.data(), limbs, carries.data(), Carry{});
  carry_kernel<<<blocks_for(limbs, 8192), threads, 0, stream>>>(carries.data(), limbs, out.data());
  check_launch("carry");
  Limbs product(static_cast<std::size_t>(limbs));
  context.count_moved(out.bytes());
  check(cudaMemcpyAsync(product.data(), out.data(), out.bytes(), cudaMemcpyDefault, stream),
        "copy a product");
  stream.wait();
  trim(product);
  return product;
}

}  // namespace yupana::spectral::cuda
