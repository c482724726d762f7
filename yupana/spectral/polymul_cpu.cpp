#include <algorithm>
#include <complex>

#include "yupana/core/messages.hpp"
#include "yupana/spectral/convolution.hpp"
#include "yupana/spectral/half_spectrum.hpp"
#include "yupana/spectral/polymul_backends.hpp"

namespace yupana::spectral::cpu {
namespace {

template <class T>
bool same(std::span<const T> a, std::span<const T> b) {
  return a.data() == b.data() && a.size() == b.size();
}

}  // namespace

std::int64_t fast_length(std::int64_t n) {
  std::int64_t best = 0;
  for (const std::int64_t odd : {1, 3, 5}) {
    std::int64_t length = 2 * odd;
    while (length < n) length *= 2;
    if (best == 0 || length < best) best = length;
  }
  return best;
}

void polymul(Context& context,
             std::span<const double> a,
             std::span<const double> b,
             std::span<double> out) {
  using Complex = std::complex<double>;
  const std::int64_t n = fast_length(static_cast<std::int64_t>(out.size()));
  const std::int64_t h = n / 2;
  Transform<double> transform(&context, h);
  const HalfSpectrum<double> half(n);
  const auto spectrum = [&](std::span<const double> factor) {
    Array<Complex> values(h + 1);
    auto* const numbers = reinterpret_cast<double*>(values.data());
    const auto count = static_cast<std::int64_t>(factor.size());
    each_residue(context, n, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t filled = std::clamp(count, begin, end);
      std::copy(factor.data() + begin, factor.data() + filled, numbers + begin);
      std::fill(numbers + filled, numbers + end, 0.0);
    });
    transform.run(&context, numbers, numbers, Direction::forward);
    half.unfold(&context, values.data());
    return values;
  };
  Array<Complex> product = spectrum(a);
  const bool square = same(a, b);
  const Array<Complex> other = square ? Array<Complex>() : spectrum(b);
  each_residue(context, h + 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const Complex x = product[k], y = square ? x : other[k];
      product[k] = {x.real() * y.real() - x.imag() * y.imag(),
                    x.real() * y.imag() + x.imag() * y.real()};
    }
  });
  half.fold(&context, product.data());
  auto* const numbers = reinterpret_cast<double*>(product.data());
  transform.run(&context, numbers, numbers, Direction::inverse);
  each_residue(
      context, static_cast<std::int64_t>(out.size()), [&](std::int64_t begin, std::int64_t end) {
        std::copy(numbers + begin, numbers + end, out.data() + begin);
      });
}

void polymul_exact(Context& context,
                   std::span<const std::int64_t> a,
                   std::span<const std::int64_t> b,
                   std::uint64_t bound,
                   std::span<std::int64_t> out) {
  const auto a_count = static_cast<std::int64_t>(a.size());
  const auto b_count = static_cast<std::int64_t>(b.size());
  const auto count = static_cast<std::int64_t>(out.size());
  if (is_summed(a_count, b_count)) return reference::polymul_exact(a, b, out);
  const int bits = ntt_bits(count);
  if (bits > max_ntt_bits) {
    throw input_error(
        "polymul: {} coefficients; the exact product has at most 2^{}", count, max_ntt_bits);
  }
  Array<double> x, y, scratch;
  const auto residues = [&](const NttRoots& roots, Array<double>& to) {
    convolve(
        context,
        roots,
        a_count,
        b_count,
        same(a, b),
        [&](bool of_a, std::int64_t begin, std::int64_t end, double* to_residues) {
          const auto* from = (of_a ? a.data() : b.data()) + begin;
          ntt_load(roots, from, end - begin, to_residues);
        },
        to,
        scratch);
  };
  const NttRoots first(ntt_primes[0], bits);
  residues(first, x);
  if (bound <= static_cast<std::uint64_t>(single_prime_bound)) {
    return each_residue(context, count, [&](std::int64_t begin, std::int64_t end) {
      ntt_reduce(first, &x[begin], end - begin);
      for (std::int64_t k = begin; k < end; ++k) {
        out[static_cast<std::size_t>(k)] = static_cast<std::int64_t>(x[k]);
      }
    });
  }
  const NttRoots second(ntt_primes[1], bits);
  residues(second, y);
  each_residue(context, count, [&](std::int64_t begin, std::int64_t end) {
    ntt_join(first, second, &x[begin], &y[begin], end - begin);
    for (std::int64_t k = begin; k < end; ++k) {
      // |c| < 2^63, so y is small and nothing overflows but the sum's halves may: wrapped.
      const auto high = static_cast<std::uint64_t>(static_cast<std::int64_t>(y[k]));
      const auto low = static_cast<std::uint64_t>(static_cast<std::int64_t>(x[k]));
      out[static_cast<std::size_t>(k)] =
          static_cast<std::int64_t>(low + static_cast<std::uint64_t>(ntt_primes[0].p) * high);
    }
  });
}

}  // namespace yupana::spectral::cpu
