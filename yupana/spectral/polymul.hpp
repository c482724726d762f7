#pragma once

#include <cstdint>
#include <span>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"

namespace yupana::spectral {

/// Coefficients with what may be wrong with them: |coefficients[k] - exact[k]| <= error_bound.
struct RealProduct {
  Array<double> coefficients;
  double error_bound = 0;
};

/// Product of two polynomials with real coefficients, lowest degree first:
///   c[k] = sum over i + j = k of a[i] b[j],   a.size() + b.size() - 1 coefficients
/// by the FFT in double. Nothing times anything is nothing: an empty polynomial is 0.
///   error: an absolute bound, the same for every coefficient: a multiple of
///   2^-53 log2 n |a|_2 |b|_2, and of 2^-1074 for what underflows (polymul.cpp has the constants
///   and their proof)
///   determinism: the same bits for any number of threads
///   errors (bad_input): a coefficient that is NaN or infinite, named; a product, or sums of its
///   transforms, beyond the range of double
RealProduct polymul(Context& context, std::span<const double> a, std::span<const double> b);

/// The same into given memory, apart from the factors; returns the bound. All three on the host or
/// in the memory of a GPU of the context, where no bound is worked out (infinity) and no range
/// checked.
double polymul(Context& context,
               std::span<const double> a,
               std::span<const double> b,
               std::span<double> out);

/// min(max|a| sum|b|, sum|a| max|b|), which no coefficient of the product exceeds in magnitude.
///   errors (bad_input): 2^63 or more
std::uint64_t coefficient_bound(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// The same product for integers, exact: by number-theoretic transforms modulo one or two primes,
/// as many as the result needs, and the Chinese remainder theorem.
///   errors (bad_input): before any work, where a coefficient of the product might pass 64 bits:
///   those of coefficient_bound
///   determinism: exact, hence the same on every backend
Array<std::int64_t> polymul_exact(Context& context,
                                  std::span<const std::int64_t> a,
                                  std::span<const std::int64_t> b);

/// The same into given memory, on the host or in the memory of a GPU of the context, there up to
/// 2^63
/// - 2^31.
void polymul_exact(Context& context,
                   std::span<const std::int64_t> a,
                   std::span<const std::int64_t> b,
                   std::span<std::int64_t> out);

}  // namespace yupana::spectral
