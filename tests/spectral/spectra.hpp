#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/random.hpp"
#include "yupana/spectral/fft.hpp"

namespace yupana::spectral {

/// All threads of the machine: what is compared with takes most of the time.
inline Context& workers() {
  static Context context({.device = "cpu"});
  return context;
}
inline constexpr std::int64_t of_a_worker = 1 << 16;  ///< values at a time

/// Values in [-1, 1), the same for a seed everywhere.
template <class T>
std::vector<std::complex<T>> noise(std::int64_t n, std::uint64_t seed) {
  std::vector<std::complex<T>> values(static_cast<std::size_t>(n));
  const Random random(seed);
  const auto one = [&](std::uint64_t i) {
    return static_cast<T>(static_cast<double>(random.word(i) >> 11) * 0x1p-52 - 1);
  };
  workers().parallel_for(n, of_a_worker, [&](std::int64_t begin, std::int64_t end) {
    for (auto j = static_cast<std::uint64_t>(begin); j < static_cast<std::uint64_t>(end); ++j) {
      values[j] = {one(2 * j), one(2 * j + 1)};
    }
  });
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
  struct Sums {
    long double difference = 0, size = 0;
  };
  std::vector<Sums> parts(want.size() / of_a_worker + 1);
  workers().parallel_for(std::ssize(parts), 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto p = static_cast<std::size_t>(begin); p < static_cast<std::size_t>(end); ++p) {
      Sums own;
      for (std::size_t k = p * of_a_worker; k < std::min(want.size(), (p + 1) * of_a_worker); ++k) {
        const std::complex<long double> wanted(want[k]);
        own.difference += std::norm(std::complex<long double>(got[k]) - wanted);
        own.size += std::norm(wanted);
      }
      parts[p] = own;
    }
  });
  long double difference = 0, size = 0;
  for (const Sums& part : parts) difference += part.difference, size += part.size;
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

/// The processor's transforms in double of signals of length n, one after the other.
template <class T>
std::vector<std::complex<double>> by_cpu(const std::vector<std::complex<T>>& x,
                                         std::int64_t n,
                                         Direction direction) {
  std::vector<std::complex<double>> wide(x.begin(), x.end());
  const Signals<std::complex<double>> signals(
      wide.data(), n, static_cast<std::int64_t>(wide.size()) / n);
  fft(workers(), signals, signals, direction);
  return wide;
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
