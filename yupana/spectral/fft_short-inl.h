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

/// The first of the passes over n = radix m values, radix a multiple of the lanes, m at least the
/// lanes: rows of L lanes of the `radix` results of each of the m places, radix / L blocks of m
/// rows. The last L places are computed together, some of them twice where L does not divide m.
template <class T, int lanes, int radix>
HWY_INLINE void first_turned(const ShortJob<T>& job, std::int64_t m, T* out) {
  using R = Rows<T, lanes>;
  const typename R::D d;
  const auto flip = hn::Set(d, job.in_sign < 0 ? T(-0.0) : T(0));
  const T* twiddles = job.twiddles;
  for (std::int64_t group = 0; group < m; group += lanes) {
    const std::int64_t p = std::min(group, m - lanes);
    typename R::C x[radix];
    butterfly<radix>(
        d,
        [&](int k) HWY_ATTR {
          typename R::C v = R::load_complexes(job.in + 2 * (p + k * m));
          v.im = hn::Xor(v.im, flip);
          return v;
        },
        [&](int q, typename R::C v) HWY_ATTR { x[q] = v; });
#pragma GCC unroll 16
    for (int q = 1; q < radix; ++q) x[q] = x[q] * R::load(twiddles + (q - 1) * R::row);
    twiddles += (radix - 1) * R::row;
#pragma GCC unroll 4
    for (int part = 0; part < radix / lanes; ++part) {
      T* const to = out + (part * m + p) * R::row;
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

template <class T, int lanes, int radix>
HWY_NOINLINE void first_step(const ShortJob<T>& job) {
  first_turned<T, lanes, radix>(job, job.length / radix, job.out);
}

/// n = radix second third: all passes in one go, their strides known to the compiler. Calls between
/// them take a fifth of the time of such signals.
template <class T, int lanes, int radix, int second, int third>
HWY_NOINLINE void all_steps(const ShortJob<T>& job) {
  using R = Rows<T, lanes>;
  const typename R::D d;
  constexpr int m = second * third;
  HWY_ALIGN T values[2 * radix * m];
  first_turned<T, lanes, radix>(job, m, values);
  const auto scale = hn::Set(d, job.scale);
  const auto scale_imaginary = hn::Set(d, job.scale_imaginary);
  const bool as_is = job.scale == T(1) && job.scale_imaginary == T(1);
  for (int part = 0; part < radix / lanes; ++part) {
    T* const rows = values + part * m * R::row;
    const auto load = [rows](std::int64_t row) HWY_ATTR { return R::load(rows + row * R::row); };
    if constexpr (second > 1) butterflies<second, R>(third, job.row_twiddles, load, rows);
    for (int g = 0; g < second; ++g) {
      T* const out = job.out + 2 * (g * radix + part * lanes);
      butterfly<third>(
          d,
          [&](int p) HWY_ATTR { return load(g * third + p); },
          [&](int q, typename R::C y) HWY_ATTR {
            if (!as_is) y = {hn::Mul(y.re, scale), hn::Mul(y.im, scale_imaginary)};
            R::store_complexes(y, out + 2 * q * second * radix);
          });
    }
  }
}

template <class T, int W, int radix>
ShortShape<T> whole_shape() {
  return {W, radix, true, whole<T, W, radix>, nullptr, places_of<T, W>()};
}

template <class T, int W, int radix, int second, int third>
ShortShape<T> all_steps_shape() {
  constexpr auto pass = all_steps<T, W, radix, second, third>;
  return {W, radix, true, pass, nullptr, places_of<T, W>()};
}
template <class T, int W, int radix>
ShortShape<T> first_shape() {
  return {W, radix, false, first_step<T, W, radix>, transform<Rows<T, W>>, places_of<T, W>()};
}

/// The plan of a length: whole in registers, or a first radix; neither where it does not divide.
template <class T>
ShortShape<T> shape_of(std::int64_t n) {
  constexpr std::int64_t lanes = Rows<T>::lanes;
  if constexpr (lanes >= 4) {
    if (n == 16) return whole_shape<T, 4, 4>();
    if (n == 32) return whole_shape<T, 4, 8>();
    if constexpr (lanes == 4) {
      if (n == 64) return whole_shape<T, 4, 16>();
    }
  }
  if constexpr (lanes >= 8) {
    if (n == 64) return whole_shape<T, 8, 8>();
    if (n == 128) return all_steps_shape<T, 8, 16, 1, 8>();
  }
  if constexpr (lanes >= 8 && max_radix == 16) {
    if constexpr (lanes == 8) {
      if (n == 256) return all_steps_shape<T, 8, 16, 1, 16>();
      if (n == 512) return all_steps_shape<T, 8, 16, 8, 4>();
    } else {
      if (n == 256) return all_steps_shape<T, 16, 16, 1, 16>();
      if (n == 512) return all_steps_shape<T, 16, 16, 8, 4>();
    }
    if (n == 1024) return all_steps_shape<T, lanes, 16, 8, 8>();
  }
  if constexpr (lanes >= 4) {
    constexpr int all = static_cast<int>(lanes);
    const auto divides = [n](std::int64_t radix, std::int64_t vector) {
      return n % radix == 0 && n / radix >= vector;
    };
    // The largest radix makes a pass less for some lengths.
    const auto passes = [&](std::int64_t first) { return radices_of(n / first, max_radix).size(); };
    const bool larger = max_radix > all && divides(max_radix, all) &&
                        !(divides(all, all) && passes(max_radix) >= passes(all));
    if (larger) return first_shape<T, all, max_radix>();
    if (divides(all, all)) return first_shape<T, all, all>();
    if constexpr (all == 16) {
      if (divides(all / 2, all / 2)) return first_shape<T, all / 2, all / 2>();
    }
  }
  return {};
}

#else

template <class T>
ShortShape<T> shape_of(std::int64_t) {
  return {};
}

#endif

}  // namespace yupana::spectral::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // once a target
