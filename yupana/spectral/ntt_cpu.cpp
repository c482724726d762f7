#include <algorithm>

#include "yupana/spectral/ntt.hpp"

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (YUPANA_DISABLED_TARGETS | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/spectral/ntt_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target:
#include <hwy/highway.h>

#include "yupana/spectral/ntt_levels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yupana::spectral::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
constexpr int min_parallel_bits = 13;

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
  context.parallel_for(std::int64_t{1} << levels, 1, [&](std::int64_t s) {
    context.check_cancelled();
    body(s * part, part, s);
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
  if (roots.bits < min_parallel_bits) {
    return HWY_DYNAMIC_DISPATCH(forward_block)(roots, x, std::int64_t{1} << roots.bits, 0);
  }
  first_pass(context, roots, false, x);
  each_sub_block(context, roots, [&](std::int64_t at, std::int64_t length, std::int64_t b) {
    HWY_DYNAMIC_DISPATCH(forward_block)(roots, x + at, length, b);
  });
}

void ntt_multiply_inverse(Context& context, const NttRoots& roots, double* x, const double* y) {
  if (roots.bits < min_parallel_bits) {
    return HWY_DYNAMIC_DISPATCH(inverse_block)(roots, x, y, std::int64_t{1} << roots.bits, 0);
  }
  each_sub_block(context, roots, [&](std::int64_t at, std::int64_t length, std::int64_t b) {
    HWY_DYNAMIC_DISPATCH(inverse_block)(roots, x + at, y + at, length, b);
  });
  first_pass(context, roots, true, x);
}

}  // namespace yupana::spectral::cpu
#endif  // HWY_ONCE
