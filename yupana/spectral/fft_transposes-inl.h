// What fills and empties the rows of a buffer: transposed tiles, signals, half spectra; included
// once a SIMD target, after the passes.
#if defined(YUPANA_SPECTRAL_TRANSPOSES) == defined(HWY_TARGET_TOGGLE)
#ifdef YUPANA_SPECTRAL_TRANSPOSES
#undef YUPANA_SPECTRAL_TRANSPOSES
#else
#define YUPANA_SPECTRAL_TRANSPOSES
#endif

HWY_BEFORE_NAMESPACE();
namespace yupana::spectral::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
/// x and y become vectors of their even and of their odd numbers, within each half of 128 bits.
template <class D, class V>
HWY_INLINE void interleave(D d, V& x, V& y) {
  const V low = interleave_lower(d, x, y);
  y = interleave_upper(d, x, y);
  x = low;
}

/// turn_vectors() of 256 bits: within halves first, then halves change places.
template <int W, class D, class V>
HWY_INLINE void turn_halves(D d, V* x) {
  if constexpr (W == 8) {
    const hn::Repartition<double, D> pairs;
    hn::Vec<decltype(pairs)> p[8];
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) interleave(d, x[i], x[i + 1]);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) p[i] = hn::BitCast(pairs, x[i]);
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) {
      interleave(pairs, p[i], p[i + 2]);
      interleave(pairs, p[i + 1], p[i + 3]);
    }
    constexpr int order[] = {0, 2, 1, 3, 4, 6, 5, 7};
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) x[i] = hn::BitCast(d, p[order[i]]);
  } else {
    interleave(d, x[0], x[1]);
    interleave(d, x[2], x[3]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < W / 2; ++i) {
    const V low = hn::ConcatLowerLower(d, x[i + W / 2], x[i]);
    x[i + W / 2] = hn::ConcatUpperUpper(d, x[i + W / 2], x[i]);
    x[i] = low;
  }
}
#endif

#if HWY_TARGET == HWY_AVX3
/// Quarters 0 and 2 of x and of y; quarters 1 and 3.
template <class V>
HWY_INLINE V even_quarters(V x, V y) {
  if constexpr (sizeof(hn::TFromV<V>) == 8)
    return V{_mm512_shuffle_f64x2(x.raw, y.raw, 0x88)};
  else
    return V{_mm512_shuffle_f32x4(x.raw, y.raw, 0x88)};
}
template <class V>
HWY_INLINE V odd_quarters(V x, V y) {
  if constexpr (sizeof(hn::TFromV<V>) == 8)
    return V{_mm512_shuffle_f64x2(x.raw, y.raw, 0xDD)};
  else
    return V{_mm512_shuffle_f32x4(x.raw, y.raw, 0xDD)};
}

/// Four vectors of 512 bits: numbers change places with vectors within quarters of 128 bits.
template <class D, class V>
HWY_INLINE void turn_within_quarters(D d, V* x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    interleave(d, x[0], x[1]);
    interleave(d, x[2], x[3]);
  } else {
    const hn::Repartition<double, D> pairs;
    const auto a = hn::BitCast(pairs, interleave_lower(d, x[0], x[1]));
    const auto b = hn::BitCast(pairs, interleave_lower(d, x[2], x[3]));
    const auto c = hn::BitCast(pairs, interleave_upper(d, x[0], x[1]));
    const auto e = hn::BitCast(pairs, interleave_upper(d, x[2], x[3]));
    x[0] = hn::BitCast(d, interleave_lower(pairs, a, b));
    x[1] = hn::BitCast(d, interleave_upper(pairs, a, b));
    x[2] = hn::BitCast(d, interleave_lower(pairs, c, e));
    x[3] = hn::BitCast(d, interleave_upper(pairs, c, e));
  }
}

/// Quarters of four vectors, `step` apart, change places with the vectors, by shuffles that need no
/// register for their order.
template <class V>
HWY_INLINE void turn_quarters_of(V* x, int step) {
  const V even_low = even_quarters(x[0], x[step]);
  const V odd_low = odd_quarters(x[0], x[step]);
  const V even_high = even_quarters(x[2 * step], x[3 * step]);
  const V odd_high = odd_quarters(x[2 * step], x[3 * step]);
  x[0] = even_quarters(even_low, even_high);
  x[2 * step] = odd_quarters(even_low, even_high);
  x[step] = even_quarters(odd_low, odd_high);
  x[3 * step] = odd_quarters(odd_low, odd_high);
}

/// turn_vectors() of 512 bits: within quarters first, then quarters change places.
template <int W, class D, class V>
HWY_INLINE void turn_quarters(D d, V* x) {
#pragma GCC unroll 4
  for (int i = 0; i < W; i += 4) turn_within_quarters(d, x + i);
#pragma GCC unroll 4
  for (int a = 0; a < W / 4; ++a) turn_quarters_of(x + a, W / 4);
}
#endif

/// Turns W x W values: vector i of the result holds lane i of every x[j]. With the bits of a
/// vector's number above those of a lane's, a round rotates them all by one place; after log2 W
/// rounds the two have changed places.
template <int W, class D, class V>
HWY_INLINE void turn_vectors(D d, V* x) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(V) == 32) return turn_halves<W>(d, x);
#endif
#if HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(V) == 64) return turn_quarters<W>(d, x);
#endif
#if HWY_TARGET == HWY_SCALAR
  (void)d;
  (void)x;
#else
#pragma GCC unroll 8
  for (int round = 1; round < W; round *= 2) {
    V y[W];
#pragma GCC unroll 32
    for (int i = 0; i < W / 2; ++i) {
      y[i] = hn::ConcatEven(d, x[2 * i + 1], x[2 * i]);
      y[i + W / 2] = hn::ConcatOdd(d, x[2 * i + 1], x[2 * i]);
    }
#pragma GCC unroll 32
    for (int i = 0; i < W; ++i) x[i] = y[i];
  }
#endif
}

/// Turns the real or the imaginary parts of L rows `step` numbers apart; row i goes to to(i). Lanes
/// of both are in the order of place().
template <class R, class T = typename R::Number, class To>
HWY_INLINE void turn_part(const T* from, std::int64_t step, const To& to) {
  constexpr int lanes = R::lanes;
  const typename R::D d;
  typename R::V x[lanes];
#pragma GCC unroll 32
  for (int l = 0; l < lanes; ++l) x[l] = hn::LoadU(d, from + R::place(l) * step);
  turn_vectors<lanes>(d, x);
#pragma GCC unroll 32
  for (int l = 0; l < lanes; ++l) hn::Store(x[l], d, to(R::place(l)));
}

/// Both parts, to rows one after the other.
template <class T>
HWY_INLINE void turn_rows(const T* from, std::int64_t step, T* rows) {
  using R = Rows<T>;
#pragma GCC unroll 2
  for (std::int64_t part = 0; part < R::row; part += R::lanes) {
    turn_part<R>(from + part, step, [=](int i) HWY_ATTR { return rows + i * R::row + part; });
  }
}

template <class T>
void tiles_to_rows(const TileColumn<T>& tiles, T* rows) {
  using R = Rows<T>;
  constexpr std::int64_t ahead = 2;
  for (std::int64_t t = 0; t < tiles.count; ++t) {
    const T* const tile = tiles.data + t * tiles.distance;
    if (tiles.is_far && t + ahead < tiles.count) {
      const T* const next = tile + ahead * tiles.distance;
#pragma GCC unroll 16
      for (std::int64_t l = 0; l < R::lanes; ++l) R::prefetch(next + l * tiles.stride);
    }
    turn_rows(tile, tiles.stride, rows + t * R::lanes * R::row);
  }
}

template <class T>
void signals_to_rows(
    const T* in, std::int64_t distance, std::int64_t length, std::int64_t lanes, T sign, T* rows) {
  using R = Rows<T>;
  const typename R::D d;
  const auto flip = hn::Set(d, sign < 0 ? T(-0.0) : T(0));
  HWY_ALIGN T tile[R::lanes * R::row];
  std::memset(tile, 0, sizeof(tile));
  for (std::int64_t j = 0; j < length; j += R::lanes) {
    const std::int64_t count = std::min(R::lanes, length - j);
    for (std::int64_t l = 0; l < lanes; ++l) {
      HWY_ALIGN T part[R::row] = {};
      const T* from = in + l * distance + 2 * j;
      if (count < R::lanes) {
        std::memcpy(part, from, static_cast<std::size_t>(2 * count) * sizeof(T));
        from = part;
      }
      auto x = R::load_complexes(from);
      x.im = hn::Xor(x.im, flip);
      R::store(x, tile + l * R::row);
    }
    if (count == R::lanes) {
      turn_rows(tile, R::row, rows + j * R::row);
    } else {
      HWY_ALIGN T turned_tile[R::lanes * R::row];
      turn_rows(tile, R::row, turned_tile);
      std::memcpy(
          rows + j * R::row, turned_tile, static_cast<std::size_t>(count * R::row) * sizeof(T));
    }
  }
}

template <class T>
void rows_to_signals(const T* rows,
                     std::int64_t length,
                     std::int64_t lanes,
                     T scale,
                     T scale_imaginary,
                     T* out,
                     std::int64_t distance) {
  using R = Rows<T>;
  const typename R::D d;
  const auto by = hn::Set(d, scale);
  const auto by_imaginary = hn::Set(d, scale_imaginary);
  HWY_ALIGN T tile[R::lanes * R::row];
  HWY_ALIGN T last[R::lanes * R::row] = {};
  for (std::int64_t j = 0; j < length; j += R::lanes) {
    const std::int64_t count = std::min(R::lanes, length - j);
    const T* from = rows + j * R::row;
    if (count < R::lanes) {
      std::memcpy(last, from, static_cast<std::size_t>(count * R::row) * sizeof(T));
      from = last;
    }
    turn_rows(from, R::row, tile);
    for (std::int64_t l = 0; l < lanes; ++l) {
      auto x = R::load(tile + l * R::row);
      x = {hn::Mul(x.re, by), hn::Mul(x.im, by_imaginary)};
      T* to = out + l * distance + 2 * j;
      if (count == R::lanes) {
        R::store_complexes(x, to);
      } else {
        HWY_ALIGN T part[R::row];
        R::store_complexes(x, part);
        std::memcpy(to, part, static_cast<std::size_t>(2 * count) * sizeof(T));
      }
    }
  }
}

/// See ProductJob.
template <class T>
void multiply_values(const ProductJob<T>& job, std::int64_t count) {
  using R = Rows<T>;
  using C = typename R::C;
  const typename R::D d;
  const auto flip = hn::Set(d, job.sign < 0 ? T(-0.0) : T(0));
  const auto scale = hn::Set(d, job.scale);
  const auto scale_imaginary = hn::Set(d, job.scale_imaginary);
  const auto one = [&](const T* x, const T* y, T* out) HWY_ATTR {
    C a = R::load_complexes(x);
    a.im = hn::Xor(a.im, flip);
    const C b = a * R::load_complexes(y);
    R::store_complexes({hn::Mul(b.re, scale), hn::Mul(b.im, scale_imaginary)}, out);
  };
  std::int64_t j = 0;
  for (; j + R::lanes <= count; j += R::lanes) one(job.x + 2 * j, job.y + 2 * j, job.out + 2 * j);
  if (j == count) return;
  // The rest in a vector of its own: the same operations as in any other.
  HWY_ALIGN T x[R::row] = {}, y[R::row] = {}, out[R::row];
  const auto rest = static_cast<std::size_t>(2 * (count - j)) * sizeof(T);
  std::memcpy(x, job.x + 2 * j, rest);
  std::memcpy(y, job.y + 2 * j, rest);
  one(x, y, out);
  std::memcpy(job.out + 2 * j, out, rest);
}

/// See HalfSpectrumJob.
template <class T>
void pair_values(const HalfSpectrumJob<T>& job, std::int64_t begin, std::int64_t end) {
  using R = Rows<T>;
  using C = typename R::C;
  const typename R::D d;
  const auto half = hn::Set(d, T(0.5));
  const auto flip = hn::Set(d, job.inverse ? T(-0.0) : T(0));
  const std::int64_t h = job.half_length;
  std::int64_t k = begin;
  for (; k + R::lanes <= end; k += R::lanes) {
    T* low = job.values + 2 * k;
    T* high = job.values + 2 * (h - k - R::lanes + 1);
    const C a = R::load_complexes(low);
    C b = R::load_complexes(high);
    b = {hn::Reverse(d, b.re), hn::Neg(hn::Reverse(d, b.im))};
    C w;
    if (job.table != nullptr) {
      w = R::load(job.table + (k - 1) / R::lanes * R::row);
    } else {
      const std::complex<double> root = (*job.roots)(k);
      const C first = {hn::Set(d, static_cast<T>(root.real())),
                       hn::Set(d, static_cast<T>(root.imag()))};
      w = first * R::load(job.lane_roots);
    }
    w = {w.im, hn::Xor(hn::Neg(w.re), flip)};                   // -i w, or its conjugate
    const C even = {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};  // twice
    const C odd = {hn::Mul(half, hn::Sub(a.re, b.re)), hn::Mul(half, hn::Sub(a.im, b.im))};
    const C t = odd * w;
    const C x = {hn::MulAdd(half, even.re, t.re), hn::MulAdd(half, even.im, t.im)};
    const C y = {hn::MulSub(half, even.re, t.re), hn::MulSub(half, even.im, t.im)};
    R::store_complexes(x, low);
    R::store_complexes({hn::Reverse(d, y.re), hn::Reverse(d, hn::Neg(y.im))}, high);
  }
  for (; k < end; ++k) {
    T* low = job.values + 2 * k;
    T* high = job.values + 2 * (h - k);
    const std::complex<T> a(low[0], low[1]), b(high[0], -high[1]);
    const std::complex<double> root = (*job.roots)(k);
    const auto re = static_cast<T>(root.real()), im = static_cast<T>(root.imag());
    const T w_re = im, w_im = job.inverse ? re : -re;
    const T odd_re = T(0.5) * (a.real() - b.real()), odd_im = T(0.5) * (a.imag() - b.imag());
    const std::complex<T> even(T(0.5) * (a.real() + b.real()), T(0.5) * (a.imag() + b.imag()));
    const std::complex<T> t(odd_re * w_re - odd_im * w_im, odd_re * w_im + odd_im * w_re);
    const std::complex<T> x = even + t, y = even - t;
    low[0] = x.real();
    low[1] = x.imag();
    high[0] = y.real();
    high[1] = -y.imag();
  }
}

}  // namespace yupana::spectral::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // once a target
