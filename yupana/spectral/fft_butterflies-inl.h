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
template <class D>
HWY_INLINE Complexes<hn::Vec<D>> broadcast(D d, const hn::TFromD<D>* w) {
  return {hn::Set(d, w[0]), hn::Set(d, w[1])};
}

#if HWY_TARGET != HWY_SCALAR
/// Lower halves of each 128 bits of x and y, number by number in turns; upper halves. As integers:
/// Intel's cores since 2019 shuffle those of up to 256 bits in two units, but floats in one.
template <class D, class V>
HWY_INLINE V interleave_lower(D d, V x, V y) {
  const hn::RebindToUnsigned<D> n;
  if constexpr (sizeof(V) > 32) return hn::InterleaveLower(d, x, y);
  return hn::BitCast(d, hn::InterleaveLower(n, hn::BitCast(n, x), hn::BitCast(n, y)));
}
template <class D, class V>
HWY_INLINE V interleave_upper(D d, V x, V y) {
  const hn::RebindToUnsigned<D> n;
  if constexpr (sizeof(V) > 32) return hn::InterleaveUpper(d, x, y);
  return hn::BitCast(d, hn::InterleaveUpper(n, hn::BitCast(n, x), hn::BitCast(n, y)));
}
#endif

/// a + b and a - b of numbers. Processors that add in units of their own (Zen, say) leave those for
/// products idle in a butterfly: half of its sums are multiply-adds. The bits are the same.
template <class D, class V>
HWY_INLINE V other_sum(D d, V a, V b) {
#if HWY_TARGET == HWY_SCALAR
  (void)d;
  return hn::Add(a, b);
#else
  return hn::MulAdd(hn::Set(d, hn::TFromD<D>(1)), a, b);
#endif
}
template <class D, class V>
HWY_INLINE V other_difference(D d, V a, V b) {
#if HWY_TARGET == HWY_SCALAR
  (void)d;
  return hn::Sub(a, b);
#else
  return hn::NegMulAdd(hn::Set(d, hn::TFromD<D>(1)), b, a);
#endif
}

template <class D, class V>
HWY_INLINE Complexes<V> sum(D d, Complexes<V> a, Complexes<V> b) {
  return {other_sum(d, a.re, b.re), hn::Add(a.im, b.im)};
}
template <class D, class V>
HWY_INLINE Complexes<V> difference(D d, Complexes<V> a, Complexes<V> b) {
  return {other_difference(d, a.re, b.re), hn::Sub(a.im, b.im)};
}
/// a + i b and a - i b.
template <class D, class V>
HWY_INLINE Complexes<V> plus_i(D d, Complexes<V> a, Complexes<V> b) {
  return {other_difference(d, a.re, b.im), hn::Add(a.im, b.re)};
}
template <class D, class V>
HWY_INLINE Complexes<V> minus_i(D d, Complexes<V> a, Complexes<V> b) {
  return {other_sum(d, a.re, b.im), hn::Sub(a.im, b.re)};
}

/// Of four values a, b, c, d: a + c, a - c, b + d, b - d, which last_sums() makes outputs 0 to 3
/// of.
template <class V>
struct FourSums {
  Complexes<V> t0, t1, t2, t3;
};
template <class D, class V>
HWY_INLINE FourSums<V> first_sums(
    D tag, Complexes<V> a, Complexes<V> b, Complexes<V> c, Complexes<V> d) {
  return {sum(tag, a, c), difference(tag, a, c), sum(tag, b, d), difference(tag, b, d)};
}
/// put(first + step k, output k).
template <class D, class V, class Put>
HWY_INLINE void last_sums(D tag, const FourSums<V>& t, int first, int step, const Put& put) {
  put(first, sum(tag, t.t0, t.t2));
  put(first + step, minus_i(tag, t.t1, t.t3));
  put(first + 2 * step, difference(tag, t.t0, t.t2));
  put(first + 3 * step, plus_i(tag, t.t1, t.t3));
}
/// x[0..4) = their transform.
template <class D, class V>
HWY_INLINE void radix_4(
    D tag, Complexes<V> a, Complexes<V> b, Complexes<V> c, Complexes<V> d, Complexes<V>* x) {
  last_sums(
      tag, first_sums(tag, a, b, c, d), 0, 1, [&](int k, Complexes<V> v) HWY_ATTR { x[k] = v; });
}

/// x (1 - i) and x (1 + i): e^(-i pi/4) and -e^(-3 i pi/4), times x sqrt 2.
template <class V>
HWY_INLINE Complexes<V> turned_back(Complexes<V> x) {
  return {hn::Add(x.re, x.im), hn::Sub(x.im, x.re)};
}
template <class V>
HWY_INLINE Complexes<V> turned(Complexes<V> x) {
  return {hn::Sub(x.re, x.im), hn::Add(x.re, x.im)};
}
/// a + r b and a - r b, r real.
template <class V>
HWY_INLINE Complexes<V> plus(Complexes<V> a, V r, Complexes<V> b) {
  return {hn::MulAdd(r, b.re, a.re), hn::MulAdd(r, b.im, a.im)};
}
template <class V>
HWY_INLINE Complexes<V> minus(Complexes<V> a, V r, Complexes<V> b) {
  return {hn::NegMulAdd(r, b.re, a.re), hn::NegMulAdd(r, b.im, a.im)};
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
template <int radix, class D, class Get, class Put>
HWY_INLINE void odd_butterfly(D d, const Get& get, const Put& put) {
  using V = hn::Vec<D>;
  constexpr int half = (radix - 1) / 2;
  using T = hn::TFromD<D>;
  Complexes<V> sums[half], differences[half];
  const Complexes<V> first = get(0);
  Complexes<V> all = first;
#pragma GCC unroll 16
  for (int k = 0; k < half; ++k) {
    const Complexes<V> a = get(k + 1), b = get(radix - 1 - k);
    sums[k] = a + b;
    differences[k] = a - b;
    all = all + sums[k];
  }
  put(0, all);
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
      a = {hn::MulAdd(c, sums[k].re, a.re), hn::MulAdd(c, sums[k].im, a.im)};
      b = k == 0 ? Complexes<V>{hn::Mul(s, differences[k].re), hn::Mul(s, differences[k].im)}
                 : Complexes<V>{hn::MulAdd(s, differences[k].re, b.re),
                                hn::MulAdd(s, differences[k].im, b.im)};
    }
    put(q, {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)});
    put(radix - q, {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)});
  }
}

template <class D, class Get, class Put>
HWY_INLINE void eight_values(D d, const Get& get, const Put& put) {
  using V = hn::Vec<D>;
  const V r = hn::Set(d, static_cast<hn::TFromD<D>>(0.70710678118654752440));
  Complexes<V> e[4], o[4];
  radix_4(d, get(0), get(2), get(4), get(6), e);
  radix_4(d, get(1), get(3), get(5), get(7), o);
  put(0, sum(d, e[0], o[0]));
  put(4, difference(d, e[0], o[0]));
  const Complexes<V> o1 = turned_back(o[1]);
  put(1, plus(e[1], r, o1));
  put(5, minus(e[1], r, o1));
  put(2, minus_i(d, e[2], o[2]));
  put(6, plus_i(d, e[2], o[2]));
  const Complexes<V> o3 = turned(o[3]);
  put(3, minus(e[3], r, o3));
  put(7, plus(e[3], r, o3));
}

/// Four by four: twiddles of multiples of pi/4 are multiplied within the sums that follow.
template <class D, class Get, class Put>
HWY_INLINE void sixteen_values(D d, const Get& get, const Put& put) {
  using V = hn::Vec<D>;
  constexpr double c1 = 0.92387953251128675613, s1 = 0.38268343236508977173;
  const V r = hn::Set(d, static_cast<hn::TFromD<D>>(0.70710678118654752440));
  Complexes<V> x[4][4];  // [residue p][k], to be turned by e^(-2 pi i p k / 16)
#pragma GCC unroll 4
  for (int p = 0; p < 4; ++p) radix_4(d, get(p), get(p + 4), get(p + 8), get(p + 12), x[p]);
  last_sums(d, first_sums(d, x[0][0], x[1][0], x[2][0], x[3][0]), 0, 4, put);
  {
    const Complexes<V> b = twiddled(d, x[1][1], c1, s1), e = twiddled(d, x[3][1], s1, c1);
    const Complexes<V> a = x[0][1], c = turned_back(x[2][1]);
    last_sums(d, FourSums<V>{plus(a, r, c), minus(a, r, c), b + e, b - e}, 1, 4, put);
  }
  {
    const Complexes<V> b = turned_back(x[1][2]), e = turned(x[3][2]);
    const Complexes<V> t0 = minus_i(d, x[0][2], x[2][2]), t1 = plus_i(d, x[0][2], x[2][2]);
    const Complexes<V> t2 = b - e, t3 = b + e;
    put(2, plus(t0, r, t2));
    put(6, Complexes<V>{hn::MulAdd(r, t3.im, t1.re), hn::NegMulAdd(r, t3.re, t1.im)});
    put(10, minus(t0, r, t2));
    put(14, Complexes<V>{hn::NegMulAdd(r, t3.im, t1.re), hn::MulAdd(r, t3.re, t1.im)});
  }
  const Complexes<V> b = twiddled(d, x[1][3], s1, c1), e = twiddled(d, x[3][3], c1, s1);
  const Complexes<V> a = x[0][3], c = turned(x[2][3]);
  last_sums(d, FourSums<V>{minus(a, r, c), plus(a, r, c), b - e, b + e}, 3, 4, put);
}

template <int radix, class D, class Get, class Put>
HWY_INLINE void butterfly(D d, const Get& get, const Put& put);

/// Radix a b, a and b without a common factor, needs no twiddles between its parts (Good 1958):
///   p = b p1 + a p2, q = q1 mod a = q2 mod b: e^(-2 pi i p q / ab) is that of p1 q1 / a times that
///   of p2 q2 / b.
template <int a, int b, class D, class Get, class Put>
HWY_INLINE void coprime_butterfly(D d, const Get& get, const Put& put) {
  using C = Complexes<hn::Vec<D>>;
  C x[a][b];
#pragma GCC unroll 16
  for (int p1 = 0; p1 < a; ++p1) {
    butterfly<b>(
        d,
        [&](int p2) HWY_ATTR { return get((b * p1 + a * p2) % (a * b)); },
        [&](int q2, C v) HWY_ATTR { x[p1][q2] = v; });
  }
#pragma GCC unroll 16
  for (int q2 = 0; q2 < b; ++q2) {
    butterfly<a>(
        d,
        [&](int p1) HWY_ATTR { return x[p1][q2]; },
        [&](int q1, C v) HWY_ATTR {
          int q = q2;
          while (q % a != q1) q += b;
          put(q, v);
        });
  }
}

/// put(q, sum over p of get(p) e^(-2 pi i p q / radix)): values are fetched just before their first
/// sums and put right after their last, so that few are alive at a time and sums of some overlap
/// with what is done to others.
template <int radix, class D, class Get, class Put>
HWY_INLINE void butterfly(D d, const Get& get, const Put& put) {
  if constexpr (radix == 1) {
    put(0, get(0));
  } else if constexpr (radix == 2) {
    const auto a = get(0), b = get(1);
    put(0, sum(d, a, b));
    put(1, difference(d, a, b));
  } else if constexpr (radix == 4) {
    last_sums(d, first_sums(d, get(0), get(1), get(2), get(3)), 0, 1, put);
  } else if constexpr (radix == 8) {
    eight_values(d, get, put);
  } else if constexpr (radix == 15) {
    coprime_butterfly<3, 5>(d, get, put);
  } else if constexpr (radix == 16) {
    sixteen_values(d, get, put);
  } else {
    odd_butterfly<radix>(d, get, put);
  }
}

}  // namespace yupana::spectral::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // once a target
