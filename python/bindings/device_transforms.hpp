#pragma once

#include <complex>
#include <cstdint>

#include "yupana/spectral/fft.hpp"

/// Transforms of arrays in the memory of the current GPU by plans that are kept there. Only for
/// CUDA builds; each call has ended on the device when it returns. R: float or double.
namespace yupana::python::device {

/// `batch` signals of length n > 0.
template <class R>
void fft(const std::complex<R>* in,
         std::int64_t n,
         std::int64_t batch,
         spectral::Direction direction,
         std::complex<R>* out);

/// `batch` real signals of length n > 0; out: n / 2 + 1 values of each.
template <class R>
void real_fft(const R* in, std::int64_t n, std::int64_t batch, std::complex<R>* out);
/// Back.
template <class R>
void inverse_real_fft(const std::complex<R>* in, std::int64_t n, std::int64_t batch, R* out);

template <class R>
void fft_2d(const std::complex<R>* in,
            std::int64_t rows,
            std::int64_t cols,
            spectral::Direction direction,
            std::complex<R>* out);

}  // namespace yupana::python::device
