#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/spectral/ntt.hpp"

namespace yupana::spectral::cpu {

/// The least power of two that holds `count` residues, as its exponent.
inline int ntt_bits(std::int64_t count) {
  int bits = min_ntt_bits;
  while ((std::int64_t{1} << bits) < count) ++bits;
  return bits;
}

/// Loops over [0, count) in whole vectors, which arrays of a power of two have room for.
template <class Body>
void each_residue(Context& context, std::int64_t count, const Body& body) {
  constexpr std::int64_t piece = 1 << 14;
  const std::int64_t pieces = (count + piece - 1) / piece;
  if (pieces <= 1) return body(0, count);
  context.parallel_for(pieces, 1, [&](std::int64_t begin, std::int64_t end) {
    body(begin * piece, std::min(end * piece, count));
  });
}

/// a = convolution of a_count and b_count numbers modulo one prime. load(of_a, begin, end, to)
/// writes numbers [begin, end) of a factor as residues. `square`: the factors are the same. Both
/// arrays are made as long as the transform; b is scratch.
template <class Load>
void convolve(Context& context,
              const NttRoots& roots,
              std::int64_t a_count,
              std::int64_t b_count,
              bool square,
              const Load& load,
              Array<double>& a,
              Array<double>& b) {
  const std::int64_t n = std::int64_t{1} << roots.bits;
  const auto transform = [&](bool of_a, std::int64_t count, Array<double>& x) {
    if (x.size() != n) x = Array<double>(n);
    each_residue(context, n, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t filled = std::clamp(count, begin, end);
      load(of_a, begin, filled, x.data() + begin);
      std::fill(x.data() + filled, x.data() + end, 0.0);
    });
    ntt_forward(context, roots, x.data());
  };
  transform(true, a_count, a);
  if (!square) transform(false, b_count, b);
  ntt_multiply_inverse(context, roots, a.data(), square ? a.data() : b.data());
}

}  // namespace yupana::spectral::cpu
