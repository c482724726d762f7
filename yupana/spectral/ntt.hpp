#pragma once

#include <cstdint>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"

/// Number-theoretic transforms in double arithmetic: exact cyclic convolution modulo primes below
/// 2^47.
///
/// A residue is an integer in a double, |x| <= M p. Its product with a root, |w| <= 0.53 p, is
///   h = fl(x w), l = x w - h (exact by fma), q = round(fl(x fl(w fl(1 / p)))), r = (h - q p) + l
/// Three roundings leave q within 1/2 + |x w / p| 3 2^-53 <= 1/2 + 0.025 M of x w / p (p < 2^47).
/// h and q p are integers and differ by less than 2^53, so the fma h - q p is exact, and so is the
/// last sum: r is congruent to x w and |r| <= (1/2 + 0.025 M) p. A level of a forward transform
/// makes M of it M + 1/2 + 0.025 M: from 0.6 to less than 24 in 30 levels, and 25 p < 2^53, so no
/// sum is ever rounded. The inverse adds at most four times before it multiplies or reduces: 0.9 p
/// goes in, at most 16 * 0.9 p is multiplied, less than (1/2 + 0.36) p comes out.
namespace yupana::spectral::cpu {

/// Primes p = 1 modulo 2^32, and an element of order 2^32.
struct NttPrime {
  std::int64_t p;
  std::int64_t root;
};
inline constexpr NttPrime ntt_primes[2] = {{140496970186753, 15911035262396},
                                           {140458315481089, 96071490681681}};
/// Integers that the smaller prime identifies by residues within p / 2 + 1: |c| <= this, 0.498 p.
inline constexpr std::int64_t single_prime_bound = 70'000'000'000'000;

inline constexpr int min_ntt_bits = 6;
inline constexpr int max_ntt_bits = 30;

/// The roots of a prime for transforms of 2^bits residues.
///   w[b] = e(b), where bit t of b turns by 1 / 2^(t + 2) of the circle: block b of a level is
///   taken modulo x^(2m) - w[b]^2 = (x^m - w[b]) (x^m + w[b])
class NttRoots {
 public:
  NttRoots(const NttPrime& prime, int bits);

  double p;
  double p_inverse;
  int bits;
  Array<double> blocks;          ///< [b] w, w / p
  Array<double> inverse_blocks;  ///< the same of 1 / w
  Array<double> tiles;           ///< [t][3] w[8 t], w[16 t], w[32 t], each with w / p
  Array<double> inverse_tiles;
  Array<double> lanes;  ///< [7][8]: w[l]; w[2 l], w[2 l + 1]; w[4 l] .. w[4 l + 3], for lane l
  Array<double> inverse_lanes;
  double scale;  ///< 1 / 2^bits
};

/// to[j] = in[j] w modulo p, of least magnitude or nearly so, |in[j]| <= p; to may follow in.
void ntt_scale(const NttRoots& roots, const double* in, std::int64_t count, double w, double* to);
/// to[j] congruent to in[j], |to[j]| < p, for j < count.
void ntt_load(const NttRoots& roots, const std::int64_t* in, std::int64_t count, double* to);
/// x[0, 2^bits) becomes its transform, |x| <= p before, in an order of its own.
void ntt_forward(Context& context, const NttRoots& roots, double* x);
/// x = inverse of (x times y element by element); y may be x.
void ntt_multiply_inverse(Context& context, const NttRoots& roots, double* x, const double* y);
/// Residues of least magnitude, within 0.51 p, of the results of ntt_multiply_inverse.
void ntt_reduce(const NttRoots& roots, double* x, std::int64_t count);
/// From residues c = x modulo p (`first`) and c = y modulo q (`second`), results as above: x of
/// least magnitude, and y = (c - x) / p modulo q likewise, so that c = x + p y where |c| < 0.4 p q.
void ntt_join(
    const NttRoots& first, const NttRoots& second, double* x, double* y, std::int64_t count);

}  // namespace yupana::spectral::cpu
