#pragma once

#include <cuda_runtime.h>

#include <complex>
#include <cstdint>

#include "yupana/spectral/fft.hpp"

/// Transforms of arrays in the memory of the current GPU by plans that are kept there, queued on
/// the stream. Only for CUDA builds. R: float or double.
namespace yupana::python::device {

/// `batch` signals of length n > 0.
template <class R>
void fft(const std::complex<R>* in,
         std::int64_t n,
         std::int64_t batch,
         spectral::Direction direction,
         std::complex<R>* out,
         cudaStream_t stream);

/// `batch` real signals of length n > 0; out: n / 2 + 1 values of each.
template <class R>
void real_fft(
    const R* in, std::int64_t n, std::int64_t batch, std::complex<R>* out, cudaStream_t stream);
/// Back.
template <class R>
void inverse_real_fft(
    const std::complex<R>* in, std::int64_t n, std::int64_t batch, R* out, cudaStream_t stream);

template <class R>
void fft_2d(const std::complex<R>* in,
            std::int64_t rows,
            std::int64_t cols,
            spectral::Direction direction,
            std::complex<R>* out,
            cudaStream_t stream);

}  // namespace yupana::python::device
