// Signals that fit the cache, one at a time: vectors hold neighbours first, then, transposed, rows;
// included once a SIMD target, after the turns.
#if defined(YUPANA_SPECTRAL_SHORT) == defined(HWY_TARGET_TOGGLE)
#ifdef YUPANA_SPECTRAL_SHORT
#undef YUPANA_SPECTRAL_SHORT
#else
#define YUPANA_SPECTRAL_SHORT
#endif

HWY_BEFORE_NAMESPACE();
namespace yupana::spectral::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

/// Vectors of `W` numbers, W at most the lanes of this target.
template <class T, int W>
struct Neighbours {
  using D = hn::CappedTag<T, W>;
  using V = hn::Vec<D>;
  using C = Complexes<V>;

  static HWY_INLINE C load(const T* at) {
    const D d;
    return {hn::Load(d, at), hn::Load(d, at + W)};
  }
  static HWY_INLINE C load_complexes(const T* at) {
    const D d;
    return split_parts(d, hn::LoadU(d, at), hn::LoadU(d, at + W));
  }
};

/// n = radix W: the values j = l + W k of lane l, transformed over k and multiplied by
/// w^(l q); transposed, so that lanes are q; transformed over l. All of it in registers.
template <class T, int W, int radix>
HWY_NOINLINE void whole(const ShortJob<T>& job) {
  using N = Neighbours<T, W>;
  const typename N::D d;
  const auto flip = hn::Set(d, job.in_sign < 0 ? T(-0.0) : T(0));
  typename N::C x[radix];
#pragma GCC unroll 16
  for (int k = 0; k < radix; ++k) {
    x[k] = N::load_complexes(job.in + 2 * W * k);
    x[k].im = hn::Xor(x[k].im, flip);
  }
  butterfly<radix>(d, x);
#pragma GCC unroll 16
  for (int q = 1; q < radix; ++q) x[q] = x[q] * N::load(job.twiddles + 2 * W * (q - 1));
  const auto scale = hn::Set(d, job.scale);
  const auto scale_imaginary = hn::Set(d, job.scale_imaginary);
#pragma GCC unroll 4
  for (int part = 0; part < radix / W; ++part) {
    typename N::V re[W], im[W];
#pragma GCC unroll 16
    for (int l = 0; l < W; ++l) {
      re[l] = x[part * W + place_of_lane<T, W>(l)].re;
      im[l] = x[part * W + place_of_lane<T, W>(l)].im;
    }
    turn_vectors<W>(d, re);
    turn_vectors<W>(d, im);
    typename N::C y[W];
#pragma GCC unroll 16
    for (int l = 0; l < W; ++l) y[place_of_lane<T, W>(l)] = {re[l], im[l]};
    butterfly<W>(d, y);
#pragma GCC unroll 16
    for (int q = 0; q < W; ++q) {
      store_interleaved(d,
                        hn::Mul(y[q].re, scale),
                        hn::Mul(y[q].im, scale_imaginary),
                        job.out + 2 * (q * radix + part * W));
    }
  }
}

/// The first of the passes over n = radix m values, radix a multiple of the lanes, m at least the
/// lanes: rows of L of the `radix` results of each of the m places, radix / L blocks of m rows. The
/// last L places are computed together, some of them twice where L does not divide m.
template <class T, int radix>
HWY_NOINLINE void first_turned(const ShortJob<T>& job) {
  using R = Rows<T>;
  constexpr int lanes = static_cast<int>(R::lanes);
  const typename R::D d;
  const auto flip = hn::Set(d, job.in_sign < 0 ? T(-0.0) : T(0));
  const std::int64_t m = job.length / radix;
  const T* twiddles = job.twiddles;
  for (std::int64_t group = 0; group < m; group += lanes) {
    const std::int64_t p = std::min(group, m - lanes);
    typename R::C x[radix];
#pragma GCC unroll 16
    for (int k = 0; k < radix; ++k) {
      x[k] = R::load_complexes(job.in + 2 * (p + k * m));
      x[k].im = hn::Xor(x[k].im, flip);
    }
    butterfly<radix>(d, x);
#pragma GCC unroll 16
    for (int q = 1; q < radix; ++q) x[q] = x[q] * R::load(twiddles + (q - 1) * R::row);
    twiddles += (radix - 1) * R::row;
#pragma GCC unroll 4
    for (int part = 0; part < radix / lanes; ++part) {
      T* const to = job.out + (part * m + p) * R::row;
      typename R::V y[lanes];
#pragma GCC unroll 16
      for (int l = 0; l < lanes; ++l) y[l] = x[part * lanes + R::place(l)].re;
      turn_vectors<lanes>(d, y);
#pragma GCC unroll 16
      for (int l = 0; l < lanes; ++l) hn::Store(y[l], d, to + R::place(l) * R::row);
#pragma GCC unroll 16
      for (int l = 0; l < lanes; ++l) y[l] = x[part * lanes + R::place(l)].im;
      turn_vectors<lanes>(d, y);
#pragma GCC unroll 16
      for (int l = 0; l < lanes; ++l) hn::Store(y[l], d, to + R::place(l) * R::row + lanes);
    }
  }
}

/// The plan of a length: whole in registers, or a first radix; neither where it does not divide.
template <class T>
ShortShape shape_of(std::int64_t n) {
  constexpr std::int64_t lanes = Rows<T>::lanes;
  if (lanes >= 4 && (n == 16 || n == 32)) return {4, static_cast<int>(n / 4), true};
  if (lanes >= 8 && (n == 64 || n == 128)) return {8, static_cast<int>(n / 8), true};
  if (lanes == 4 && n == 64) return {4, 16, true};
  if (lanes == 16 && n == 256) return {16, 16, true};
  // The largest radix makes a pass less for some lengths.
  const auto divides = [&](std::int64_t radix) { return n % radix == 0 && n / radix >= lanes; };
  const auto passes = [&](std::int64_t first) { return radices_of(n / first, max_radix).size(); };
  for (const std::int64_t radix : {std::int64_t{max_radix}, lanes}) {
    if (lanes < 4 || radix < lanes || !divides(radix)) continue;
    if (radix > lanes && divides(lanes) && passes(radix) >= passes(lanes)) continue;
    return {static_cast<int>(lanes), static_cast<int>(radix), false};
  }
  return {};
}

template <class T>
void short_first(const ShortJob<T>& job) {
  constexpr std::int64_t lanes = Rows<T>::lanes;
  if (!job.shape.whole) {
    if constexpr (lanes >= 4) {
      if (job.shape.radix == max_radix) return first_turned<T, max_radix>(job);
      return first_turned<T, static_cast<int>(lanes)>(job);
    }
    return;
  }
  if constexpr (lanes >= 4) {
    if (job.length == 16) return whole<T, 4, 4>(job);
    if (job.length == 32) return whole<T, 4, 8>(job);
    if constexpr (lanes == 4) return whole<T, 4, 16>(job);
  }
  if constexpr (lanes >= 8) {
    if (job.length == 64) return whole<T, 8, 8>(job);
    if (job.length == 128) return whole<T, 8, 16>(job);
  }
  if constexpr (lanes >= 16) return whole<T, 16, 16>(job);
}

#else

template <class T>
ShortShape shape_of(std::int64_t) {
  return {};
}
template <class T>
void short_first(const ShortJob<T>&) {}

#endif

}  // namespace yupana::spectral::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // once a target
