#include "yupana/spectral/polymul.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "yupana/core/cuda/device.hpp"
#include "yupana/core/cuda/place.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/spectral/polymul_backends.hpp"

namespace yupana::spectral {
namespace {

/// Coefficients of a product; 0 where a factor has none.
std::int64_t product_size(std::size_t a, std::size_t b) {
  return a == 0 || b == 0 ? 0 : static_cast<std::int64_t>(a + b - 1);
}

void check_size(std::size_t a, std::size_t b, std::size_t out) {
  if (static_cast<std::int64_t>(out) == product_size(a, b)) return;
  throw usage_error(
      "polymul: expected memory for {} coefficients, got it for {}", product_size(a, b), out);
}

/// |a|_2; throws for what is no number.
double size_of(std::span<const double> a, const char* name) {
  long double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i])) {
      throw input_error(
          "polymul: {}: expected finite numbers, got {} at place {} (from 0)", name, a[i], i);
    }
    sum += static_cast<long double>(a[i]) * a[i];
  }
  return static_cast<double>(std::sqrt(sum));
}

// A transform of 2^t values errs by less than 4 t u in relative L2 norm (u = 2^-53; Higham 2002,
// theorem 24.2, with roots within 2 u: t (3.5 + sqrt 2 + ...) u < 6 t u) and Bluestein's are not
// used. |A| = sqrt(n) |a|, so the product of the spectra errs by at most sqrt(n) |A|_2 |B|_2 (12 t
// + 2) u / sqrt(n) in L1 norm by Cauchy-Schwarz, and the way back divides by n: entrywise
//   |error| <= |a|_2 |b|_2 (18 t + 8) u,
// where the step between half and whole spectra counts as one level more, three times. Below the
// normal doubles each operation errs by up to 2^-1074 besides: 4 t of them in each value of a
// spectrum, which the other's values multiply, and 4 t on the way back.
double bound_of(double a, double b, std::int64_t count) {
  if (a == 0 || b == 0) return 0;
  const double levels = std::ceil(std::log2(std::max<double>(2, static_cast<double>(count)))) + 2;
  const double subnormal = 8 * levels * (1 + std::exp2(levels / 2) * (a + b)) * 0x1p-1074;
  return a * b * (18 * levels + 8) * 0x1p-53 + subnormal;
}

/// No bound holds where the transforms, or the product itself, leave the range of double.
void check_range(std::span<const double> product, double bound) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (is_finite(bound) && std::all_of(product.begin(), product.end(), is_finite)) return;
  throw input_error(
      "polymul: expected sums of products within the range of double, got some beyond it; divide "
      "the coefficients by a power of 2 first");
}

Magnitudes magnitudes_of(std::span<const std::int64_t> a) {
  Magnitudes size;
  size.count = std::ssize(a);
  std::uint64_t most = 0;
  for (const std::int64_t value : a) {
    const std::uint64_t magnitude =
        value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    most = std::max(most, magnitude);
    size.sum += magnitude;
  }
  size.most = most;
  return size;
}

}  // namespace

std::uint64_t coefficient_bound(const Magnitudes& x, const Magnitudes& y) {
  constexpr unsigned __int128 limit = static_cast<unsigned __int128>(1) << 63;
  // Sums stay below 2^127 for any memory; products of more than 64 and 63 bits are beyond anyway.
  const auto product = [&](unsigned __int128 most, unsigned __int128 sum) {
    if (most == 0 || sum == 0) return static_cast<unsigned __int128>(0);
    return sum > limit / most ? limit : most * sum;
  };
  const unsigned __int128 bound = std::min(product(x.most, y.sum), product(y.most, x.sum));
  if (bound >= limit) {
    throw input_error(
        "polymul: the product's coefficients may reach 2^63 (largest magnitudes {} and {}, {} and "
        "{} coefficients); use smaller ones, or floating point (--real)",
        static_cast<std::uint64_t>(x.most),
        static_cast<std::uint64_t>(y.most),
        x.count,
        y.count);
  }
  return static_cast<std::uint64_t>(bound);
}

std::uint64_t coefficient_bound(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  return coefficient_bound(magnitudes_of(a), magnitudes_of(b));
}

RealProduct polymul(Context& context, std::span<const double> a, std::span<const double> b) {
  const std::int64_t count = product_size(a.size(), b.size());
  RealProduct product;
  product.coefficients = Array<double>(count);
  product.error_bound =
      polymul(context, a, b, {product.coefficients.data(), static_cast<std::size_t>(count)});
  return product;
}

double polymul(Context& context,
               std::span<const double> a,
               std::span<const double> b,
               std::span<double> out) {
  check_size(a.size(), b.size(), out.size());
  if constexpr (yupana::cuda::built) {
    if (!out.empty() && yupana::cuda::device_of(context, out.data()) >= 0) {
      cuda::polymul(context, a, b, out);
      return std::numeric_limits<double>::infinity();
    }
  }
  const double bound = bound_of(size_of(a, "a"), size_of(b, "b"), std::ssize(out));
  if (out.empty()) return bound;
  if (context.backend() == Backend::reference) {
    reference::polymul(a, b, out);
  } else if (context.backend() == Backend::cpu) {
    cpu::polymul(context, a, b, out);
  } else if constexpr (yupana::cuda::built) {
    cuda::polymul(context, a, b, out);
  }
  check_range(out, bound);
  return bound;
}

Array<std::int64_t> polymul_exact(Context& context,
                                  std::span<const std::int64_t> a,
                                  std::span<const std::int64_t> b) {
  Array<std::int64_t> product(product_size(a.size(), b.size()));
  polymul_exact(context, a, b, {product.data(), static_cast<std::size_t>(product.size())});
  return product;
}

void polymul_exact(Context& context,
                   std::span<const std::int64_t> a,
                   std::span<const std::int64_t> b,
                   std::span<std::int64_t> out) {
  check_size(a.size(), b.size(), out.size());
  if constexpr (yupana::cuda::built) {
    if (!out.empty() && yupana::cuda::device_of(context, out.data()) >= 0) {
      const std::uint64_t bound =
          coefficient_bound(cuda::magnitudes_of(context, a), cuda::magnitudes_of(context, b));
      return cuda::polymul_exact(context, a, b, bound, out);
    }
  }
  const std::uint64_t bound = coefficient_bound(a, b);
  if (out.empty()) return;
  if (context.backend() == Backend::reference) {
    reference::polymul_exact(a, b, out);
  } else if (context.backend() == Backend::cpu) {
    cpu::polymul_exact(context, a, b, bound, out);
  } else if constexpr (yupana::cuda::built) {
    cuda::polymul_exact(context, a, b, bound, out);
  }
}

}  // namespace yupana::spectral
