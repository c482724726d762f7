// Arithmetic modulo a prime in double vectors, and the levels of a transform; included once a SIMD
// target.
#if defined(YUPANA_SPECTRAL_NTT_LEVELS) == defined(HWY_TARGET_TOGGLE)
#ifdef YUPANA_SPECTRAL_NTT_LEVELS
#undef YUPANA_SPECTRAL_NTT_LEVELS
#else
#define YUPANA_SPECTRAL_NTT_LEVELS
#endif

HWY_BEFORE_NAMESPACE();
namespace yupana::spectral::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors of at most 8 lanes; the tiles below are 8 x 8 whatever the vector's width.
using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
constexpr std::int64_t lanes = HWY_LANES(double) < 8 ? HWY_LANES(double) : 8;

// The proof in ntt.hpp needs one rounding, where Highway's MulAdd takes two on processors without
// fused operations and in its emulated vectors, the baseline of newer compilers.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || (HWY_ARCH_X86 && HWY_TARGET > HWY_AVX2)
HWY_INLINE V fused(V a, V b, V c) {
  const D d;
  HWY_ALIGN double x[lanes], y[lanes], z[lanes];
  hn::Store(a, d, x), hn::Store(b, d, y), hn::Store(c, d, z);
  for (std::int64_t i = 0; i < lanes; ++i) z[i] = std::fma(x[i], y[i], z[i]);
  return hn::Load(d, z);
}
HWY_INLINE V fused_negative(V a, V b, V c) { return fused(hn::Neg(a), b, c); }
#else
HWY_INLINE V fused(V a, V b, V c) { return hn::MulAdd(a, b, c); }
HWY_INLINE V fused_negative(V a, V b, V c) { return hn::NegMulAdd(a, b, c); }
#endif

struct Field {
  V p, p_inverse;

  explicit Field(const NttRoots& roots)
      : p(hn::Set(D(), roots.p)), p_inverse(hn::Set(D(), roots.p_inverse)) {}
  /// x w, with w_over_p = w / p.
  HWY_INLINE V times(V x, V w, V w_over_p) const {
    const V h = hn::Mul(x, w);
    const V l = fused(x, w, hn::Neg(h));
    const V q = hn::Round(hn::Mul(x, w_over_p));
    return hn::Add(fused_negative(q, p, h), l);
  }
  HWY_INLINE V times(V x, V w) const { return times(x, w, hn::Mul(w, p_inverse)); }
  HWY_INLINE V reduced(V x) const { return fused_negative(hn::Round(hn::Mul(x, p_inverse)), p, x); }
};

/// `levels` levels on 2^levels vectors; root(level, s) gives w and w / p of sub-block s. The way
/// back takes the last level first; what no root has reduced at the end is.
template <int levels, bool inverse, class Root>
HWY_INLINE void transform_levels(const Field& field, V* x, const Root& root) {
#pragma GCC unroll 4
  for (int k = 0; k < levels; ++k) {
    const int level = inverse ? levels - 1 - k : k;
    const int half = 1 << (levels - level - 1);
#pragma GCC unroll 8
    for (int s = 0; s < 1 << level; ++s) {
      V w, w_over_p;
      root(level, s, w, w_over_p);
#pragma GCC unroll 8
      for (int i = 0; i < half; ++i) {
        V& a = x[2 * half * s + i];
        V& b = x[2 * half * s + half + i];
        const V t = inverse ? hn::Sub(a, b) : field.times(b, w, w_over_p);
        const V sum = hn::Add(a, inverse ? b : t);
        b = inverse ? field.times(t, w, w_over_p) : hn::Sub(a, t);
        a = sum;
      }
    }
  }
  if (!inverse) return;
#pragma GCC unroll 8
  for (int i = 0; i < 1 << (levels - 1); ++i) x[i] = field.reduced(x[i]);
}

/// The same of vectors in memory, `step` apart.
template <int levels, bool inverse, class Root>
HWY_INLINE void transform_rows(const Field& field, double* x, std::int64_t step, const Root& root) {
  const D d;
  V v[1 << levels];
#pragma GCC unroll 16
  for (int i = 0; i < 1 << levels; ++i) v[i] = hn::Load(d, x + i * step);
  transform_levels<levels, inverse>(field, v, root);
#pragma GCC unroll 16
  for (int i = 0; i < 1 << levels; ++i) hn::Store(v[i], d, x + i * step);
}

/// Roots of the sub-blocks of block b, the same in every lane.
struct BlockRoots {
  const double* blocks;
  std::int64_t b;
  HWY_INLINE void operator()(int level, int s, V& w, V& w_over_p) const {
    const double* at = blocks + 2 * ((b << level) + s);
    w = hn::Set(D(), at[0]);
    w_over_p = hn::Set(D(), at[1]);
  }
};

/// Positions [begin, end) of block b of `length` residues: 2^levels sub-blocks.
template <int levels, bool inverse>
HWY_NOINLINE void block_pass(const NttRoots& roots,
                             double* x,
                             std::int64_t length,
                             std::int64_t b,
                             std::int64_t begin,
                             std::int64_t end) {
  const Field field(roots);
  const BlockRoots root{inverse ? roots.inverse_blocks.data() : roots.blocks.data(), b};
  for (std::int64_t j = begin; j < end; j += lanes) {
    transform_rows<levels, inverse>(field, x + j, length >> levels, root);
  }
}

template <bool inverse>
void pass(const NttRoots& roots,
          int levels,
          double* x,
          std::int64_t length,
          std::int64_t b,
          std::int64_t begin,
          std::int64_t end) {
  switch (levels) {
    case 1:
      return block_pass<1, inverse>(roots, x, length, b, begin, end);
    case 2:
      return block_pass<2, inverse>(roots, x, length, b, begin, end);
    case 3:
      return block_pass<3, inverse>(roots, x, length, b, begin, end);
    default:
      return block_pass<4, inverse>(roots, x, length, b, begin, end);
  }
}

/// Turns an 8 x 8 tile in place.
HWY_INLINE void turn_tile(double* tile) {
  const D d;
  if constexpr (lanes == 8) {
    V x[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) x[i] = hn::Load(d, tile + 8 * i);
#if HWY_TARGET != HWY_SCALAR
#pragma GCC unroll 3
    for (int round = 0; round < 3; ++round) {
      V y[8];
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        y[i] = hn::ConcatEven(d, x[2 * i + 1], x[2 * i]);
        y[i + 4] = hn::ConcatOdd(d, x[2 * i + 1], x[2 * i]);
      }
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) x[i] = y[i];
    }
#endif
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) hn::Store(x[i], d, tile + 8 * i);
  } else {
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < i; ++j) std::swap(tile[8 * i + j], tile[8 * j + i]);
    }
  }
}

/// Roots of the blocks of 8 of tile t, one a lane: w[8 t + l] = w[8 t] w[l] and so on.
struct LaneRoots {
  const Field& field;
  const double* tile;   ///< three roots of the tile
  const double* lane_;  ///< from the vector's first lane on
  HWY_INLINE void operator()(int level, int s, V& w, V& w_over_p) const {
    const D d;
    const V lane = hn::Load(d, lane_ + ((1 << level) - 1 + s) * 8);
    w = field.times(lane, hn::Set(d, tile[2 * level]), hn::Set(d, tile[2 * level + 1]));
    w_over_p = hn::Mul(w, field.p_inverse);
  }
};

/// The last six levels of tile t, 64 residues: three between rows, transposed, three between
/// columns.
HWY_INLINE void forward_tile(const NttRoots& roots, const Field& field, std::int64_t t, double* x) {
  const BlockRoots root{roots.blocks.data(), t};
  for (std::int64_t c = 0; c < 8; c += lanes) transform_rows<3, false>(field, x + c, 8, root);
  turn_tile(x);
  for (std::int64_t c = 0; c < 8; c += lanes) {
    const LaneRoots lane_root{field, roots.tiles.data() + 6 * t, roots.lanes.data() + c};
    transform_rows<3, false>(field, x + c, 8, lane_root);
  }
}

/// x y and the way back through the six levels.
HWY_INLINE void inverse_tile(
    const NttRoots& roots, const Field& field, std::int64_t t, double* x, const double* y) {
  const D d;
  const V scale = hn::Set(d, roots.scale);
  for (std::int64_t c = 0; c < 8; c += lanes) {
    const LaneRoots lane_root{
        field, roots.inverse_tiles.data() + 6 * t, roots.inverse_lanes.data() + c};
    V v[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      const V a = field.reduced(hn::Load(d, x + 8 * i + c));
      const V b = field.times(hn::Load(d, y + 8 * i + c), scale);
      v[i] = field.times(a, b);
    }
    transform_levels<3, true>(field, v, lane_root);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) hn::Store(v[i], d, x + 8 * i + c);
  }
  turn_tile(x);
  const BlockRoots root{roots.inverse_blocks.data(), t};
  for (std::int64_t c = 0; c < 8; c += lanes) transform_rows<3, true>(field, x + c, 8, root);
}

}  // namespace yupana::spectral::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // once a target
