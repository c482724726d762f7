#pragma once

#include <cstdint>

#include "yupana/core/context.hpp"

/// Host memory that calls of this family take in addition to their input and output, for plans made
/// before the work. A GPU's own memory is not counted.
namespace yupana::spectral {

/// Signals as fft.hpp takes them.
struct SignalShape {
  std::int64_t length = 1;
  std::int64_t batch = 1;
  bool columns = false;  ///< values of a signal are apart, as down the columns of a matrix
};

/// Of fft().
template <class T>
std::uint64_t fft_scratch_bytes(const Context& context, SignalShape signals);

/// Of fft_real() and inverse_fft_real(), for `signals` of real values.
template <class T>
std::uint64_t real_fft_scratch_bytes(const Context& context, SignalShape signals, bool inverse);

/// Of polymul() for a product of `count` coefficients.
std::uint64_t polymul_scratch_bytes(const Context& context, std::int64_t count);
/// Of polymul_exact() for factors of so many coefficients: as if two primes were needed unless
/// `bound`, of what a coefficient of the product can be, is given.
std::uint64_t polymul_exact_scratch_bytes(const Context& context,
                                          std::int64_t a,
                                          std::int64_t b,
                                          std::uint64_t bound);
/// Of multiply() for integers of so many limbs of 32 bits.
std::uint64_t integer_scratch_bytes(const Context& context, std::int64_t a, std::int64_t b);

}  // namespace yupana::spectral
