#pragma once

#include <complex>
#include <cstdint>

#include "yupana/core/array.hpp"
#include "yupana/spectral/fft_transform.hpp"

namespace yupana::spectral::cpu {

/// Any length by one of convolution (Bluestein 1970): with c[j] = e^(-i pi j^2 / n),
///   X[k] = c[k] sum over j of (x[j] c[j]) conj(c[k - j])
template <class T>
class Bluestein {
 public:
  /// Its tables cost as much as a transform: on the context's threads, where there is one.
  Bluestein(Context* context, std::int64_t length);
  void run(Context* context, const T* in, T* out, Ends<T> ends);
  /// The least length >= 2 n - 1 that transforms in few passes.
  static std::int64_t convolution_length(std::int64_t n);
  std::uint64_t bytes() const {
    return convolution_.bytes() + chirp_.bytes() + spectrum_.bytes() + values_.bytes();
  }

 private:
  std::int64_t n_;
  Transform<T> convolution_;
  Array<std::complex<T>> chirp_;     ///< c[j]
  Array<std::complex<T>> spectrum_;  ///< of conj(c), around 0
  Scratch<std::complex<T>> values_;
};

}  // namespace yupana::spectral::cpu
