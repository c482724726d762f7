#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <vector>

#include "bench/arrays/arrays_bench.hpp"
#include "bench/spectral/spectral_cuda_bench.hpp"
#include "bench/spectral/spectral_peers.hpp"
#include "bench/support/bench.hpp"
#include "yupana/core/random.hpp"
#include "yupana/spectral/fft.hpp"

namespace yupana::bench {
namespace {

using spectral::Signals;

template <class T>
constexpr const char* precision = sizeof(T) == 4 ? "float" : "double";

/// What fft.hpp promises.
template <class T>
double bound(std::int64_t n) {
  return (sizeof(T) == 4 ? 3e-7 : 1e-15) * std::log2(static_cast<double>(n));
}

template <class T>
void fill(Array<std::complex<T>>& x) {
  const Random random(1);
  for (std::int64_t j = 0; j < x.size(); ++j) {
    const std::uint64_t word = random.word(static_cast<std::uint64_t>(j));
    const auto part = [](std::uint64_t bits) {
      return static_cast<T>(static_cast<double>(bits & 0xffffffff) * 0x1p-31 - 1);
    };
    x[j] = {part(word), part(word >> 32)};
  }
}

/// Some frequencies against the sums as they stand, in long double.
template <class T>
bool right(const Array<std::complex<T>>& x, const std::complex<T>* got, std::int64_t count) {
  const std::int64_t n = x.size();
  long double energy = 0;
  for (std::int64_t j = 0; j < n; ++j) energy += std::norm(std::complex<double>(x[j]));
  const long double rms = std::sqrt(energy);  // of the transform's values
  bool fine = true;
  for (const std::int64_t k : {std::int64_t{1}, count / 3, count - 1}) {
    std::complex<long double> sum = 0;
    const long double turn = -2 * std::acos(-1.0L) / static_cast<long double>(n);
    for (std::int64_t j = 0; j < n; ++j) {
      const auto power = static_cast<std::int64_t>(static_cast<__int128>(j) * k % n);
      sum += std::complex<long double>(x[j]) *
             std::polar(1.0L, turn * static_cast<long double>(power));
    }
    fine = fine && std::abs(std::complex<long double>(got[k]) - sum) <= 4 * bound<T>(n) * rms;
  }
  return fine;
}

struct Emit {
  const BenchParams& params;
  std::string what;
  double operations;  ///< 5 n log2 n, half of it for real values: the field's convention

  void operator()(const std::string& impl, double seconds, bool verified) const {
    params.emit({"fft",
                 what,
                 fmt::format("{} ({:.4g} ms)", impl, 1e3 * seconds),
                 operations / seconds * 1e-9,
                 "GFLOP/s (5 n log2 n)",
                 std::nullopt,
                 verified});
  }
};

int repeats_of(const BenchParams& params, std::int64_t n) {
  if (params.quick) return 1;
  return n <= 1 << 16 ? 200 : n <= 1 << 21 ? 30 : 7;
}

constexpr auto nothing = [] {};

/// Calls between two looks at the clock: a look takes as long as a transform of 64 values.
double calls_of(std::int64_t n) {
  return static_cast<double>(std::max<std::int64_t>(1, (1 << 14) / n));
}
template <class Body>
void for_each_of(std::int64_t n, const Body& body) {
  for (double call = 0; call < calls_of(n); ++call) body();
}

template <class T>
double scipy_seconds(const std::string& call, const std::string& setup, int repeats) {
  return numpy_seconds(
      "import scipy.fft\nr = np.random.default_rng(1)\n" + setup, "pass", call, repeats);
}

template <class T>
void complex_case(Context& context, const BenchParams& params, std::int64_t n) {
  using C = std::complex<T>;
  const double log = std::log2(static_cast<double>(n));
  const Emit emit{params,
                  fmt::format("complex {} n={}, {} threads", precision<T>, n, context.threads()),
                  5 * static_cast<double>(n) * log};
  Array<C> x(n), y(n);
  fill(x);
  const int repeats = repeats_of(params, n);
  const double seconds =
      least_seconds(repeats,
                    nothing,
                    [&] {
                      for_each_of(n, [&] {
                        spectral::fft(
                            context, Signals<const C>(x.data(), n), Signals<C>(y.data(), n));
                      });
                    }) /
      calls_of(n);
  emit("yupana cpu, whole call", seconds, right(x, y.data(), n));
  const spectral::FftPlan<T> plan(n);
  const double planned = least_seconds(repeats, nothing, [&] {
    for_each_of(n, [&] { plan.execute(context, x.data(), y.data()); });
  });
  emit("yupana cpu, planned before", planned / calls_of(n), right(x, y.data(), n));
  if (!params.peers) return;
  // Short transforms take less than waking FFTW's threads: they are timed on one as well.
  std::vector<int> counts = {context.threads()};
  if (n <= 1 << 16 && context.threads() > 1) counts.push_back(1);
  for (const int threads : counts) {
    Fftw<T> fftw(threads);
    if (!fftw) {
      context.note(fmt::format("FFTW: not installed (Debian: {}), left out", Fftw<T>::package()));
      break;
    }
    Array<C> in(n);
    const auto run = fftw.forward(n, in.data(), y.data());
    std::memcpy(static_cast<void*>(in.data()), x.data(), x.bytes());
    const double peer = least_seconds(repeats, nothing, [&] { for_each_of(n, run); });
    emit(fmt::format("FFTW 3 {}, {} threads, planned before", Fftw<T>::planning(n), threads),
         peer / calls_of(n),
         right(x, y.data(), n));
  }
  const double peer = scipy_seconds<T>(
      fmt::format("scipy.fft.fft(x, workers={})", context.threads()),
      fmt::format(
          "x = (r.random({0}) + 1j * r.random({0})).astype(np.complex{1})", n, 16 * sizeof(T)),
      std::min(repeats, 10));
  if (peer > 0) emit("scipy.fft (pocketfft)", peer, false);
}

template <class T>
void real_case(Context& context, const BenchParams& params, std::int64_t n) {
  using C = std::complex<T>;
  const Emit emit{params,
                  fmt::format("real {} n={}, {} threads", precision<T>, n, context.threads()),
                  2.5 * static_cast<double>(n) * std::log2(static_cast<double>(n))};
  Array<C> x(n), y(n / 2 + 1);
  Array<T> r(n);
  fill(x);
  for (std::int64_t j = 0; j < n; ++j) {
    r[j] = x[j].real();
    x[j] = r[j];
  }
  const int repeats = repeats_of(params, n);
  const std::int64_t half = n / 2 + 1;
  const auto time = [&](const auto& run) {
    return least_seconds(repeats, nothing, [&] { for_each_of(n, run); }) / calls_of(n);
  };
  const double seconds = time([&] {
    spectral::fft_real(context, Signals<const T>(r.data(), n), Signals<C>(y.data(), half));
  });
  emit("yupana cpu, whole call", seconds, right(x, y.data(), half));
  const spectral::RealFftPlan<T> plan(n);
  const double planned = time([&] { plan.forward(context, r.data(), y.data()); });
  emit("yupana cpu, planned before", planned, right(x, y.data(), half));
  if (!params.peers) return;
  const int threads = n <= 1 << 16 ? 1 : context.threads();
  if (Fftw<T> fftw(threads); fftw) {
    Array<T> in(n);
    const auto run = fftw.forward_real(n, in.data(), y.data());
    std::memcpy(in.data(), r.data(), r.bytes());
    const double peer = time(run);
    emit(fmt::format("FFTW 3 {}, {} threads, planned before", Fftw<T>::planning(n), threads),
         peer,
         right(x, y.data(), half));
  }
}

template <class T>
void matrix_case(Context& context, const BenchParams& params, std::int64_t side) {
  using C = std::complex<T>;
  const std::int64_t n = side * side;
  const Emit emit{
      params,
      fmt::format("complex {} {} x {}, {} threads", precision<T>, side, side, context.threads()),
      5 * static_cast<double>(n) * std::log2(static_cast<double>(n))};
  Array<C> x(n), y(n), peer_result(n);
  fill(x);
  const int repeats = params.quick ? 1 : 7;
  const double seconds = least_seconds(repeats, nothing, [&] {
    spectral::fft_2d(
        context, MatrixView<const C>(x.data(), side, side), MatrixView<C>(y.data(), side, side));
  });
  // The sum of everything is the first value; the other way back must be the input.
  Array<C> back(n);
  spectral::fft_2d(context,
                   MatrixView<const C>(y.data(), side, side),
                   MatrixView<C>(back.data(), side, side),
                   spectral::Direction::inverse);
  double difference = 0, size = 0;
  std::complex<double> sum = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    difference += std::norm(std::complex<double>(back[j]) - std::complex<double>(x[j]));
    size += std::norm(std::complex<double>(x[j]));
    sum += std::complex<double>(x[j]);
  }
  const bool fine = std::sqrt(difference / size) <= 2 * bound<T>(n) &&
                    std::abs(std::complex<double>(y[0]) - sum) <= 4 * bound<T>(n) * std::sqrt(size);
  emit("yupana cpu, whole call", seconds, fine);
  if (!params.peers) return;
  if (Fftw<T> fftw(context.threads()); fftw) {
    const auto run = fftw.forward_2d(side, side, back.data(), peer_result.data());
    std::memcpy(static_cast<void*>(back.data()), x.data(), x.bytes());
    const double peer = least_seconds(repeats, nothing, run);
    double apart = 0, whole = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      apart += std::norm(std::complex<double>(peer_result[j]) - std::complex<double>(y[j]));
      whole += std::norm(std::complex<double>(y[j]));
    }
    emit(fmt::format("FFTW 3 {}, planned before", Fftw<T>::planning(n)),
         peer,
         std::sqrt(apart / whole) <= 2 * bound<T>(n));
  }
}

}  // namespace

void fft(Context& context, const BenchParams& params) {
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return fft_cuda(context, params);
#endif
  const std::vector<std::int64_t> sizes = params.quick
                                              ? std::vector<std::int64_t>{1 << 12, 1000, 1009}
                                              : std::vector<std::int64_t>{64,
                                                                          256,
                                                                          1 << 10,
                                                                          1009,
                                                                          1 << 12,
                                                                          1 << 14,
                                                                          1 << 16,
                                                                          1000000,
                                                                          1 << 20,
                                                                          1000003,
                                                                          1 << 22,
                                                                          1 << 24};
  for (const std::int64_t n : sizes) {
    complex_case<float>(context, params, n);
    complex_case<double>(context, params, n);
  }
  const std::vector<std::int64_t> real_sizes =
      params.quick ? std::vector<std::int64_t>{1 << 12}
                   : std::vector<std::int64_t>{64, 1 << 10, 1 << 14, 1 << 21};
  for (const std::int64_t n : real_sizes) {
    real_case<float>(context, params, n);
    real_case<double>(context, params, n);
  }
  const std::int64_t side = params.quick ? 64 : 2048;
  matrix_case<float>(context, params, side);
  matrix_case<double>(context, params, side);
}

}  // namespace yupana::bench
