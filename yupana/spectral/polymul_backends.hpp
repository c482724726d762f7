#pragma once

#include <cstdint>
#include <span>

#include "yupana/core/context.hpp"

/// What polymul.cpp dispatches to. Both factors have at least one coefficient; `out` has a.size() +
/// b.size() - 1 and overlaps neither.
namespace yupana::spectral {

/// Magnitudes of integer coefficients.
struct Magnitudes {
  unsigned __int128 most = 0;
  unsigned __int128 sum = 0;
  std::int64_t count = 0;
};
/// min(max|a| sum|b|, sum|a| max|b|), which no coefficient of the product exceeds.
/// errors: bad_input where it is 2^63 or more
std::uint64_t coefficient_bound(const Magnitudes& a, const Magnitudes& b);

namespace reference {
/// Term by term.
void polymul(std::span<const double> a, std::span<const double> b, std::span<double> out);
void polymul_exact(std::span<const std::int64_t> a,
                   std::span<const std::int64_t> b,
                   std::span<std::int64_t> out);
}  // namespace reference

/// `bound`: no coefficient of the product exceeds it in magnitude; < 2^63.
namespace cpu {
/// Whether sums of products are quicker than transforms, for factors of so many coefficients.
constexpr bool is_summed(std::int64_t a, std::int64_t b) {
  return a < 16 || b < 16 || a <= 4096 / b;
}
/// Least length >= n that the FFT takes in few passes: 2^a, 3 2^a or 5 2^a.
std::int64_t fast_length(std::int64_t n);
void polymul(Context& context,
             std::span<const double> a,
             std::span<const double> b,
             std::span<double> out);
void polymul_exact(Context& context,
                   std::span<const std::int64_t> a,
                   std::span<const std::int64_t> b,
                   std::uint64_t bound,
                   std::span<std::int64_t> out);
}  // namespace cpu

/// Factors and product on the host or, checked here, in the memory of a GPU.
namespace cuda {
Magnitudes magnitudes_of(const Context& context, std::span<const std::int64_t> values);
void polymul(Context& context,
             std::span<const double> a,
             std::span<const double> b,
             std::span<double> out);
void polymul_exact(Context& context,
                   std::span<const std::int64_t> a,
                   std::span<const std::int64_t> b,
                   std::uint64_t bound,
                   std::span<std::int64_t> out);
}  // namespace cuda

}  // namespace yupana::spectral
