#include <algorithm>
#include <memory>

#include "yupana/analysis/mds_product.hpp"
#include "yupana/analysis/upload_panels.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::analysis::cuda {

using namespace yupana::cuda;

namespace {

// Four threads take a row, each four strands of it: sixteen bytes a load for float and int32. A
// multiprocessor has 28 warps of a matrix of 30,000 rows, 57 KB of loads in flight; a latency of
// 1 us at 4 TB/s needs 30.
constexpr int own_strands = 4;
constexpr int row_threads = static_cast<int>(strands) / own_strands;
constexpr int block_threads = 128;

// Loads that a thread has in flight; eight need so many registers that the blocks of
// n = 30,000 are no longer all at work at once.
template <class T>
constexpr int batch = 16 / sizeof(T);

template <class T>
struct alignas(16) Columns {
  T value[own_strands];
};

template <bool squared>
__device__ double entry(double d, double shift) {
  return squared ? __dsub_rn(d, shift) : __fma_rn(d, d, -shift);
}

/// sums[i] of the CPU's shifted_product, each operation and its order the same. `stride` is a
/// multiple of `strands`, and what lies after column n is zero, in the rows and in x.
template <bool squared, class T>
__global__ void __launch_bounds__(block_threads) product_kernel(const T* distances,
                                                                std::int64_t n,
                                                                std::int64_t stride,
                                                                double shift,
                                                                const double* x,
                                                                double* sums) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  const std::int64_t i = thread / row_threads;
  const int part = static_cast<int>(thread % row_threads);
  // Threads past the last row add it up once more: all lanes take part in the shuffles.
  const auto* row =
      reinterpret_cast<const Columns<T>*>(distances + (i < n ? i : n - 1) * stride) + part;
  const auto* factors = reinterpret_cast<const Columns<double>*>(x) + part;
  double sum[own_strands] = {};
  const auto add = [&](const Columns<T>& d, std::int64_t step) {
    const Columns<double> factor = factors[step * row_threads];
#pragma unroll
    for (int s = 0; s < own_strands; ++s) {
      const double value = entry<squared>(static_cast<double>(d.value[s]), shift);
      sum[s] = __fma_rn(value, factor.value[s], sum[s]);
    }
  };
  const std::int64_t steps = stride / strands;
  std::int64_t step = 0;
  for (; step + batch<T> <= steps; step += batch<T>) {
    Columns<T> d[batch<T>];
#pragma unroll
    for (int k = 0; k < batch<T>; ++k) d[k] = row[(step + k) * row_threads];
#pragma unroll
    for (int k = 0; k < batch<T>; ++k) add(d[k], step + k);
  }
  for (; step < steps; ++step) add(row[step * row_threads], step);
    // Strands s and s + 8, s + 4, s + 2, s + 1: the first two pairs are in other threads.
#pragma unroll
  for (int s = 0; s < own_strands; ++s) {
    sum[s] = __dadd_rn(sum[s], __shfl_xor_sync(0xffffffff, sum[s], 2));
    sum[s] = __dadd_rn(sum[s], __shfl_xor_sync(0xffffffff, sum[s], 1));
  }
  if (part == 0 && i < n) {
    sums[i] = __dadd_rn(__dadd_rn(sum[0], sum[2]), __dadd_rn(sum[1], sum[3]));
  }
}

template <class T>
class DeviceProduct {
 public:
  DeviceProduct(
      Context& context, const T* distances, std::int64_t n, std::int64_t stride, Entries entries)
      : device_(context.devices().front()),
        n_(n),
        stride_(round_up(n_, strands)),
        squared_(entries == Entries::squares),
        distances_(n_ * stride_),
        x_(stride_),
        sums_(n_),
        x_there_(stride_),
        sums_there_(n_) {
    upload_panels(context, distances, n, stride, stride_, stream_, [&](const Panel<T>& panel) {
      check(cudaMemcpyAsync(distances_.data() + panel.rows.begin * stride_,
                            panel.cells,
                            static_cast<std::size_t>(panel.rows.size() * stride_) * sizeof(T),
                            cudaMemcpyHostToDevice,
                            stream_),
            "copy distances");
    });
  }
  ~DeviceProduct() { cudaStreamSynchronize(stream_); }

  void operator()(double shift, const double* x, double* sums) {
    const DeviceScope scope(device_);
    std::copy_n(x, stride_, x_.data());
    check(cudaMemcpyAsync(x_there_.data(), x_.data(), x_.bytes(), cudaMemcpyHostToDevice, stream_),
          "copy a vector");
    const auto blocks = static_cast<unsigned>(divide_up(n_ * row_threads, block_threads));
    const auto kernel = squared_ ? product_kernel<true, T> : product_kernel<false, T>;
    kernel<<<blocks, block_threads, 0, stream_>>>(
        distances_.data(), n_, stride_, shift, x_there_.data(), sums_there_.data());
    yupana::cuda::check_launch("product_kernel");
    check(cudaMemcpyAsync(
              sums_.data(), sums_there_.data(), sums_.bytes(), cudaMemcpyDeviceToHost, stream_),
          "copy sums");
    stream_.wait();
    std::copy_n(sums_.data(), n_, sums);
  }

  static std::uint64_t bytes(std::int64_t n) {
    const std::int64_t stride = round_up(n, strands);
    return static_cast<std::uint64_t>(n * stride) * sizeof(T) +
           static_cast<std::uint64_t>(n + stride) * sizeof(double);
  }

 private:
  int device_;
  std::int64_t n_;
  std::int64_t stride_;
  bool squared_;
  DeviceArray<T> distances_;
  PinnedArray<double> x_, sums_;
  DeviceArray<double> x_there_, sums_there_;
  Stream stream_;
};

}  // namespace

template <class T>
ShiftedProduct product(
    Context& context, const T* distances, std::int64_t n, std::int64_t stride, Entries entries) {
  const DeviceScope scope(context.devices().front());
  const std::uint64_t room =
      std::min(context.gpu_memory(), yupana::cuda::free_device_memory() / 16 * 15);
  if (DeviceProduct<T>::bytes(n) > room) return {};
  const auto made = std::make_shared<DeviceProduct<T>>(context, distances, n, stride, entries);
  return [made](double shift, const double* x, double* sums) { (*made)(shift, x, sums); };
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, product)

}  // namespace yupana::analysis::cuda
