#include <algorithm>

#include "yupana/core/instantiate.hpp"
#include "yupana/spectral/bluestein_cuda.hpp"
#include "yupana/spectral/fields_cuda.cuh"
#include "yupana/spectral/grid_stride_cuda.cuh"
#include "yupana/spectral/twiddles_cuda.hpp"

namespace yupana::spectral::cuda {

using namespace yupana::cuda;

namespace {

constexpr std::int64_t values_together = std::int64_t{1} << 24;

// Exponents are integers modulo 2 n: squares of large j lose nothing. n < 2^31.
template <class T>
__global__ void chirp_kernel(typename ComplexField<T>::Element* chirp,
                             std::int64_t n,
                             RootPair<double2> roots) {
  grid_stride_for(n, [&](std::int64_t j) {
    const auto e =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(j) * static_cast<std::uint64_t>(j) %
                                  static_cast<std::uint64_t>(2 * n));
    const double2 root = ComplexField<double>::multiply(
        roots.high[e >> roots.shift], roots.low[e & ((std::int64_t{1} << roots.shift) - 1)]);
    chirp[j] = {static_cast<T>(root.x), static_cast<T>(root.y)};
  });
}

template <class T>
__global__ void spread_kernel(const typename ComplexField<T>::Element* chirp,
                              typename ComplexField<T>::Element* spectrum,
                              std::int64_t n,
                              std::int64_t padded) {
  grid_stride_for(padded, [&](std::int64_t j) {
    const std::int64_t distance = min(j, padded - j);
    spectrum[j] = {0, 0};
    if (distance < n) spectrum[j] = {chirp[distance].x, -chirp[distance].y};
  });
}

template <class T>
__global__ void enter_kernel(const typename ComplexField<T>::Element* in,
                             const typename ComplexField<T>::Element* chirp,
                             typename ComplexField<T>::Element* signal,
                             std::int64_t n,
                             std::int64_t padded,
                             std::int64_t count,
                             bool inverse) {
  using F = ComplexField<T>;
  grid_stride_for(count * padded, [&](std::int64_t at) {
    const std::int64_t b = at / padded, j = at - b * padded;
    typename F::Element value{0, 0};
    if (j < n) {
      value = in[b * n + j];
      if (inverse) value = F::encode(value);
      value = F::multiply(value, chirp[j]);
    }
    signal[at] = value;
  });
}

template <class T>
__global__ void multiply_kernel(typename ComplexField<T>::Element* signal,
                                const typename ComplexField<T>::Element* spectrum,
                                std::int64_t padded,
                                std::int64_t count) {
  grid_stride_for(count * padded, [&](std::int64_t at) {
    signal[at] = ComplexField<T>::multiply(signal[at], spectrum[at & (padded - 1)]);
  });
}

template <class T>
__global__ void leave_kernel(const typename ComplexField<T>::Element* signal,
                             const typename ComplexField<T>::Element* chirp,
                             typename ComplexField<T>::Element* out,
                             std::int64_t n,
                             std::int64_t padded,
                             std::int64_t count,
                             bool inverse,
                             T scale) {
  using F = ComplexField<T>;
  grid_stride_for(count * n, [&](std::int64_t at) {
    const std::int64_t b = at / n, k = at - b * n;
    const auto value = F::multiply(signal[b * padded + k], chirp[k]);
    out[at] = inverse ? F::decode(value, scale) : value;
  });
}

std::int64_t padded_length(std::int64_t n) {
  std::int64_t padded = 16;
  while (padded < 2 * n - 1) padded *= 2;
  return padded;
}

std::int64_t signals_together(std::int64_t n, std::int64_t batch) {
  return std::clamp<std::int64_t>(values_together / padded_length(n), 1, batch);
}

}  // namespace

template <class T>
Bluestein<T>::Bluestein(std::int64_t n, std::int64_t batch)
    : n_(n),
      padded_(padded_length(n)),
      together_(signals_together(n, batch)),
      fft_(padded_, together_, {FftLibrary::own}),
      chirp_(n),
      spectrum_(padded_),
      signal_(padded_ * together_) {
  const auto roots = Twiddles<ComplexField<double>>::pair(2 * n);
  chirp_kernel<T><<<blocks_for(n), threads>>>(elements(chirp_.data()), n, roots.view());
  check_launch("make a chirp");
  spread_kernel<T><<<blocks_for(padded_), threads>>>(
      elements(chirp_.data()), elements(spectrum_.data()), n, padded_);
  check_launch("spread a chirp");
  fft_.run(spectrum_.data(), spectrum_.data(), 1, Direction::forward, nullptr);
  check(cudaStreamSynchronize(nullptr), "transform a chirp");
}

template <class T>
std::uint64_t Bluestein<T>::bytes(std::int64_t n, std::int64_t batch) {
  const std::int64_t padded = padded_length(n), together = signals_together(n, batch);
  return static_cast<std::uint64_t>(n + padded + padded * together) * sizeof(std::complex<T>) +
         DeviceFft<T>::bytes(padded, together);
}

template <class T>
void Bluestein<T>::run(const std::complex<T>* in,
                       std::complex<T>* out,
                       std::int64_t batch,
                       Direction direction,
                       cudaStream_t stream) {
  const bool inverse = direction == Direction::inverse;
  const T scale = static_cast<T>(1.0L / static_cast<long double>(n_));
  for (std::int64_t begin = 0; begin < batch; begin += together_) {
    const std::int64_t count = std::min(together_, batch - begin);
    const unsigned blocks = blocks_for(count * padded_);
    enter_kernel<T><<<blocks, threads, 0, stream>>>(elements(in + begin * n_),
                                                    elements(chirp_.data()),
                                                    elements(signal_.data()),
                                                    n_,
                                                    padded_,
                                                    count,
                                                    inverse);
    check_launch("multiply by a chirp");
    fft_.run(signal_.data(), signal_.data(), count, Direction::forward, stream);
    multiply_kernel<T><<<blocks, threads, 0, stream>>>(
        elements(signal_.data()), elements(spectrum_.data()), padded_, count);
    check_launch("convolve with a chirp");
    fft_.run(signal_.data(), signal_.data(), count, Direction::inverse, stream);
    leave_kernel<T><<<blocks, threads, 0, stream>>>(elements(signal_.data()),
                                                    elements(chirp_.data()),
                                                    elements(out + begin * n_),
                                                    n_,
                                                    padded_,
                                                    count,
                                                    inverse,
                                                    scale);
    check_launch("multiply by a chirp");
  }
}

YUPANA_CLASSES(YUPANA_FLOATS, Bluestein)

}  // namespace yupana::spectral::cuda
