#include <algorithm>
#include <complex>
#include <vector>

#include "yupana/core/cuda/place.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/spectral/device_fft.hpp"
#include "yupana/spectral/device_polymul.hpp"
#include "yupana/spectral/fields_cuda.cuh"
#include "yupana/spectral/grid_stride_cuda.cuh"
#include "yupana/spectral/polymul_backends.hpp"

namespace yupana::spectral::cuda {

using namespace yupana::cuda;

namespace {

constexpr unsigned blocks = 1024;

__global__ void pad_kernel(const double* in, std::int64_t size, double2* out, std::int64_t padded) {
  grid_stride_for(padded, [&](std::int64_t at) { out[at] = {at < size ? in[at] : 0, 0}; });
}
__global__ void multiply_kernel(double2* a, const double2* b, std::int64_t count) {
  grid_stride_for(count,
                  [&](std::int64_t at) { a[at] = ComplexField<double>::multiply(a[at], b[at]); });
}
__global__ void real_kernel(const double2* in, double* out, std::int64_t count) {
  grid_stride_for(count, [&](std::int64_t at) { out[at] = in[at].x; });
}

/// The largest magnitude and the sum of all: 32 bits each of the sum's halves, added up apart.
struct IntegersSummary {
  unsigned long long most = 0, low = 0, high = 0;
};
__device__ unsigned long long sum_of_warp(unsigned long long x) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
  return x;
}
__device__ unsigned long long most_of_warp(unsigned long long x) {
  for (int step = 16; step > 0; step /= 2) x = max(x, __shfl_xor_sync(~0u, x, step));
  return x;
}

__global__ void integers_kernel(const std::int64_t* values,
                                std::int64_t n,
                                IntegersSummary* summary) {
  IntegersSummary mine;
  grid_stride_for(n, [&](std::int64_t i) {
    const auto bits = static_cast<unsigned long long>(values[i]);
    const unsigned long long size = values[i] < 0 ? 0 - bits : bits;
    mine.most = max(mine.most, size);
    mine.low += size & 0xffffffffu;
    mine.high += size >> 32;
  });
  mine = {most_of_warp(mine.most), sum_of_warp(mine.low), sum_of_warp(mine.high)};
  if (threadIdx.x % 32 != 0) return;
  atomicMax(&summary->most, mine.most);
  atomicAdd(&summary->low, mine.low);
  atomicAdd(&summary->high, mine.high);
}

__global__ void finite_kernel(const double* values, std::int64_t n, unsigned long long* first) {
  grid_stride_for(n, [&](std::int64_t i) {
    if (!isfinite(values[i])) atomicMin(first, static_cast<unsigned long long>(i));
  });
}

/// A value that launch() changes on the device.
template <class T, class Launch>
T summarized(T value, const Launch& launch) {
  DeviceArray<T> there(1);
  yupana::cuda::upload("check coefficients", there.data(), &value, 1);
  launch(there.data());
  check_launch("check coefficients");
  check(cudaMemcpy(&value, there.data(), sizeof(T), cudaMemcpyDeviceToHost), "check coefficients");
  return value;
}

void check_finite(std::span<const double> values, const char* name) {
  constexpr unsigned long long nowhere = ~0ull;
  const auto first = summarized(nowhere, [&](unsigned long long* there) {
    finite_kernel<<<blocks, threads>>>(values.data(), std::ssize(values), there);
  });
  if (first == nowhere) return;
  throw input_error(
      "polymul: {}: expected finite numbers, got an infinity or NaN at place {} (from 0)",
      name,
      first);
}

template <class T>
DeviceArray<T> on_device(Context& context, std::span<const T> values, cudaStream_t stream) {
  DeviceArray<T> array(static_cast<std::int64_t>(values.size()));
  context.count_moved(values.size_bytes());
  check(
      cudaMemcpyAsync(array.data(), values.data(), values.size_bytes(), cudaMemcpyDefault, stream),
      "copy coefficients");
  return array;
}

template <class T>
void to_host(Context& context,
             const DeviceArray<T>& values,
             std::span<T> out,
             cudaStream_t stream) {
  context.count_moved(out.size_bytes());
  check(cudaMemcpyAsync(out.data(), values.data(), out.size_bytes(), cudaMemcpyDefault, stream),
        "copy a product");
  check(cudaStreamSynchronize(stream), "multiply polynomials");
}

void multiply_residues(Context& context,
                       std::span<const std::int64_t> a,
                       std::span<const std::int64_t> b,
                       std::uint64_t bound,
                       std::span<std::int64_t> out) {
  context.check_cancelled();
  const Stream stream;
  if (yupana::cuda::device_of(context, out.data()) >= 0) {
    DeviceProduct transform(std::ssize(a), std::ssize(b), bound);
    transform.run(a.data(), b.data(), out.data(), stream);
    return stream.wait();
  }
  const auto first = on_device(context, a, stream), second = on_device(context, b, stream);
  DeviceArray<std::int64_t> product(static_cast<std::int64_t>(out.size()));
  DeviceProduct transform(first.size(), second.size(), bound);
  transform.run(first.data(), second.data(), product.data(), stream);
  to_host(context, product, out, stream);
}

std::uint64_t magnitude(std::span<const std::int64_t> values) {
  std::uint64_t most = 0;
  for (const std::int64_t value : values) {
    const auto bits = static_cast<std::uint64_t>(value);
    most = std::max(most, value < 0 ? 0 - bits : bits);
  }
  return most;
}

}  // namespace

Magnitudes magnitudes_of(const Context& context, std::span<const std::int64_t> values) {
  const DeviceScope scope(yupana::cuda::device_of(context, values.data()));
  const std::int64_t n = std::ssize(values);
  const auto summary = summarized(IntegersSummary{}, [&](IntegersSummary* there) {
    integers_kernel<<<blocks, threads>>>(values.data(), n, there);
  });
  return {summary.most, (static_cast<unsigned __int128>(summary.high) << 32) + summary.low, n};
}

void polymul(Context& context,
             std::span<const double> a,
             std::span<const double> b,
             std::span<double> out) {
  const int device = yupana::cuda::device_of(context, out.data());
  const DeviceScope scope(device < 0 ? context.devices().front() : device);
  if (device >= 0) {
    check_finite(a, "a");
    check_finite(b, "b");
  }
  const Stream stream;
  std::int64_t padded = 1;
  while (padded < static_cast<std::int64_t>(out.size())) padded *= 2;
  DeviceArray<std::complex<double>> spectra[2] = {DeviceArray<std::complex<double>>(padded),
                                                  DeviceArray<std::complex<double>>(padded)};
  DeviceFft<double> transform(padded, 1, {FftLibrary::own});
  const auto elements = [](auto& array) { return reinterpret_cast<double2*>(array.data()); };
  for (const int which : {0, 1}) {
    const auto values = on_device(context, which == 0 ? a : b, stream);
    pad_kernel<<<blocks, threads, 0, stream>>>(
        values.data(), values.size(), elements(spectra[which]), padded);
    check_launch("pad coefficients");
    transform.run(spectra[which].data(), spectra[which].data(), Direction::forward, stream);
    stream.wait();
  }
  context.check_cancelled();
  multiply_kernel<<<blocks, threads, 0, stream>>>(
      elements(spectra[0]), elements(spectra[1]), padded);
  check_launch("multiply spectra");
  transform.run(spectra[0].data(), spectra[0].data(), Direction::inverse, stream);
  DeviceArray<double> product(static_cast<std::int64_t>(out.size()));
  real_kernel<<<blocks, threads, 0, stream>>>(elements(spectra[0]), product.data(), product.size());
  check_launch("take real parts");
  to_host(context, product, out, stream);
}

// Residues identify integers up to p / 2 = 2^63 - 2^31. The few products between that and 2^63
// are made of two, with a = 2 (a >> 1) + (a & 1) for the factor with the larger coefficients: both
// are bounded by little more than half. Sums modulo 2^64 are the integers, which fit.
void polymul_exact(Context& context,
                   std::span<const std::int64_t> a,
                   std::span<const std::int64_t> b,
                   std::uint64_t bound,
                   std::span<std::int64_t> out) {
  const int device = yupana::cuda::device_of(context, out.data());
  const DeviceScope scope(device < 0 ? context.devices().front() : device);
  if (bound <= GoldilocksField::prime / 2) return multiply_residues(context, a, b, bound, out);
  if (device >= 0) {
    throw input_error(
        "polymul: the product's coefficients may pass 2^63 - 2^31, beyond what arrays on a GPU "
        "allow; use smaller ones, or host memory");
  }
  if (magnitude(a) < magnitude(b)) std::swap(a, b);
  std::vector<std::int64_t> halves(a.size()), bits(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    halves[i] = a[i] >> 1;
    bits[i] = a[i] & 1;
  }
  std::vector<std::int64_t> rest(out.size());
  multiply_residues(context, halves, b, bound, out);
  multiply_residues(context, bits, b, bound, rest);
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = static_cast<std::int64_t>(2 * static_cast<std::uint64_t>(out[k]) +
                                       static_cast<std::uint64_t>(rest[k]));
  }
}

}  // namespace yupana::spectral::cuda
