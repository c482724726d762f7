#include "yupana/spectral/ntt.hpp"

#include <algorithm>
#include <vector>

namespace yupana::spectral::cpu {
namespace {

/// Arithmetic modulo p in integers, for the tables.
struct Modulus {
  std::int64_t p;

  std::int64_t times(std::int64_t a, std::int64_t b) const {
    return static_cast<std::int64_t>(static_cast<__int128>(a) * b % p);
  }
  std::int64_t power(std::int64_t a, std::int64_t exponent) const {
    std::int64_t result = 1;
    for (; exponent > 0; exponent /= 2, a = times(a, a)) {
      if (exponent % 2 == 1) result = times(result, a);
    }
    return result;
  }
  /// The representative of least magnitude.
  double least(std::int64_t a) const { return static_cast<double>(a > p / 2 ? a - p : a); }
};

/// to[b * step] = w and w / p of w[b << shift] for b < count; generators[t] is of order 2^(t + 2).
void fill_roots(const NttRoots& roots,
                const std::vector<double>& generators,
                int shift,
                std::int64_t count,
                std::int64_t step,
                double* to) {
  Array<double> values(std::max<std::int64_t>(8, count));
  values[0] = 1;
  auto generator = generators.begin() + shift;
  for (std::int64_t first = 1; first < count; first *= 2) {
    ntt_scale(roots, values.data(), std::min(first, count - first), *generator++, &values[first]);
  }
  for (std::int64_t b = 0; b < count; ++b) {
    to[b * step] = values[b];
    to[b * step + 1] = values[b] * roots.p_inverse;
  }
}

void fill_lanes(const double* blocks, double* lanes) {
  // Row 2^u - 1 + s, lane l: w[2^u l + s].
  for (int u = 0; u < 3; ++u) {
    for (int s = 0; s < 1 << u; ++s) {
      for (int l = 0; l < 8; ++l) lanes[((1 << u) - 1 + s) * 8 + l] = blocks[2 * ((l << u) + s)];
    }
  }
}

}  // namespace

NttRoots::NttRoots(const NttPrime& prime, int bits_)
    : p(static_cast<double>(prime.p)), p_inverse(1 / p), bits(bits_) {
  const Modulus modulus{prime.p};
  const std::int64_t n = std::int64_t{1} << bits;
  // Tile t reaches w[4 t + 3], t < n / 64, and no pass reaches farther; the lanes' need w[31].
  const std::int64_t count = std::max<std::int64_t>(32, n / 16);
  blocks = Array<double>(2 * count);
  inverse_blocks = Array<double>(2 * count);
  tiles = Array<double>(6 * n / 64);
  inverse_tiles = Array<double>(6 * n / 64);
  lanes = Array<double>(56);
  inverse_lanes = Array<double>(56);
  for (const bool inverse : {false, true}) {
    const std::int64_t root = inverse ? modulus.power(prime.root, prime.p - 2) : prime.root;
    std::vector<double> generators;
    for (int t = 0; t < std::max(bits, 8); ++t) {
      generators.push_back(modulus.least(modulus.power(root, std::int64_t{1} << (30 - t))));
    }
    Array<double>& to = inverse ? inverse_blocks : blocks;
    fill_roots(*this, generators, 0, count, 2, to.data());
    Array<double>& to_tiles = inverse ? inverse_tiles : tiles;
    for (int u = 0; u < 3; ++u) {
      fill_roots(*this, generators, 3 + u, n / 64, 6, to_tiles.data() + 2 * u);
    }
    fill_lanes(to.data(), inverse ? inverse_lanes.data() : lanes.data());
  }
  scale = modulus.least(modulus.power(n % prime.p, prime.p - 2));
}

}  // namespace yupana::spectral::cpu
