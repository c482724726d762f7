#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/random.hpp"
#include "yupana/spectral/fft.hpp"

namespace yupana::spectral {

/// Values in [-1, 1), the same for a seed everywhere.
template <class T>
std::vector<std::complex<T>> noise(std::int64_t n, std::uint64_t seed) {
  std::vector<std::complex<T>> values(static_cast<std::size_t>(n));
  const Random random(seed);
  const auto one = [&](std::uint64_t i) {
    return static_cast<T>(static_cast<double>(random.word(i) >> 11) * 0x1p-52 - 1);
  };
  for (std::size_t j = 0; j < values.size(); ++j) values[j] = {one(2 * j), one(2 * j + 1)};
  return values;
}

template <class T>
std::vector<T> real_noise(std::int64_t n, std::uint64_t seed) {
  std::vector<T> values;
  for (const auto& value : noise<T>(n, seed)) values.push_back(value.real());
  return values;
}

/// Relative L2 distance.
template <class A, class B>
double relative_error(const std::vector<A>& got, const std::vector<B>& want) {
  long double difference = 0, size = 0;
  for (std::size_t k = 0; k < want.size(); ++k) {
    difference += std::norm(std::complex<long double>(got[k]) - std::complex<long double>(want[k]));
    size += std::norm(std::complex<long double>(want[k]));
  }
  return size > 0 ? static_cast<double>(std::sqrt(difference / size))
                  : static_cast<double>(std::sqrt(difference));
}

/// What fft.hpp promises; a transform of one value only rounds nothing.
template <class T>
double error_bound(std::int64_t n) {
  return (sizeof(T) == 4 ? 3e-7 : 1e-15) * std::max(1.0, std::log2(static_cast<double>(n)));
}

inline ContextParams on(const char* device, int threads = 2) {
  ContextParams params;
  params.device = device;
  params.threads = threads;
  return params;
}

template <class T>
std::vector<std::complex<T>> transformed(Context& context,
                                         const std::vector<std::complex<T>>& x,
                                         Direction direction = Direction::forward) {
  std::vector<std::complex<T>> out(x.size());
  const auto n = static_cast<std::int64_t>(x.size());
  fft(context, Signals<const std::complex<T>>(x.data(), n), {out.data(), n}, direction);
  return out;
}

}  // namespace yupana::spectral
