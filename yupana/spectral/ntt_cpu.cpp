#include <algorithm>
#include <cmath>

#include "yupana/spectral/ntt.hpp"

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/spectral/ntt_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yupana::spectral::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors of at most 8 lanes; the tiles below are 8 x 8 whatever the vector's width.
using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
constexpr std::int64_t lanes = HWY_LANES(double) < 8 ? HWY_LANES(double) : 8;

// The proof in ntt.hpp needs one rounding where plain C++ might take two.
HWY_INLINE V fused(V a, V b, V c) {
#if HWY_TARGET == HWY_SCALAR
  return V(std::fma(a.raw, b.raw, c.raw));
#else
  return hn::MulAdd(a, b, c);
#endif
}
HWY_INLINE V fused_negative(V a, V b, V c) {
#if HWY_TARGET == HWY_SCALAR
  return V(std::fma(-a.raw, b.raw, c.raw));
#else
  return hn::NegMulAdd(a, b, c);
#endif
}

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

/// `levels` levels on 2^levels vectors; root(level, s) gives w and w / p of sub-block s.
template <int levels, class Root>
HWY_INLINE void forward_levels(const Field& field, V* x, const Root& root) {
#pragma GCC unroll 4
  for (int level = 0; level < levels; ++level) {
    const int half = 1 << (levels - level - 1);
#pragma GCC unroll 8
    for (int s = 0; s < 1 << level; ++s) {
      V w, w_over_p;
      root(level, s, w, w_over_p);
#pragma GCC unroll 8
      for (int i = 0; i < half; ++i) {
        V& a = x[2 * half * s + i];
        V& b = x[2 * half * s + half + i];
        const V t = field.times(b, w, w_over_p);
        b = hn::Sub(a, t);
        a = hn::Add(a, t);
      }
    }
  }
}

/// The way back: last level first; what no root has reduced at the end is.
template <int levels, class Root>
HWY_INLINE void inverse_levels(const Field& field, V* x, const Root& root) {
#pragma GCC unroll 4
  for (int level = levels - 1; level >= 0; --level) {
    const int half = 1 << (levels - level - 1);
#pragma GCC unroll 8
    for (int s = 0; s < 1 << level; ++s) {
      V w, w_over_p;
      root(level, s, w, w_over_p);
#pragma GCC unroll 8
      for (int i = 0; i < half; ++i) {
        V& a = x[2 * half * s + i];
        V& b = x[2 * half * s + half + i];
        const V t = hn::Sub(a, b);
        a = hn::Add(a, b);
        b = field.times(t, w, w_over_p);
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < 1 << (levels - 1); ++i) x[i] = field.reduced(x[i]);
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
  const D d;
  const Field field(roots);
  const BlockRoots root{inverse ? roots.inverse_blocks.data() : roots.blocks.data(), b};
  const std::int64_t step = length >> levels;
  for (std::int64_t j = begin; j < end; j += lanes) {
    V v[1 << levels];
#pragma GCC unroll 16
    for (int i = 0; i < 1 << levels; ++i) v[i] = hn::Load(d, x + j + i * step);
    if (inverse) {
      inverse_levels<levels>(field, v, root);
    } else {
      forward_levels<levels>(field, v, root);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 1 << levels; ++i) hn::Store(v[i], d, x + j + i * step);
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

/// The last six levels of tile t, 64 residues: three between rows, turned, three between columns.
HWY_INLINE void forward_tile(const NttRoots& roots, const Field& field, std::int64_t t, double* x) {
  const D d;
  const BlockRoots root{roots.blocks.data(), t};
  for (std::int64_t c = 0; c < 8; c += lanes) {
    V v[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) v[i] = hn::Load(d, x + 8 * i + c);
    forward_levels<3>(field, v, root);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) hn::Store(v[i], d, x + 8 * i + c);
  }
  turn_tile(x);
  for (std::int64_t c = 0; c < 8; c += lanes) {
    const LaneRoots lane_root{field, roots.tiles.data() + 6 * t, roots.lanes.data() + c};
    V v[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) v[i] = hn::Load(d, x + 8 * i + c);
    forward_levels<3>(field, v, lane_root);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) hn::Store(v[i], d, x + 8 * i + c);
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
    inverse_levels<3>(field, v, lane_root);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) hn::Store(v[i], d, x + 8 * i + c);
  }
  turn_tile(x);
  const BlockRoots root{roots.inverse_blocks.data(), t};
  for (std::int64_t c = 0; c < 8; c += lanes) {
    V v[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) v[i] = hn::Load(d, x + 8 * i + c);
    inverse_levels<3>(field, v, root);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) hn::Store(v[i], d, x + 8 * i + c);
  }
}

/// Levels of the first pass of a block: the others are of four, down to tiles.
HWY_INLINE int levels_of(std::int64_t length) {
  int bits = 0;
  while ((std::int64_t{64} << bits) < length) ++bits;
  return bits % 4 == 0 ? 4 : bits % 4;
}

/// Block b, whole, to its tiles; sub-blocks one after the other, so that they stay in the cache.
void forward_block(const NttRoots& roots, double* x, std::int64_t length, std::int64_t b) {
  if (length == 64) return forward_tile(roots, Field(roots), b, x);
  const int levels = levels_of(length);
  const std::int64_t part = length >> levels;
  pass<false>(roots, levels, x, length, b, 0, part);
  if (part == 64) {
    const Field field(roots);
    for (std::int64_t s = 0; s < 1 << levels; ++s) {
      forward_tile(roots, field, (b << levels) + s, x + s * part);
    }
    return;
  }
  for (std::int64_t s = 0; s < 1 << levels; ++s) {
    forward_block(roots, x + s * part, part, (b << levels) + s);
  }
}

void inverse_block(
    const NttRoots& roots, double* x, const double* y, std::int64_t length, std::int64_t b) {
  if (length == 64) return inverse_tile(roots, Field(roots), b, x, y);
  const int levels = levels_of(length);
  const std::int64_t part = length >> levels;
  if (part == 64) {
    const Field field(roots);
    for (std::int64_t s = 0; s < 1 << levels; ++s) {
      inverse_tile(roots, field, (b << levels) + s, x + s * part, y + s * part);
    }
  } else {
    for (std::int64_t s = 0; s < 1 << levels; ++s) {
      inverse_block(roots, x + s * part, y + s * part, part, (b << levels) + s);
    }
  }
  pass<true>(roots, levels, x, length, b, 0, part);
}

/// Positions [begin, end) of the first pass over everything.
void whole_pass(
    const NttRoots& roots, bool inverse, double* x, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = std::int64_t{1} << roots.bits;
  if (inverse) {
    pass<true>(roots, levels_of(n), x, n, 0, begin, end);
  } else {
    pass<false>(roots, levels_of(n), x, n, 0, begin, end);
  }
}

/// count is rounded up to whole vectors: the arrays are 2^bits long.
void load_residues(const NttRoots& roots, const std::int64_t* in, std::int64_t count, double* to) {
  const D d;
  const Field field(roots);
  const hn::RebindToSigned<D> di;
  const V radix = hn::Set(d, 0x1p32);
  const V over_p = hn::Set(d, 0x1p32 / roots.p);
  const auto mask = hn::Set(di, 0xffffffffLL);
  std::int64_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    const auto v = hn::LoadU(di, in + j);
    const V high = hn::ConvertTo(d, hn::ShiftRight<32>(v));
    const V low = hn::ConvertTo(d, hn::And(v, mask));
    hn::Store(hn::Add(field.times(high, radix, over_p), low), d, to + j);
  }
  for (; j < count; ++j) to[j] = static_cast<double>(in[j] % static_cast<std::int64_t>(roots.p));
}

void scale_residues(
    const NttRoots& roots, const double* in, std::int64_t count, double w, double* to) {
  const D d;
  const Field field(roots);
  const V by = hn::Set(d, w), by_over_p = hn::Set(d, w * roots.p_inverse);
  std::int64_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    hn::StoreU(field.times(hn::LoadU(d, in + j), by, by_over_p), d, to + j);
  }
  for (; j < count; ++j) {
    HWY_ALIGN double one[lanes] = {in[j]};
    hn::Store(field.times(hn::Load(d, one), by, by_over_p), d, one);
    to[j] = one[0];
  }
}

void reduce_residues(const NttRoots& roots, double* x, std::int64_t count) {
  const D d;
  const Field field(roots);
  for (std::int64_t j = 0; j < count; j += lanes) {
    hn::Store(field.reduced(hn::Load(d, x + j)), d, x + j);
  }
}

void join_residues(const NttRoots& first,
                   const NttRoots& second,
                   double inverse,
                   double* x,
                   double* y,
                   std::int64_t count) {
  const D d;
  const Field p(first), q(second);
  const V w = hn::Set(d, inverse);
  for (std::int64_t j = 0; j < count; j += lanes) {
    const V a = p.reduced(hn::Load(d, x + j));
    const V b = q.reduced(hn::Load(d, y + j));
    hn::Store(a, d, x + j);
    hn::Store(q.reduced(q.times(hn::Sub(b, a), w)), d, y + j);
  }
}

int first_levels(const NttRoots& roots) { return levels_of(std::int64_t{1} << roots.bits); }

}  // namespace yupana::spectral::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::spectral::cpu {

HWY_EXPORT(forward_block);
HWY_EXPORT(inverse_block);
HWY_EXPORT(whole_pass);
HWY_EXPORT(first_levels);
HWY_EXPORT(load_residues);
HWY_EXPORT(scale_residues);
HWY_EXPORT(reduce_residues);
HWY_EXPORT(join_residues);

namespace {
/// Transforms below this length are not worth a second thread.
constexpr int least_parallel_bits = 13;

void first_pass(Context& context, const NttRoots& roots, bool inverse, double* x) {
  const std::int64_t n = std::int64_t{1} << roots.bits;
  const std::int64_t part = n >> HWY_DYNAMIC_DISPATCH(first_levels)(roots);
  constexpr std::int64_t piece = 64;
  const std::int64_t grain = std::max<std::int64_t>(1, part / piece / (4 * context.threads()));
  context.parallel_for(part / piece, grain, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    HWY_DYNAMIC_DISPATCH(whole_pass)(roots, inverse, x, begin * piece, end * piece);
  });
}

/// body(x of the sub-block, its length, its number) for the sub-blocks of the first pass.
template <class Body>
void each_sub_block(Context& context, const NttRoots& roots, const Body& body) {
  const int levels = HWY_DYNAMIC_DISPATCH(first_levels)(roots);
  const std::int64_t part = (std::int64_t{1} << roots.bits) >> levels;
  context.parallel_for(std::int64_t{1} << levels, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      context.check_cancelled();
      body(s * part, part, s);
    }
  });
}
}  // namespace

void ntt_load(const NttRoots& roots, const std::int64_t* in, std::int64_t count, double* to) {
  HWY_DYNAMIC_DISPATCH(load_residues)(roots, in, count, to);
}

void ntt_scale(const NttRoots& roots, const double* in, std::int64_t count, double w, double* to) {
  HWY_DYNAMIC_DISPATCH(scale_residues)(roots, in, count, w, to);
}

void ntt_reduce(const NttRoots& roots, double* x, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(reduce_residues)(roots, x, count);
}

void ntt_join(
    const NttRoots& first, const NttRoots& second, double* x, double* y, std::int64_t count) {
  // 1 / p modulo q by Fermat.
  const auto q = static_cast<std::int64_t>(second.p);
  std::int64_t inverse = 1, power = static_cast<std::int64_t>(first.p) % q;
  for (std::int64_t e = q - 2; e > 0; e /= 2) {
    if (e % 2 == 1) inverse = static_cast<std::int64_t>(static_cast<__int128>(inverse) * power % q);
    power = static_cast<std::int64_t>(static_cast<__int128>(power) * power % q);
  }
  const auto least = static_cast<double>(inverse > q / 2 ? inverse - q : inverse);
  HWY_DYNAMIC_DISPATCH(join_residues)(first, second, least, x, y, count);
}

void ntt_forward(Context& context, const NttRoots& roots, double* x) {
  if (roots.bits < least_parallel_bits) {
    return HWY_DYNAMIC_DISPATCH(forward_block)(roots, x, std::int64_t{1} << roots.bits, 0);
  }
  first_pass(context, roots, false, x);
  each_sub_block(context, roots, [&](std::int64_t at, std::int64_t length, std::int64_t b) {
    HWY_DYNAMIC_DISPATCH(forward_block)(roots, x + at, length, b);
  });
}

void ntt_multiply_inverse(Context& context, const NttRoots& roots, double* x, const double* y) {
  if (roots.bits < least_parallel_bits) {
    return HWY_DYNAMIC_DISPATCH(inverse_block)(roots, x, y, std::int64_t{1} << roots.bits, 0);
  }
  each_sub_block(context, roots, [&](std::int64_t at, std::int64_t length, std::int64_t b) {
    HWY_DYNAMIC_DISPATCH(inverse_block)(roots, x + at, y + at, length, b);
  });
  first_pass(context, roots, true, x);
}

}  // namespace yupana::spectral::cpu
#endif  // HWY_ONCE
