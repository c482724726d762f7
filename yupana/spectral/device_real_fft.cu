
#include "yupana/core/instantiate.hpp"
#include "yupana/spectral/device_real_fft.hpp"
#include "yupana/spectral/grid_stride_cuda.cuh"

namespace yupana::spectral::cuda {

using yupana::cuda::check_launch;

namespace {

template <class T>
using Element = typename ComplexField<T>::Element;

constexpr int edge = 32;

template <class T>
__device__ __forceinline__ Element<T> root_at(const RootPair<Element<T>>& roots, std::int64_t k) {
  return ComplexField<T>::multiply(roots.high[k >> roots.shift],
                                   roots.low[k & ((std::int64_t{1} << roots.shift) - 1)]);
}

// With Z of the h = n/2 pairs: E = (Z[k] + conj Z[h-k]) / 2, O = -i (Z[k] - conj Z[h-k]) / 2,
// X[k] = E + w^k O.
template <class T>
__global__ void split_kernel(const Element<T>* z,
                             Element<T>* x,
                             std::int64_t half,
                             std::int64_t batch,
                             RootPair<Element<T>> roots) {
  grid_stride_for(batch * (half + 1), [&](std::int64_t at) {
    const std::int64_t b = at / (half + 1), k = at - b * (half + 1);
    const Element<T> a = z[b * half + (k == half ? 0 : k)];
    const Element<T> c = z[b * half + (k == 0 ? 0 : half - k)];
    const Element<T> even{(a.x + c.x) / 2, (a.y - c.y) / 2};
    const Element<T> odd{(a.y + c.y) / 2, (c.x - a.x) / 2};
    const Element<T> root = k == half ? Element<T>{-1, 0} : root_at<T>(roots, k);
    x[at] = ComplexField<T>::add(even, ComplexField<T>::multiply(root, odd));
  });
}

// The way back: Z = E + i O, O = w^-k (X[k] - conj X[h-k]) / 2.
template <class T>
__global__ void join_kernel(const Element<T>* x,
                            Element<T>* z,
                            std::int64_t half,
                            std::int64_t batch,
                            RootPair<Element<T>> roots) {
  grid_stride_for(batch * half, [&](std::int64_t at) {
    const std::int64_t b = at / half, k = at - b * half;
    Element<T> a = x[b * (half + 1) + k], c = x[b * (half + 1) + half - k];
    if (k == 0) a.y = c.y = 0;
    const Element<T> even{(a.x + c.x) / 2, (a.y - c.y) / 2};
    const Element<T> difference{(a.x - c.x) / 2, (a.y + c.y) / 2};
    Element<T> root = root_at<T>(roots, k);
    root.y = -root.y;
    const Element<T> odd = ComplexField<T>::multiply(root, difference);
    z[at] = {even.x - odd.y, even.y + odd.x};
  });
}

template <class T>
__global__ void widen_kernel(const T* in, Element<T>* out, std::int64_t count) {
  grid_stride_for(count, [&](std::int64_t at) { out[at] = {in[at], 0}; });
}
template <class T>
__global__ void first_half_kernel(const Element<T>* in,
                                  Element<T>* out,
                                  std::int64_t n,
                                  std::int64_t batch) {
  const std::int64_t half = n / 2 + 1;
  grid_stride_for(batch * half, [&](std::int64_t at) { out[at] = in[at / half * n + at % half]; });
}
template <class T>
__global__ void mirror_kernel(const Element<T>* in,
                              Element<T>* out,
                              std::int64_t n,
                              std::int64_t batch) {
  const std::int64_t half = n / 2 + 1;
  grid_stride_for(batch * n, [&](std::int64_t at) {
    const std::int64_t b = at / n, k = at - b * n;
    Element<T> value = in[b * half + (k < half ? k : n - k)];
    if (k >= half) value.y = -value.y;
    if (k == 0) value.y = 0;
    out[at] = value;
  });
}
template <class T>
__global__ void real_part_kernel(const Element<T>* in, T* out, std::int64_t count) {
  grid_stride_for(count, [&](std::int64_t at) { out[at] = in[at].x; });
}

template <class T>
__global__ void transpose_kernel(const Element<T>* in,
                                 Element<T>* out,
                                 std::int64_t rows,
                                 std::int64_t cols) {
  __shared__ Element<T> tile[edge][edge + 1];
  const std::int64_t down = (rows + edge - 1) / edge, across = (cols + edge - 1) / edge;
  const int x = static_cast<int>(threadIdx.x) % edge, y = static_cast<int>(threadIdx.x) / edge;
  for (std::int64_t at = blockIdx.x; at < down * across; at += gridDim.x) {
    const std::int64_t row = at / across * edge, col = at % across * edge;
    for (int i = y; i < edge; i += threads / edge) {
      if (row + i < rows && col + x < cols) tile[i][x] = in[(row + i) * cols + col + x];
    }
    __syncthreads();
    for (int i = y; i < edge; i += threads / edge) {
      if (col + i < cols && row + x < rows) out[(col + i) * rows + row + x] = tile[x][i];
    }
    __syncthreads();
  }
}

}  // namespace

template <class T>
DeviceRealFft<T>::DeviceRealFft(std::int64_t n, std::int64_t batch)
    : n_(n),
      fft_(n % 2 == 0 ? n / 2 : n, batch, {FftLibrary::own}),
      roots_(Twiddles<ComplexField<T>>::pair(n)),
      work_((n % 2 == 0 ? n / 2 : n) * batch) {}

template <class T>
std::uint64_t DeviceRealFft<T>::bytes(std::int64_t n, std::int64_t batch) {
  const std::int64_t length = n % 2 == 0 ? n / 2 : n;
  return static_cast<std::uint64_t>(length * batch) * sizeof(std::complex<T>) +
         DeviceFft<T>::bytes(length, batch);
}

template <class T>
void DeviceRealFft<T>::forward(const T* in,
                               std::complex<T>* out,
                               std::int64_t batch,
                               cudaStream_t stream) {
  const unsigned blocks = blocks_for(batch * n_);
  std::complex<T>* const work = work_.data();
  if (n_ % 2 == 0) {
    fft_.run(reinterpret_cast<const std::complex<T>*>(in), work, batch, Direction::forward, stream);
    split_kernel<T><<<blocks, threads, 0, stream>>>(
        elements(work), elements(out), n_ / 2, batch, roots_.view());
  } else {
    widen_kernel<T><<<blocks, threads, 0, stream>>>(in, elements(work), batch * n_);
    check_launch("make complex values");
    fft_.run(work, work, batch, Direction::forward, stream);
    first_half_kernel<T><<<blocks, threads, 0, stream>>>(elements(work), elements(out), n_, batch);
  }
  check_launch("split a spectrum");
}

template <class T>
void DeviceRealFft<T>::inverse(const std::complex<T>* in,
                               T* out,
                               std::int64_t batch,
                               cudaStream_t stream) {
  const unsigned blocks = blocks_for(batch * n_);
  std::complex<T>* const work = work_.data();
  if (n_ % 2 == 0) {
    join_kernel<T><<<blocks, threads, 0, stream>>>(
        elements(in), elements(work), n_ / 2, batch, roots_.view());
    check_launch("join a spectrum");
    fft_.run(work, reinterpret_cast<std::complex<T>*>(out), batch, Direction::inverse, stream);
    return;
  }
  mirror_kernel<T><<<blocks, threads, 0, stream>>>(elements(in), elements(work), n_, batch);
  check_launch("complete a spectrum");
  fft_.run(work, work, batch, Direction::inverse, stream);
  real_part_kernel<T><<<blocks, threads, 0, stream>>>(elements(work), out, batch * n_);
  check_launch("take real parts");
}

template <class T>
DeviceColumnFft<T>::DeviceColumnFft(std::int64_t rows, std::int64_t cols)
    : rows_(rows), cols_(cols), fft_(rows, cols, {FftLibrary::own}) {
  if (!fft_.single_pass()) turned_ = yupana::cuda::DeviceArray<std::complex<T>>(rows * cols);
}

template <class T>
std::uint64_t DeviceColumnFft<T>::bytes(std::int64_t rows, std::int64_t cols) {
  if (DeviceFft<T>::is_single_pass(rows)) return 0;
  return static_cast<std::uint64_t>(rows * cols) * sizeof(std::complex<T>) +
         DeviceFft<T>::bytes(rows, cols);
}

template <class T>
void DeviceColumnFft<T>::run(std::complex<T>* values, Direction direction, cudaStream_t stream) {
  if (fft_.single_pass()) {
    fft_.run_columns(values, values, cols_, direction, stream);
    return;
  }
  const unsigned blocks = blocks_for(rows_ * cols_);
  transpose_kernel<T>
      <<<blocks, threads, 0, stream>>>(elements(values), elements(turned_.data()), rows_, cols_);
  check_launch("transpose");
  fft_.run(turned_.data(), turned_.data(), direction, stream);
  transpose_kernel<T>
      <<<blocks, threads, 0, stream>>>(elements(turned_.data()), elements(values), cols_, rows_);
  check_launch("transpose");
}

YUPANA_CLASSES(YUPANA_FLOATS, DeviceRealFft, DeviceColumnFft)

}  // namespace yupana::spectral::cuda
