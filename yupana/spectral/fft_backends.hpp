#pragma once

#include "yupana/spectral/fft.hpp"

/// What fft.cpp dispatches to. Arguments are checked: lengths >= 1, batch >= 1, equal shapes; views
/// are equal or apart. Two-dimensional transforms are made of these by fft.cpp, except on the GPU.
/// Each is instantiated for float and double.
namespace yupana::spectral {

namespace reference {
/// The defining sums, accumulated in long double: n^2 operations a signal.
template <class T>
void fft(Signals<const std::complex<T>> in, Signals<std::complex<T>> out, Direction direction);
template <class T>
void fft_real(Signals<const T> in, Signals<std::complex<T>> out);
template <class T>
void inverse_fft_real(Signals<const std::complex<T>> in, Signals<T> out);
}  // namespace reference

namespace cpu {
template <class T>
void fft(Context& context,
         Signals<const std::complex<T>> in,
         Signals<std::complex<T>> out,
         Direction direction);
template <class T>
void fft_real(Context& context, Signals<const T> in, Signals<std::complex<T>> out);
template <class T>
void inverse_fft_real(Context& context, Signals<const std::complex<T>> in, Signals<T> out);
}  // namespace cpu

/// Host views: copied to the device, transformed, copied back (and counted by context.count_moved).
/// Views of a GPU's memory, dense: transformed there by plans that are kept for the next call; but
/// for the two of real matrices.
namespace cuda {
int cufft_version();
template <class T>
void fft(Context& context,
         Signals<const std::complex<T>> in,
         Signals<std::complex<T>> out,
         Direction direction,
         const FftParams& params);
template <class T>
void fft_real(Context& context, Signals<const T> in, Signals<std::complex<T>> out);
template <class T>
void inverse_fft_real(Context& context, Signals<const std::complex<T>> in, Signals<T> out);
template <class T>
void fft_2d(Context& context,
            MatrixView<const std::complex<T>> in,
            MatrixView<std::complex<T>> out,
            Direction direction);
template <class T>
void fft_real_2d(Context& context, MatrixView<const T> in, MatrixView<std::complex<T>> out);
template <class T>
void inverse_fft_real_2d(Context& context, MatrixView<const std::complex<T>> in, MatrixView<T> out);
}  // namespace cuda

}  // namespace yupana::spectral
