// Signals that fit the registers; included once a SIMD target, after the turns.
#if defined(YUPANA_SPECTRAL_WHOLE) == defined(HWY_TARGET_TOGGLE)
#ifdef YUPANA_SPECTRAL_WHOLE
#undef YUPANA_SPECTRAL_WHOLE
#else
#define YUPANA_SPECTRAL_WHOLE
#endif

HWY_BEFORE_NAMESPACE();
namespace yupana::spectral::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

/// n = radix W: the values j = l + W k of lane l, transformed over k and multiplied by
/// w^(l q); transposed, so that lanes are q; transformed over l. All of it in registers.
template <class T, int W, int radix>
HWY_NOINLINE void whole(const ShortJob<T>& job) {
  using N = Rows<T, W>;
  const typename N::D d;
  typename N::C x[radix];
  butterfly<radix>(
      d,
      [&](int k) HWY_ATTR {
        typename N::C v = N::load_complexes(job.in + 2 * W * k);
        if (job.in_sign < 0) v.im = hn::Neg(v.im);
        return v;
      },
      [&](int q, typename N::C v)
          HWY_ATTR { x[q] = q == 0 ? v : v * N::load(job.twiddles + 2 * W * (q - 1)); });
  const auto scale = hn::Set(d, job.scale);
  const auto scale_imaginary = hn::Set(d, job.scale_imaginary);
  const bool as_is = job.scale == T(1) && job.scale_imaginary == T(1);
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
    typename N::C turned[W];
#pragma GCC unroll 16
    for (int l = 0; l < W; ++l) turned[place_of_lane<T, W>(l)] = {re[l], im[l]};
    butterfly<W>(
        d,
        [&](int l) HWY_ATTR { return turned[l]; },
        [&](int q, typename N::C y) HWY_ATTR {
          if (!as_is) y = {hn::Mul(y.re, scale), hn::Mul(y.im, scale_imaginary)};
          store_interleaved(d, y.re, y.im, job.out + 2 * (q * radix + part * W));
        });
  }
}

#if HWY_TARGET == HWY_AVX3
/// What whole_by_quarters() loads: lane b + 4 a holds value a + 4 b, of 16.
struct QuarterTables {
  std::int32_t even[16], odd[16];      ///< numbers of two vectors of complexes: the parts
  std::int32_t first[16], second[16];  ///< the inverse, lanes in their order
  float roots[3][32];                  ///< [k - 1][re, im][lane]: e^(-2 pi i a k / 16)
};

constexpr QuarterTables make_quarter_tables() {
  // cos(2 pi j / 16); j = a k is at most 9, and minus the sine is the cosine four further on.
  constexpr float c1 = 0.92387953251128675613F, c2 = 0.70710678118654752440F;
  constexpr float c3 = 0.38268343236508977173F;
  constexpr float cosines[] = {1, c1, c2, c3, 0, -c3, -c2, -c1, -1, -c1, -c2, -c3, 0, c3};
  QuarterTables tables = {};
  for (int lane = 0; lane < 16; ++lane) {
    const int a = lane / 4, b = lane % 4;
    tables.even[lane] = 2 * (a + 4 * b);
    tables.odd[lane] = tables.even[lane] + 1;
    tables.first[lane] = lane / 2 + 16 * (lane % 2);
    tables.second[lane] = tables.first[lane] + 8;
    for (int k = 1; k < 4; ++k) {
      tables.roots[k - 1][lane] = cosines[a * k];
      tables.roots[k - 1][16 + lane] = cosines[a * k + 4];
    }
  }
  return tables;
}
alignas(64) constexpr QuarterTables quarter_tables = make_quarter_tables();

/// n = 16 radix floats, radix a multiple of 4, in registers of 16: the values l + 16 k, transformed
/// over k and multiplied by w^(l q); with l = a + 4 b, four q at a time are turned with the b of
/// each quarter, vectors then are b, transformed over b; then with the quarters, vectors then are
/// a, transformed over a.
template <int radix>
HWY_NOINLINE void whole_by_quarters(const ShortJob<float>& job) {
  using N = Rows<float, 16>;
  const N::D d;
  const QuarterTables& tables = quarter_tables;
  const auto even = _mm512_load_si512(tables.even), odd = _mm512_load_si512(tables.odd);
  const auto first = _mm512_load_si512(tables.first), second = _mm512_load_si512(tables.second);
  N::C x[radix];
  butterfly<radix>(
      d,
      [&](int k) HWY_ATTR {
        const __m512 low = _mm512_loadu_ps(job.in + 32 * k);
        const __m512 high = _mm512_loadu_ps(job.in + 32 * k + 16);
        N::C v = {N::V{_mm512_permutex2var_ps(low, even, high)},
                  N::V{_mm512_permutex2var_ps(low, odd, high)}};
        if (job.in_sign < 0) v.im = hn::Neg(v.im);
        return v;
      },
      [&](int q, N::C v)
          HWY_ATTR { x[q] = q == 0 ? v : v * N::load(job.twiddles + 32 * (q - 1)); });
  const auto scale = hn::Set(d, job.scale);
  const auto scale_imaginary = hn::Set(d, job.scale_imaginary);
  const bool as_is = job.scale == 1 && job.scale_imaginary == 1;
  const auto store = [&](N::C y, float* out) HWY_ATTR {
    if (!as_is) y = {hn::Mul(y.re, scale), hn::Mul(y.im, scale_imaginary)};
    const __m512 low = _mm512_permutex2var_ps(y.re.raw, first, y.im.raw);
    const __m512 high = _mm512_permutex2var_ps(y.re.raw, second, y.im.raw);
    _mm256_storeu_ps(out, _mm512_castps512_ps256(low));
    _mm256_storeu_ps(out + 2 * radix, _mm512_extractf32x8_ps(low, 1));
    _mm256_storeu_ps(out + 4 * radix, _mm512_castps512_ps256(high));
    _mm256_storeu_ps(out + 6 * radix, _mm512_extractf32x8_ps(high, 1));
  };
#pragma GCC unroll 4
  for (int q = 0; q < radix; q += 4) {
    N::V re[] = {x[q].re, x[q + 1].re, x[q + 2].re, x[q + 3].re};
    N::V im[] = {x[q].im, x[q + 1].im, x[q + 2].im, x[q + 3].im};
    turn_within_quarters(d, re);
    turn_within_quarters(d, im);
    const auto get = [&](int i) HWY_ATTR { return N::C{re[i], im[i]}; };
    butterfly<4>(d, get, [&](int k, N::C v) HWY_ATTR {
      if (k > 0) v = v * N::load(tables.roots[k - 1]);
      re[k] = v.re;
      im[k] = v.im;
    });
    turn_quarters_of(re, 1);
    turn_quarters_of(im, 1);
    butterfly<4>(
        d, get, [&](int k, N::C y) HWY_ATTR { store(y, job.out + 8 * radix * k + 2 * q); });
  }
}

template <int radix>
ShortShape<float> by_quarters_shape() {
  std::vector<std::int64_t> places;
  for (const int even : quarter_tables.even) places.push_back(even / 2);
  return {.lanes = 16,
          .radix = radix,
          .whole = true,
          .pass = whole_by_quarters<radix>,
          .places = std::move(places)};
}
#endif

#endif

}  // namespace yupana::spectral::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // once a target
