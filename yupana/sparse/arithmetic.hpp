#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>

/// The list of YUPANA_SPARSE (core/instantiate.hpp) with complex values.
#define YUPANA_SPARSE_COMPLEX(make, name)                                                     \
  make(name, std::complex<float>, std::int32_t) make(name, std::complex<float>, std::int64_t) \
      make(name, std::complex<double>, std::int32_t)                                          \
          make(name, std::complex<double>, std::int64_t)

/// The operations of a triangular solve on real and complex values. std::complex has others: their
/// bits depend on the compiler.
namespace yupana::sparse {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

template <class R>
R product(R a, R b) {
  return a * b;
}
/// Four products, a difference and a sum, each rounded once.
template <class R>
std::complex<R> product(std::complex<R> a, std::complex<R> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// The power of two by which z is divided so that its larger part is in [1, 2); 0 and what is not
/// finite: 0.
template <class R>
int exponent_of(std::complex<R> z) {
  const R largest = std::max(std::fabs(z.real()), std::fabs(z.imag()));
  return largest > 0 && std::isfinite(largest) ? std::ilogb(largest) : 0;
}
template <class R>
std::complex<R> scaled(std::complex<R> z, int power) {
  return {std::scalbn(z.real(), power), std::scalbn(z.imag(), power)};
}

template <class R>
R quotient(R a, R b) {
  return a / b;
}
/// a / b, both scaled by powers of two to a larger part in [1, 2), so that nothing in between
/// overflows: the parts of a conj(b) over |b|^2, scaled back. Each operation is rounded once.
template <class R>
std::complex<R> quotient(std::complex<R> a, std::complex<R> b) {
  const int above = exponent_of(a), below = exponent_of(b);
  const std::complex<R> over = scaled(b, -below);
  const std::complex<R> parts = product(scaled(a, -above), std::conj(over));
  const R square = over.real() * over.real() + over.imag() * over.imag();
  return scaled(std::complex<R>(parts.real() / square, parts.imag() / square), above - below);
}

template <class R>
bool is_finite(R x) {
  return std::isfinite(x);
}
template <class R>
bool is_finite(std::complex<R> x) {
  return std::isfinite(x.real()) && std::isfinite(x.imag());
}

template <class Value>
Value conjugate(Value x) {
  if constexpr (is_complex<Value>) return std::conj(x);
  return x;
}

}  // namespace yupana::sparse
