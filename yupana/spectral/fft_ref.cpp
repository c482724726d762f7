#include <cmath>
#include <complex>
#include <vector>

#include "yupana/core/instantiate.hpp"
#include "yupana/spectral/fft_backends.hpp"

namespace yupana::spectral::reference {
namespace {

using Wide = std::complex<long double>;

/// sum over j of x[j] e^(sign 2 pi i j k / n) for every k.
std::vector<Wide> transform(const std::vector<Wide>& x, int sign) {
  const std::size_t n = x.size();
  const long double turn = 2 * std::acos(-1.0L);
  std::vector<Wide> roots(n);
  for (std::size_t k = 0; k < n; ++k) {
    const long double angle = turn * static_cast<long double>(k) / static_cast<long double>(n);
    roots[k] = {std::cos(angle), sign * std::sin(angle)};
  }
  std::vector<Wide> sums(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t power = 0;  // j k modulo n
    long double re = 0, im = 0;
    for (std::size_t j = 0; j < n; ++j) {
      re += x[j].real() * roots[power].real() - x[j].imag() * roots[power].imag();
      im += x[j].real() * roots[power].imag() + x[j].imag() * roots[power].real();
      power = power + k < n ? power + k : power + k - n;
    }
    sums[k] = {re, im};
  }
  return sums;
}

}  // namespace

template <class T>
void fft(Signals<const std::complex<T>> in, Signals<std::complex<T>> out, Direction direction) {
  const bool inverse = direction == Direction::inverse;
  std::vector<Wide> x(static_cast<std::size_t>(in.length));
  const long double scale = inverse ? 1 / static_cast<long double>(in.length) : 1;
  for (std::int64_t b = 0; b < in.batch; ++b) {
    for (std::int64_t j = 0; j < in.length; ++j) x[static_cast<std::size_t>(j)] = Wide(in(b, j));
    const std::vector<Wide> sums = transform(x, inverse ? 1 : -1);
    for (std::int64_t k = 0; k < in.length; ++k) {
      const Wide value = scale * sums[static_cast<std::size_t>(k)];
      out(b, k) = {static_cast<T>(value.real()), static_cast<T>(value.imag())};
    }
  }
}

template <class T>
void fft_real(Signals<const T> in, Signals<std::complex<T>> out) {
  std::vector<Wide> x(static_cast<std::size_t>(in.length));
  for (std::int64_t b = 0; b < in.batch; ++b) {
    for (std::int64_t j = 0; j < in.length; ++j) x[static_cast<std::size_t>(j)] = in(b, j);
    const std::vector<Wide> sums = transform(x, -1);
    for (std::int64_t k = 0; k < out.length; ++k) {
      const Wide value = sums[static_cast<std::size_t>(k)];
      out(b, k) = {static_cast<T>(value.real()), static_cast<T>(value.imag())};
    }
  }
}

template <class T>
void inverse_fft_real(Signals<const std::complex<T>> in, Signals<T> out) {
  const std::int64_t n = out.length;
  std::vector<Wide> x(static_cast<std::size_t>(n));
  for (std::int64_t b = 0; b < in.batch; ++b) {
    for (std::int64_t k = 0; k < in.length; ++k) {
      const Wide value(in(b, k));
      x[static_cast<std::size_t>((n - k) % n)] = std::conj(value);
      x[static_cast<std::size_t>(k)] = 2 * k % n == 0 ? Wide(value.real()) : value;
    }
    const std::vector<Wide> sums = transform(x, 1);
    for (std::int64_t j = 0; j < n; ++j) {
      out(b, j) =
          static_cast<T>(sums[static_cast<std::size_t>(j)].real() / static_cast<long double>(n));
    }
  }
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, fft, fft_real, inverse_fft_real)

}  // namespace yupana::spectral::reference
