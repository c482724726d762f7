#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "bench/arrays/arrays_bench.hpp"
#include "bench/spectral/spectral_cuda_bench.hpp"
#include "bench/spectral/spectral_peers.hpp"
#include "bench/support/bench.hpp"
#include "yupana/core/random.hpp"
#include "yupana/spectral/big_integer.hpp"
#include "yupana/spectral/polymul.hpp"

namespace yupana::bench {
namespace {

using Integers = std::vector<std::int64_t>;
constexpr auto nothing = [] {};

Integers coefficients(std::int64_t n, int bits, std::uint64_t seed) {
  Integers values;
  const Random random(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t word = random.word(static_cast<std::uint64_t>(i));
    values.push_back(static_cast<std::int64_t>(word >> (63 - bits)) - (std::int64_t{1} << bits));
  }
  return values;
}

/// The value at x modulo 2^61 - 1, which no transform works with.
std::int64_t value_at(const std::int64_t* a, std::int64_t n, std::int64_t x) {
  constexpr std::int64_t prime = (std::int64_t{1} << 61) - 1;
  __int128 sum = 0;
  for (std::int64_t i = n; i-- > 0;) sum = (sum * x + a[i]) % prime;
  return static_cast<std::int64_t>((sum + prime) % prime);
}

bool right(const Integers& a, const Integers& b, const Array<std::int64_t>& c) {
  constexpr std::int64_t prime = (std::int64_t{1} << 61) - 1;
  const std::int64_t x = 1234567890123456789;
  const auto of = [&](const Integers& v) {
    return value_at(v.data(), static_cast<std::int64_t>(v.size()), x);
  };
  return value_at(c.data(), c.size(), x) ==
         static_cast<std::int64_t>(static_cast<__int128>(of(a)) * of(b) % prime);
}

void emit(const BenchParams& params,
          const std::string& what,
          const std::string& impl,
          double seconds,
          bool verified) {
  params.emit({"polymul", what, impl, 1e3 * seconds, "ms", std::nullopt, verified});
}

void exact_case(Context& context, const BenchParams& params, std::int64_t n, int bits) {
  const std::string what =
      fmt::format("two of {} coefficients below 2^{}, {} threads", n, bits, context.threads());
  const Integers a = coefficients(n, bits, 1), b = coefficients(n, bits, 2);
  const int repeats = params.quick ? 1 : 15;
  Array<std::int64_t> c;
  const double seconds =
      least_seconds(repeats, nothing, [&] { c = spectral::polymul_exact(context, a, b); });
  emit(params, what, "yupana cpu exact", seconds, right(a, b, c));
  const std::vector<double> x(a.begin(), a.end()), y(b.begin(), b.end());
  spectral::RealProduct product;
  const double real_seconds =
      least_seconds(repeats, nothing, [&] { product = spectral::polymul(context, x, y); });
  double worst = 0;
  for (std::int64_t k = 0; k < c.size(); ++k) {
    worst = std::max(worst, std::fabs(product.coefficients[k] - static_cast<double>(c[k])));
  }
  emit(params,
       what,
       fmt::format("yupana cpu real (error {:.2g} of {:.2g})", worst, product.error_bound),
       real_seconds,
       worst <= product.error_bound);
  if (!params.peers) return;
  Fftw<double> fftw(context.threads());
  if (!fftw) {
    context.note("FFTW: not installed (Debian: libfftw3-double3), left out");
  } else {
    using C = std::complex<double>;
    const std::int64_t length = 2 * n;
    Array<double> p(length), q(length), r(length);
    Array<C> u(n + 1), v(n + 1);
    const auto first = fftw.forward_real(length, p.data(), u.data());
    const auto second = fftw.forward_real(length, q.data(), v.data());
    const auto back = fftw.inverse_real(length, u.data(), r.data());
    const double peer = least_seconds(repeats, nothing, [&] {
      for (std::int64_t i = 0; i < length; ++i) p[i] = i < n ? x[static_cast<std::size_t>(i)] : 0;
      for (std::int64_t i = 0; i < length; ++i) q[i] = i < n ? y[static_cast<std::size_t>(i)] : 0;
      first();
      second();
      for (std::int64_t k = 0; k <= n; ++k) u[k] *= v[k] / static_cast<double>(length);
      back();
    });
    double apart = 0;
    for (std::int64_t k = 0; k < c.size(); ++k) {
      apart = std::max(apart, std::fabs(r[k] - static_cast<double>(c[k])));
    }
    emit(params,
         what,
         fmt::format("FFTW 3 double, planned before (error {:.2g})", apart),
         peer,
         apart <= product.error_bound);
  }
  const double scipy = numpy_seconds(
      fmt::format("import scipy.signal\nr = np.random.default_rng(1)\nx = r.random({0})\ny = "
                  "r.random({0})",
                  n),
      "pass",
      "scipy.signal.fftconvolve(x, y)",
      params.quick ? 1 : 5);
  if (scipy > 0) emit(params, what, "scipy.signal.fftconvolve", scipy, false);
}

spectral::BigInteger random_integer(std::int64_t limbs, std::uint64_t seed) {
  spectral::BigInteger number;
  const Random random(seed);
  for (std::int64_t i = 0; i < limbs; ++i) {
    number.limbs.push_back(static_cast<std::uint32_t>(random.word(static_cast<std::uint64_t>(i))));
  }
  number.limbs.back() |= 1;
  return number;
}

void integer_case(Context& context, const BenchParams& params, std::int64_t limbs) {
  using spectral::Digits;
  const std::string what =
      fmt::format("two integers of {} bits, {} threads", 32 * limbs, context.threads());
  const auto a = random_integer(limbs, 1), b = random_integer(limbs, 2);
  const int repeats = params.quick ? 1 : limbs < 10000 ? 100 : 10;
  spectral::BigInteger c;
  const double seconds =
      least_seconds(repeats, nothing, [&] { c = spectral::multiply(context, a, b); });
  std::string digits;
  const double text_seconds =
      least_seconds(1, nothing, [&] { digits = spectral::to_text(context, c); });
  const Gmp gmp;
  std::string product, peer_digits;
  double peer = 0, peer_text = 0;
  bool same = false, same_digits = false;
  if (gmp) {
    peer = gmp.multiply(spectral::to_text(context, a, Digits::hexadecimal),
                        spectral::to_text(context, b, Digits::hexadecimal),
                        repeats,
                        product);
    peer_text = gmp.to_decimal(product, peer_digits);
    same = product == spectral::to_text(context, c, Digits::hexadecimal);
    same_digits = digits == peer_digits;
  } else {
    context.note("GMP: not installed (Debian: libgmp10), left out: integers not verified");
  }
  emit(params, what, "yupana cpu", seconds, same);
  emit(params, what, "yupana cpu, product to decimal", text_seconds, same_digits);
  if (!params.peers || !gmp) return;
  emit(params, what, "GMP mpz_mul, 1 thread", peer, same);
  emit(params, what, "GMP mpz_get_str, 1 thread", peer_text, same_digits);
}

#ifdef YUPANA_CUDA
/// From host memory and back, beside the threads of the same machine.
void integer_case_on_gpu(Context& context, const BenchParams& params, std::int64_t limbs) {
  const auto a = random_integer(limbs, 1), b = random_integer(limbs, 2);
  Context threads(ContextParams{.device = "cpu"});
  const int repeats = params.quick ? 1 : 5;
  spectral::BigInteger on_gpu, on_cpu;
  const double gpu =
      least_seconds(repeats, nothing, [&] { on_gpu = spectral::multiply(context, a, b); });
  const double cpu =
      least_seconds(repeats, nothing, [&] { on_cpu = spectral::multiply(threads, a, b); });
  const std::string what = fmt::format("two integers of {} bits, from host memory", 32 * limbs);
  const BenchParams device = on_first_device(context, params);
  emit(device, what, "yupana cuda", gpu, on_gpu == on_cpu);
  emit(device,
       what,
       fmt::format("yupana cpu, {} threads", threads.threads()),
       cpu,
       on_gpu == on_cpu);
}
#endif

}  // namespace

void polymul(Context& context, const BenchParams& params) {
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) {
    polymul_cuda(context, params);
    for (const std::int64_t limbs : {4096, 8192, 32768, 1 << 20, 1 << 24}) {
      if (params.quick && limbs > 8192) break;
      integer_case_on_gpu(context, params, limbs);
    }
    return;
  }
#endif
  const std::int64_t n = std::int64_t{1} << (params.quick ? 12 : 20);
  exact_case(context, params, n, 12);  // the result fits one prime
  exact_case(context, params, n, 20);  // two
  for (const std::int64_t limbs : {64, 1024, 32768, 1 << 20}) {
    if (params.quick && limbs > 1024) break;
    integer_case(context, params, limbs);
  }
}

}  // namespace yupana::bench
