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

/// The first of the passes over n = radix m values, radix a multiple of the lanes, m at least the
/// lanes: rows of L lanes of the `radix` results of each of the m places, radix / L blocks of m
/// rows, place + l of block `part` at row_of(part, place, l); of groups [begin, end) of L places.
/// The last L are computed together, some of them twice where L does not divide m. overlapped:
/// results are turned between the sums of the next places, since one unit alone shuffles and the
/// others would wait for it. It costs more than it gains where the values of a butterfly lie 1 KiB
/// or more apart: loads then wait for stores to other pages' equal places.
template <class T, int lanes, int radix, bool overlapped, bool conjugate, class RowOf>
HWY_INLINE void first_turned(const ShortJob<T>& job,
                             std::int64_t m,
                             std::int64_t begin,
                             std::int64_t end,
                             const RowOf& row_of) {
  using R = Rows<T, lanes>;
  const typename R::D d;
  constexpr int size = radix * R::row, units = 2 * radix / lanes;
  HWY_ALIGN T results[(overlapped ? 2 : 1) * size];
  T* made = results;
  T* turned = results + (overlapped ? size : 0);
  const T* twiddles = job.twiddles + begin * (radix - 1) * R::row;
  const auto turn = [&](int unit, std::int64_t place) HWY_ATTR __attribute__((always_inline)) {
    const int part = unit / 2, imaginary = unit % 2 * lanes;
    turn_part<R>(turned + part * lanes * R::row + imaginary, R::row, [&](int l) HWY_ATTR {
      return row_of(part, place, l) + imaginary;
    });
  };
  // The results of the places from p on; those of the places from `before` on are turned meanwhile.
  const auto step = [&](std::int64_t p, auto before) HWY_ATTR __attribute__((always_inline)) {
    butterfly<radix>(
        d,
        [&](int k) HWY_ATTR {
          typename R::C v = R::load_complexes(job.in + 2 * (p + k * m));
          if constexpr (conjugate) v.im = hn::Neg(v.im);
          return v;
        },
        [&](int q, typename R::C v) HWY_ATTR {
          if constexpr (!std::is_same_v<decltype(before), std::nullptr_t>) {
            if (q < units) turn(q, before);
          }
          R::store(q > 0 ? v * R::load(twiddles + (q - 1) * R::row) : v, made + q * R::row);
        });
    twiddles += (radix - 1) * R::row;
  };
  const auto turn_all = [&](std::int64_t place) HWY_ATTR __attribute__((always_inline)) {
#pragma GCC unroll 16
    for (int unit = 0; unit < units; ++unit) turn(unit, place);
  };
  std::int64_t before = std::min(begin * lanes, m - lanes);
  step(before, nullptr);
  for (std::int64_t group = begin + 1; group < end; ++group) {
    const std::int64_t p = std::min(group * lanes, m - lanes);
    if constexpr (overlapped) {
      std::swap(made, turned);
      step(p, before);
    } else {
      turn_all(before);
      step(p, nullptr);
    }
    before = p;
  }
  turned = made;
  turn_all(before);
}

template <class T, int lanes, int radix>
HWY_NOINLINE void first_step(const ShortJob<T>& job) {
  const std::int64_t m = job.length / radix;
  const auto row_of = [&job, m](int part, std::int64_t place, int l) HWY_ATTR {
    return job.out + (part * m + place + l) * Rows<T, lanes>::row;
  };
  if (job.in_sign < 0) {
    return first_turned<T, lanes, radix, false, true>(job, m, job.begin, job.end, row_of);
  }
  first_turned<T, lanes, radix, false, false>(job, m, job.begin, job.end, row_of);
}

/// The same of a radix that is a product, or no multiple of the lanes: the last of ceil(radix / L)
/// blocks has lanes without a result.
template <class T>
HWY_NOINLINE void first_steps(const ShortJob<T>& job) {
  using R = Rows<T>;
  const std::int64_t radix = job.first->rows, m = job.length / radix;
  T* const results = job.scratch + radix * R::row;
  RowJob<T> step;
  step.plan = job.first;
  step.buffer = job.scratch;
  step.in_stride = 2 * m;
  step.in_sign = job.in_sign;
  step.out = results;
  step.factors = job.twiddles + job.begin * (radix - 1) * R::row;
  for (std::int64_t group = job.begin; group < job.end; ++group) {
    const std::int64_t p = std::min(group * R::lanes, m - R::lanes);
    step.in = job.in + 2 * p;
    transform<R>(step);
    step.factors += (radix - 1) * R::row;
    for (std::int64_t q = 0; q < radix; q += R::lanes) {
      turn_rows(results + q * R::row, R::row, job.out + (q / R::lanes * m + p) * R::row);
    }
  }
}

/// n = radix second third: all passes in one go, their strides known to the compiler. Calls between
/// them take a fifth of the time of such signals. Rows lie where results of the same numbers go, in
/// the result itself if that is not the signal's place: a fourth array would not fit the cache.
///   place j + third k at row k + second j: (j, k) becomes (j, q), that (q', q), result q + second
///   q'
template <class T, int lanes, int radix, int second, int third>
HWY_NOINLINE void all_steps(const ShortJob<T>& job) {
  using R = Rows<T, lanes>;
  const typename R::D d;
  constexpr int m = second * third, groups = (m + lanes - 1) / lanes;
  static_assert(lanes % third == 0 || third % lanes == 0);
  constexpr std::int64_t step = 2 * radix;
  HWY_ALIGN T buffer[m * step];
  const bool apart = job.in == job.out || reinterpret_cast<std::uintptr_t>(job.out) % 64 != 0;
  T* const values = apart ? buffer : job.out;
  const auto row_of = [values](int part, std::int64_t place, int l) HWY_ATTR {
    const std::int64_t row =
        place / third + place % third * second + l / third + l % third * second;
    return values + row * step + part * R::row;
  };
  constexpr bool overlapped = m > lanes && m * sizeof(T) <= 512;
  if (job.in_sign < 0) {
    first_turned<T, lanes, radix, overlapped, true>(job, m, 0, groups, row_of);
  } else {
    first_turned<T, lanes, radix, overlapped, false>(job, m, 0, groups, row_of);
  }
  const auto scale = hn::Set(d, job.scale);
  const auto scale_imaginary = hn::Set(d, job.scale_imaginary);
  const bool as_is = job.scale == T(1) && job.scale_imaginary == T(1);
  for (int part = 0; part < radix / lanes; ++part) {
    T* const rows = values + part * R::row;
    T* const out = job.out + part * R::row;
    const auto load = [rows](int row) HWY_ATTR { return R::load(rows + row * step); };
    const auto second_step = [&](int j, auto turns) HWY_ATTR __attribute__((always_inline)) {
      const T* const twiddles = job.row_twiddles + 2 * j * (second - 1);
      butterfly<second>(
          d,
          [&](int k) HWY_ATTR { return load(j * second + k); },
          [&](int q, typename R::C x) HWY_ATTR {
            if (turns.value && q > 0) x = x * broadcast(d, twiddles + 2 * (q - 1));
            R::store(x, rows + (j * second + q) * step);
          });
    };
    if constexpr (second > 1) {
      second_step(0, std::false_type());
      for (int j = 1; j < third; ++j) second_step(j, std::true_type());
    }
    for (int g = 0; g < second; ++g) {
      butterfly<third>(
          d,
          [&](int p) HWY_ATTR { return load(g + p * second); },
          [&](int q, typename R::C y) HWY_ATTR {
            if (!as_is) y = {hn::Mul(y.re, scale), hn::Mul(y.im, scale_imaginary)};
            R::store_complexes(y, out + (g + q * second) * step);
          });
    }
  }
}

template <class T, int W, int radix>
ShortShape<T> whole_shape() {
  return {.lanes = W,
          .radix = radix,
          .whole = true,
          .pass = whole<T, W, radix>,
          .places = places_of<T, W>()};
}

template <class T, int W, int radix, int second, int third>
ShortShape<T> all_steps_shape() {
  constexpr auto pass = all_steps<T, W, radix, second, third>;
  return {.lanes = W, .radix = radix, .whole = true, .pass = pass, .places = places_of<T, W>()};
}
template <class T, int W, int radix>
ShortShape<T> first_shape() {
  return {.lanes = W,
          .radix = radix,
          .pass = first_step<T, W, radix>,
          .rest = transform<Rows<T, W>>,
          .places = places_of<T, W>()};
}

template <class T>
ShortShape<T> composite_shape(std::int64_t radix) {
  return {.lanes = static_cast<int>(Rows<T>::lanes),
          .radix = static_cast<int>(radix),
          .composite = true,
          .pass = first_steps<T>,
          .rest = transform<Rows<T>>,
          .places = places_of<T, static_cast<int>(Rows<T>::lanes)>()};
}

/// The plan of a length: whole in registers, or a first radix, or a product as the first.
template <class T>
ShortShape<T> shape_of(std::int64_t n) {
  constexpr std::int64_t lanes = Rows<T>::lanes;
  if constexpr (lanes >= 4) {
    if (n == 16) return whole_shape<T, 4, 4>();
    if (n == 32) return whole_shape<T, 4, 8>();
  }
  if constexpr (lanes == 4) {
    if (n == 64) return whole_shape<T, 4, 16>();
  }
  if constexpr (lanes == 8) {
    if (n == 64) return whole_shape<T, 8, 8>();
    if (n == 128) return all_steps_shape<T, 8, 16, 1, 8>();
    if constexpr (max_radix == 16) {
      if (n == 256) return all_steps_shape<T, 8, 16, 1, 16>();
      if (n == 512) return all_steps_shape<T, 8, 16, 8, 4>();
    }
  }
#if HWY_TARGET == HWY_AVX3
  if constexpr (lanes == 16) {
    if (n == 64) return by_quarters_shape<4>();
    if (n == 128) return by_quarters_shape<8>();
    if (n == 256) return by_quarters_shape<16>();
    if (n == 512) return all_steps_shape<T, 16, 16, 8, 4>();
  }
#endif
  if constexpr (lanes >= 8 && max_radix == 16) {
    if (n == 1024) return all_steps_shape<T, lanes, 16, 8, 8>();
    if (n == 2048) return all_steps_shape<T, lanes, 16, 16, 8>();
  }
  if constexpr (lanes >= 4) {
    constexpr int all = static_cast<int>(lanes);
    const auto divides = [n](std::int64_t radix, std::int64_t vector) {
      return n % radix == 0 && n / radix >= vector;
    };
    const auto passes = [&](std::int64_t first) { return radices_of(n / first, max_radix).size(); };
    // After 64 = 8 x 8 what is left of longer signals stays in the first-level cache, if that takes
    // no pass more or what 16 leaves is far from it.
    if constexpr (max_radix == 16) {
      const bool fits = n / 64 <= 512 && n / 16 > 1024;
      if (2 * n * std::int64_t{sizeof(T)} >= std::int64_t{1} << 17 && divides(64, all) &&
          (passes(64) < passes(16) || fits)) {
        return composite_shape<T>(64);
      }
    }
    // The largest radix makes a pass less for some lengths.
    const bool larger = max_radix > all && divides(max_radix, all) &&
                        !(divides(all, all) && passes(max_radix) >= passes(all));
    if (larger) return first_shape<T, all, max_radix>();
    if (divides(all, all)) return first_shape<T, all, all>();
    if constexpr (all == 16) {
      if (divides(all / 2, all / 2)) return first_shape<T, all / 2, all / 2>();
    }
    if constexpr (all > 4) {
      if (n * all <= 2048 && divides(4, 4)) return first_shape<T, 4, 4>();
    }
  }
  if constexpr (lanes >= 4) {
    const Split split = split_of(n, lanes, max_radix);
    std::int64_t radix = std::min(split.rows, split.columns);
    if (n < radix * lanes) {
      for (radix = n / lanes; radix > 1 && n % radix != 0;) --radix;
    }
    if (radix > 1 && n / radix >= lanes) {
      return composite_shape<T>(radix);
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
