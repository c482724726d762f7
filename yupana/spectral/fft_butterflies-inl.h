// Butterflies on vectors, one signal a lane; included once a SIMD target.
#if defined(YUPANA_SPECTRAL_BUTTERFLIES) == defined(HWY_TARGET_TOGGLE)
#ifdef YUPANA_SPECTRAL_BUTTERFLIES
#undef YUPANA_SPECTRAL_BUTTERFLIES
#else
#define YUPANA_SPECTRAL_BUTTERFLIES
#endif

HWY_BEFORE_NAMESPACE();
namespace yupana::spectral::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class V>
struct Complexes {
  V re, im;
};

template <class V>
HWY_INLINE Complexes<V> operator+(Complexes<V> a, Complexes<V> b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
template <class V>
HWY_INLINE Complexes<V> operator-(Complexes<V> a, Complexes<V> b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
template <class V>
HWY_INLINE Complexes<V> operator*(Complexes<V> a, Complexes<V> b) {
  return {hn::NegMulAdd(a.im, b.im, hn::Mul(a.re, b.re)),
          hn::MulAdd(a.im, b.re, hn::Mul(a.re, b.im))};
}
/// a + i b and a - i b.
template <class V>
HWY_INLINE Complexes<V> plus_i(Complexes<V> a, Complexes<V> b) {
  return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
}
template <class V>
HWY_INLINE Complexes<V> minus_i(Complexes<V> a, Complexes<V> b) {
  return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
}

template <class D>
HWY_INLINE Complexes<hn::Vec<D>> broadcast(D d, const hn::TFromD<D>* w) {
  return {hn::Set(d, w[0]), hn::Set(d, w[1])};
}

template <class V>
HWY_INLINE void radix_4(Complexes<V>& a, Complexes<V>& b, Complexes<V>& c, Complexes<V>& d) {
  const Complexes<V> t0 = a + c, t1 = a - c, t2 = b + d, t3 = b - d;
  a = t0 + t2;
  b = minus_i(t1, t3);
  c = t0 - t2;
  d = plus_i(t1, t3);
}

/// x e^(-i pi/4) and x e^(-3 i pi/4).
template <class D, class V>
HWY_INLINE Complexes<V> eighth(D d, Complexes<V> x) {
  const V r = hn::Set(d, static_cast<hn::TFromD<D>>(0.70710678118654752440));
  return {hn::Mul(r, hn::Add(x.re, x.im)), hn::Mul(r, hn::Sub(x.im, x.re))};
}
template <class D, class V>
HWY_INLINE Complexes<V> three_eighths(D d, Complexes<V> x) {
  const V r = hn::Set(d, static_cast<hn::TFromD<D>>(-0.70710678118654752440));
  return {hn::Mul(r, hn::Sub(x.re, x.im)), hn::Mul(r, hn::Add(x.re, x.im))};
}

/// x (c - i s).
template <class D, class V>
HWY_INLINE Complexes<V> twiddled(D d, Complexes<V> x, double c, double s) {
  const V vc = hn::Set(d, static_cast<hn::TFromD<D>>(c));
  const V vs = hn::Set(d, static_cast<hn::TFromD<D>>(s));
  return {hn::MulAdd(x.im, vs, hn::Mul(x.re, vc)), hn::NegMulAdd(x.re, vs, hn::Mul(x.im, vc))};
}

template <int radix>
struct Roots;  // cos and sin of 2 pi k / radix, k = 1 .. (radix - 1) / 2
template <>
struct Roots<3> {
  static constexpr double c[] = {-0.5};
  static constexpr double s[] = {0.86602540378443864676};
};
template <>
struct Roots<5> {
  static constexpr double c[] = {0.30901699437494742410, -0.80901699437494742410};
  static constexpr double s[] = {0.95105651629515357212, 0.58778525229247312917};
};
template <>
struct Roots<7> {
  static constexpr double c[] = {
      0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624};
  static constexpr double s[] = {
      0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048};
};
template <>
struct Roots<11> {
  static constexpr double c[] = {0.84125353283118116886,
                                 0.41541501300188642553,
                                 -0.14231483827328514044,
                                 -0.65486073394528506406,
                                 -0.95949297361449738989};
  static constexpr double s[] = {0.54064081745559758211,
                                 0.90963199535451837141,
                                 0.98982144188093273238,
                                 0.75574957435425828378,
                                 0.28173255684142969771};
};
template <>
struct Roots<13> {
  static constexpr double c[] = {0.88545602565320989590,
                                 0.56806474673115580251,
                                 0.12053668025532305335,
                                 -0.35460488704253562597,
                                 -0.74851074817110109863,
                                 -0.97094181742605202716};
  static constexpr double s[] = {0.46472317204376854566,
                                 0.82298386589365639458,
                                 0.99270887409805399280,
                                 0.93501624268541482344,
                                 0.66312265824079520238,
                                 0.23931566428755776715};
};

/// A transform of `radix` values x[0..radix), radix odd: sums and differences of mirrored values.
template <int radix, class D, class V>
HWY_INLINE void odd_butterfly(D d, Complexes<V>* x) {
  constexpr int half = (radix - 1) / 2;
  using T = hn::TFromD<D>;
  Complexes<V> sum[half], difference[half];
#pragma GCC unroll 16
  for (int k = 0; k < half; ++k) {
    sum[k] = x[k + 1] + x[radix - 1 - k];
    difference[k] = x[k + 1] - x[radix - 1 - k];
  }
  const Complexes<V> first = x[0];
#pragma GCC unroll 16
  for (int k = 0; k < half; ++k) x[0] = x[0] + sum[k];
#pragma GCC unroll 16
  for (int q = 1; q <= half; ++q) {
    Complexes<V> a = first;
    Complexes<V> b = {hn::Zero(d), hn::Zero(d)};
#pragma GCC unroll 16
    for (int k = 0; k < half; ++k) {
      const int turn = (k + 1) * q % radix;
      const bool below = turn <= half;
      const int index = (below ? turn : radix - turn) - 1;
      const V c = hn::Set(d, static_cast<T>(Roots<radix>::c[index]));
      const V s =
          hn::Set(d, static_cast<T>(below ? Roots<radix>::s[index] : -Roots<radix>::s[index]));
      a = {hn::MulAdd(c, sum[k].re, a.re), hn::MulAdd(c, sum[k].im, a.im)};
      b = k == 0 ? Complexes<V>{hn::Mul(s, difference[k].re), hn::Mul(s, difference[k].im)}
                 : Complexes<V>{hn::MulAdd(s, difference[k].re, b.re),
                                hn::MulAdd(s, difference[k].im, b.im)};
    }
    x[q] = minus_i(a, b);
    x[radix - q] = plus_i(a, b);
  }
}

/// x[q] = sum over p of x[p] e^(-2 pi i p q / radix), in place.
template <int radix, class D, class V>
HWY_INLINE void butterfly(D d, Complexes<V>* x) {
  if constexpr (radix == 1) {
    return;
  } else if constexpr (radix == 2) {
    const Complexes<V> a = x[0];
    x[0] = a + x[1];
    x[1] = a - x[1];
  } else if constexpr (radix == 4) {
    radix_4(x[0], x[1], x[2], x[3]);
  } else if constexpr (radix == 8) {
    radix_4(x[0], x[2], x[4], x[6]);
    radix_4(x[1], x[3], x[5], x[7]);
    const Complexes<V> e0 = x[0], e1 = x[2], e2 = x[4], e3 = x[6];
    const Complexes<V> o0 = x[1], o1 = eighth(d, x[3]), o2 = x[5], o3 = three_eighths(d, x[7]);
    x[0] = e0 + o0;
    x[4] = e0 - o0;
    x[1] = e1 + o1;
    x[5] = e1 - o1;
    x[2] = minus_i(e2, o2);
    x[6] = plus_i(e2, o2);
    x[3] = e3 + o3;
    x[7] = e3 - o3;
  } else if constexpr (radix == 16) {
    constexpr double c1 = 0.92387953251128675613, s1 = 0.38268343236508977173;
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p) radix_4(x[p], x[p + 4], x[p + 8], x[p + 12]);
    // x[p + 4 k] is now value k of residue p; its twiddle is e^(-2 pi i p k / 16).
    x[5] = twiddled(d, x[5], c1, s1);
    x[6] = eighth(d, x[6]);
    x[7] = twiddled(d, x[7], s1, c1);
    x[9] = eighth(d, x[9]);
    x[10] = {x[10].im, hn::Neg(x[10].re)};
    x[11] = three_eighths(d, x[11]);
    x[13] = twiddled(d, x[13], s1, c1);
    x[14] = three_eighths(d, x[14]);
    x[15] = twiddled(d, x[15], -c1, -s1);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) radix_4(x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3]);
    // x[4 k + q] is output k + 4 q.
    const Complexes<V> y1 = x[1], y2 = x[2], y3 = x[3], y6 = x[6], y7 = x[7], y11 = x[11];
    x[1] = x[4];
    x[4] = y1;
    x[2] = x[8];
    x[8] = y2;
    x[3] = x[12];
    x[12] = y3;
    x[6] = x[9];
    x[9] = y6;
    x[7] = x[13];
    x[13] = y7;
    x[11] = x[14];
    x[14] = y11;
  } else {
    odd_butterfly<radix>(d, x);
  }
}

}  // namespace yupana::spectral::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // once a target
