#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "bench/spectral/spectral_peers.hpp"
#include "bench/support/bench.hpp"
#include "bench/support/python_peer.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/random.hpp"
#include "yupana/spectral/big_integer.hpp"
#include "yupana/spectral/polymul.hpp"

namespace yupana::bench {
namespace {

using Integers = std::vector<std::int64_t>;
constexpr const char* unit = "ms";

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
          const Timing& timing,
          bool verified,
          const std::string& version = {},
          const std::string& note = {}) {
  params.emit({"polymul",
               what,
               impl,
               1e3 * timing.median,
               unit,
               std::nullopt,
               verified,
               {},
               version,
               timing,
               note});
}

/// The product by three transforms of FFTW, planned before; the result in `product`.
Timing time_fftw(Fftw<double>& fftw,
                 const std::vector<double>& x,
                 const std::vector<double>& y,
                 int repeats,
                 Array<double>& product) {
  using C = std::complex<double>;
  const auto n = std::ssize(x), length = 2 * n;
  Array<double> p(length), q(length);
  product = Array<double>(length);
  Array<C> u(n + 1), v(n + 1);
  const auto first = fftw.forward_real(length, p.data(), u.data());
  const auto second = fftw.forward_real(length, q.data(), v.data());
  const auto back = fftw.inverse_real(length, u.data(), product.data());
  return time_runs(repeats, [&] {
    for (std::int64_t i = 0; i < length; ++i) p[i] = i < n ? x[static_cast<std::size_t>(i)] : 0;
    for (std::int64_t i = 0; i < length; ++i) q[i] = i < n ? y[static_cast<std::size_t>(i)] : 0;
    first();
    second();
    for (std::int64_t k = 0; k <= n; ++k) u[k] *= v[k] / static_cast<double>(length);
    back();
  });
}

/// Largest difference of a product from the exact one.
template <class Product>
double error_of(const Product& product, const Array<std::int64_t>& exact) {
  double worst = 0;
  for (std::int64_t k = 0; k < exact.size(); ++k) {
    worst = std::max(worst, std::fabs(product[k] - static_cast<double>(exact[k])));
  }
  return worst;
}

void scipy(const BenchParams& params, const std::string& what, std::int64_t n, int bits) {
  PythonPeer peer{.imports = "import numpy as np, scipy, scipy.signal",
                  .version = "'SciPy ' + scipy.__version__"};
  peer.setup = fmt::format(
      "r = np.random.default_rng(1)\n"
      "a, b = r.integers(-2**{1}, 2**{1}, (2, {0}))\n"
      "x, y = a.astype(float), b.astype(float)\n"
      "def right():\n"
      "    return all(abs(float((a[:k + 1] * b[k::-1]).sum()) - z[k]) < 0.5 for k in\n"
      "               (0, {0} // 3, {0} - 1))",
      n,
      bits);
  peer.statement = "z = scipy.signal.fftconvolve(x, y)";
  peer.verified = "right()";
  peer.repeats = params.quick ? 1 : 5;
  peer.package = "python3-scipy";
  emit_python(params,
              "polymul",
              what,
              "scipy.signal.fftconvolve, 1 thread",
              unit,
              run_python(peer),
              [](double seconds) { return 1e3 * seconds; });
}

void exact_case(Context& context, const BenchParams& params, std::int64_t n, int bits) {
  const std::string what = fmt::format(
      "two of {} coefficients below 2^{}, {}", n, bits, threads_text(context.threads()));
  const Integers a = coefficients(n, bits, 1), b = coefficients(n, bits, 2);
  const int repeats = params.quick ? 1 : 15;
  Array<std::int64_t> c;
  const Timing exact = time_runs(repeats, [&] { c = spectral::polymul_exact(context, a, b); });
  emit(params, what, impl_name(context) + ", exact", exact, right(a, b, c));
  const std::vector<double> x(a.begin(), a.end()), y(b.begin(), b.end());
  spectral::RealProduct product;
  const Timing real = time_runs(repeats, [&] { product = spectral::polymul(context, x, y); });
  const double worst = error_of(product.coefficients, c);
  emit(params,
       what,
       fmt::format(
           "{}, real (error {:.2g} of {:.2g})", impl_name(context), worst, product.error_bound),
       real,
       worst <= product.error_bound);
  if (!params.peers) return;
  Fftw<double> fftw(params.built_peers, context.threads());
  if (fftw) {
    Array<double> theirs;
    const Timing timing = time_fftw(fftw, x, y, repeats, theirs);
    const double apart = error_of(theirs, c);
    emit(params,
         what,
         fmt::format("{}, double, planned before (error {:.2g})", fftw.name(), apart),
         timing,
         apart <= product.error_bound,
         fftw.version(),
         fftw.note());
  } else {
    params.emit(left_out("polymul", what, "FFTW 3, double", unit, fftw.why_not()));
  }
  scipy(params, what, n, bits);
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
      fmt::format("two integers of {} bits, {}", 32 * limbs, threads_text(context.threads()));
  const auto a = random_integer(limbs, 1), b = random_integer(limbs, 2);
  const int repeats = params.quick ? 1 : limbs < 10000 ? 100 : 10;
  const int text_repeats = params.quick ? 1 : 3;
  spectral::BigInteger c;
  const Timing ours = time_runs(repeats, [&] { c = spectral::multiply(context, a, b); });
  std::string digits;
  const Timing text = time_runs(text_repeats, [&] { digits = spectral::to_text(context, c); });
  const Gmp gmp;
  std::string product, peer_digits;
  Timing peer, peer_text;
  if (gmp) {
    peer = gmp.multiply(spectral::to_text(context, a, Digits::hexadecimal),
                        spectral::to_text(context, b, Digits::hexadecimal),
                        repeats,
                        product);
    peer_text = gmp.to_decimal(product, text_repeats, peer_digits);
  }
  const bool same = gmp && product == spectral::to_text(context, c, Digits::hexadecimal);
  const bool same_digits = gmp && digits == peer_digits;
  emit(params, what, impl_name(context), ours, same);
  emit(params, what, impl_name(context) + ", product to decimal", text, same_digits);
  if (!params.peers) return;
  if (!gmp) {
    return params.emit(left_out(
        "polymul", what, "GMP mpz_mul, 1 thread", unit, "not installed: Debian's libgmp10"));
  }
  emit(params, what, "GMP mpz_mul, 1 thread", peer, same, gmp.version());
  emit(params, what, "GMP mpz_get_str, 1 thread", peer_text, same_digits, gmp.version());
}

#ifdef YUPANA_CUDA
/// From host memory and back, beside the threads of the same machine.
void integer_case_on_gpu(Context& context, const BenchParams& params, std::int64_t limbs) {
  const auto a = random_integer(limbs, 1), b = random_integer(limbs, 2);
  Context threads(ContextParams{.device = "cpu"});
  const int repeats = params.quick ? 1 : 5;
  spectral::BigInteger on_gpu, on_cpu;
  const Timing gpu = time_runs(repeats, [&] { on_gpu = spectral::multiply(context, a, b); });
  const Timing cpu = time_runs(repeats, [&] { on_cpu = spectral::multiply(threads, a, b); });
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
