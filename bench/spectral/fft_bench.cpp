#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <filesystem>
#include <vector>

#include "bench/spectral/spectral_peers.hpp"
#include "bench/support/bench.hpp"
#include "bench/support/python_peer.hpp"
#include "yupana/core/array.hpp"
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
  static constexpr const char* unit = "GFLOP/s (5 n log2 n)";

  double rate(double seconds) const { return operations / seconds * 1e-9; }
  void operator()(const std::string& impl,
                  const Timing& timing,
                  bool verified,
                  const std::string& version = {},
                  const std::string& note = {}) const {
    params.emit({"fft",
                 what,
                 impl,
                 rate(timing.median),
                 unit,
                 std::nullopt,
                 verified,
                 {},
                 version,
                 timing,
                 note});
  }
  template <class T>
  void operator()(const Fftw<T>& fftw, std::int64_t n, const Timing& timing, bool verified) const {
    (*this)(fmt::format("{}, {}, planned before", fftw.name(), Fftw<T>::planning(n)),
            timing,
            verified,
            fftw.version(),
            fftw.note());
  }
  void without_fftw(const std::string& reason) const {
    params.emit(left_out("fft", what, "FFTW 3", unit, reason));
  }
};

int repeats_of(const BenchParams& params, std::int64_t n) {
  if (params.quick) return 1;
  return n <= 1 << 16 ? 200 : n <= 1 << 21 ? 30 : 7;
}

/// Calls between two looks at the clock: a look takes as long as a transform of 64 values.
double calls_of(std::int64_t n) {
  return static_cast<double>(std::max<std::int64_t>(1, (1 << 14) / n));
}
template <class Body>
Timing time_calls(const BenchParams& params, std::int64_t n, const Body& body) {
  const double calls = calls_of(n);
  const auto run = [&] {
    for (double call = 0; call < calls; ++call) body();
  };
  return time_runs(repeats_of(params, n), run).per_call(calls);
}

/// A transform that Python calls, x to y, compared with the sums of three frequencies.
template <class T>
PythonPeer python_transform(const BenchParams& params, std::int64_t n) {
  PythonPeer peer;
  peer.setup = fmt::format(
      "r = np.random.default_rng(1)\n"
      "x = (r.random({0}) - 0.5 + 1j * (r.random({0}) - 0.5)).astype(np.complex{1})\n"
      "def right():\n"
      "    j = np.arange({0})\n"
      "    sums = [(k, (x * np.exp(-2j * np.pi * (j * k % {0}) / {0})).sum())\n"
      "            for k in (1, {0} // 3, {0} - 1)]\n"
      "    near = {2} * np.linalg.norm(x.astype(np.complex128))\n"
      "    return all(abs(y[k] - s) <= near for k, s in sums)",
      n,
      16 * sizeof(T),
      4 * bound<T>(n));
  peer.verified = "right()";
  peer.repeats = std::min(repeats_of(params, n), 10);
  return peer;
}

template <class T>
void python_peers(const Context& context,
                  const BenchParams& params,
                  std::int64_t n,
                  const Emit& emit) {
  const auto rate = [&](double seconds) { return emit.rate(seconds); };
  PythonPeer scipy = python_transform<T>(params, n);
  scipy.imports = "import numpy as np, scipy, scipy.fft";
  scipy.version = "'SciPy ' + scipy.__version__";
  scipy.statement = "y = scipy.fft.fft(x)";
  scipy.package = "python3-scipy";
  emit_python(params,
              "fft",
              emit.what,
              "scipy.fft (pocketfft), from Python, 1 thread",
              Emit::unit,
              run_python(scipy),
              rate);
  PythonPeer mkl = python_transform<T>(params, n);
  mkl.python = params.built_peers + "/mkl/bin/python";
  mkl.environment = fmt::format("MKL_NUM_THREADS={}", context.threads());
  mkl.setup += "\ny = np.empty_like(x)";
  mkl.imports = "import numpy as np, mkl_fft";
  mkl.version = "'mkl_fft ' + mkl_fft.__version__";
  mkl.statement = "mkl_fft.fft(x, out=y)";
  PythonResult ran;
  if (std::filesystem::exists(mkl.python)) {
    ran = run_python(mkl);
  } else {
    ran.why_not = "not installed in " + mkl.python + ": run bench/peers/install_mkl_fft.sh";
  }
  emit_python(params,
              "fft",
              emit.what,
              "mkl_fft, from Python, " + threads_text(context.threads()),
              Emit::unit,
              ran,
              rate);
}

template <class T>
void complex_case(Context& context, const BenchParams& params, std::int64_t n) {
  using C = std::complex<T>;
  const double log = std::log2(static_cast<double>(n));
  const Emit emit{
      params,
      fmt::format("complex {} n={}, {}", precision<T>, n, threads_text(context.threads())),
      5 * static_cast<double>(n) * log};
  Array<C> x(n), y(n);
  fill(x);
  const Timing whole = time_calls(params, n, [&] {
    spectral::fft(context, Signals<const C>(x.data(), n), Signals<C>(y.data(), n));
  });
  emit(impl_name(context) + ", whole call", whole, right(x, y.data(), n));
  if (context.backend() == Backend::cpu) {
    const spectral::FftPlan<T> plan(n);
    std::fill(y.begin(), y.end(), C{});
    const Timing planned =
        time_calls(params, n, [&] { plan.execute(context, x.data(), y.data()); });
    emit(impl_name(context) + ", planned before", planned, right(x, y.data(), n));
  }
  if (!params.peers) return;
  // Short transforms take less than waking FFTW's threads: they are timed on one as well.
  std::vector<int> counts = {context.threads()};
  if (n <= 1 << 16 && context.threads() > 1) counts.push_back(1);
  for (const int threads : counts) {
    Fftw<T> fftw(params.built_peers, threads);
    if (!fftw) {
      emit.without_fftw(fftw.why_not());
      break;
    }
    Array<C> in(n);
    const auto run = fftw.forward(n, in.data(), y.data());
    std::memcpy(static_cast<void*>(in.data()), x.data(), x.bytes());
    std::fill(y.begin(), y.end(), C{});
    const Timing timing = time_calls(params, n, run);
    emit(fftw, n, timing, right(x, y.data(), n));
  }
  python_peers<T>(context, params, n, emit);
}

template <class T>
void real_case(Context& context, const BenchParams& params, std::int64_t n) {
  using C = std::complex<T>;
  const Emit emit{params,
                  fmt::format("real {} n={}, {}", precision<T>, n, threads_text(context.threads())),
                  2.5 * static_cast<double>(n) * std::log2(static_cast<double>(n))};
  Array<C> x(n), y(n / 2 + 1);
  Array<T> r(n);
  fill(x);
  for (std::int64_t j = 0; j < n; ++j) {
    r[j] = x[j].real();
    x[j] = r[j];
  }
  const std::int64_t half = n / 2 + 1;
  const Timing whole = time_calls(params, n, [&] {
    spectral::fft_real(context, Signals<const T>(r.data(), n), Signals<C>(y.data(), half));
  });
  emit(impl_name(context) + ", whole call", whole, right(x, y.data(), half));
  if (context.backend() == Backend::cpu) {
    const spectral::RealFftPlan<T> plan(n);
    std::fill(y.begin(), y.end(), C{});
    const Timing planned =
        time_calls(params, n, [&] { plan.forward(context, r.data(), y.data()); });
    emit(impl_name(context) + ", planned before", planned, right(x, y.data(), half));
  }
  if (!params.peers) return;
  Fftw<T> fftw(params.built_peers, n <= 1 << 16 ? 1 : context.threads());
  if (!fftw) return emit.without_fftw(fftw.why_not());
  Array<T> in(n);
  const auto run = fftw.forward_real(n, in.data(), y.data());
  std::memcpy(in.data(), r.data(), r.bytes());
  std::fill(y.begin(), y.end(), C{});
  const Timing timing = time_calls(params, n, run);
  emit(fftw, n, timing, right(x, y.data(), half));
}

template <class T>
void matrix_case(Context& context, const BenchParams& params, std::int64_t side) {
  using C = std::complex<T>;
  const std::int64_t n = side * side;
  const Emit emit{
      params,
      fmt::format(
          "complex {} {} x {}, {}", precision<T>, side, side, threads_text(context.threads())),
      5 * static_cast<double>(n) * std::log2(static_cast<double>(n))};
  Array<C> x(n), y(n), peer_result(n);
  fill(x);
  const int repeats = params.quick ? 1 : 7;
  const Timing whole = time_runs(repeats, [&] {
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
  emit(impl_name(context) + ", whole call", whole, fine);
  if (!params.peers) return;
  Fftw<T> fftw(params.built_peers, context.threads());
  if (!fftw) return emit.without_fftw(fftw.why_not());
  const auto run = fftw.forward_2d(side, side, back.data(), peer_result.data());
  std::memcpy(static_cast<void*>(back.data()), x.data(), x.bytes());
  const Timing peer = time_runs(repeats, run);
  double apart = 0, size_of_result = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    apart += std::norm(std::complex<double>(peer_result[j]) - std::complex<double>(y[j]));
    size_of_result += std::norm(std::complex<double>(y[j]));
  }
  emit(fftw, n, peer, std::sqrt(apart / size_of_result) <= 2 * bound<T>(n));
}

}  // namespace

void fft(Context& context, const BenchParams& params) {
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return fft_cuda(context, params);
#endif
  const std::vector<std::int64_t> few{1 << 12, 1000, 1009};
  const std::vector<std::int64_t> many{64,
                                       100,
                                       256,
                                       500,
                                       1000,
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
  const std::vector<std::int64_t>& sizes = params.quick ? few : many;
  for (const std::int64_t n : sizes) {
    complex_case<float>(context, params, n);
    complex_case<double>(context, params, n);
  }
  const std::vector<std::int64_t> real_sizes =
      params.quick ? std::vector<std::int64_t>{1 << 12}
                   : std::vector<std::int64_t>{64, 1000, 1 << 10, 1 << 14, 1 << 21};
  for (const std::int64_t n : real_sizes) {
    real_case<float>(context, params, n);
    real_case<double>(context, params, n);
  }
  const std::int64_t side = params.quick ? 64 : 2048;
  matrix_case<float>(context, params, side);
  matrix_case<double>(context, params, side);
}

}  // namespace yupana::bench
