// Passes over the rows of a buffer; included once a SIMD target. The file that includes it is
// compiled for one type.
#if defined(YUPANA_SPECTRAL_PASSES) == defined(HWY_TARGET_TOGGLE)
#ifdef YUPANA_SPECTRAL_PASSES
#undef YUPANA_SPECTRAL_PASSES
#else
#define YUPANA_SPECTRAL_PASSES
#endif

HWY_BEFORE_NAMESPACE();
namespace yupana::spectral::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The largest radix of a pass: 16 registers hold the values of 8, 32 those of 16.
#if HWY_TARGET == HWY_AVX2
constexpr int max_radix = 8;
#else
constexpr int max_radix = 16;
#endif

/// The complex number, of W in memory, that lane l of their vectors holds. Vectors of 256 and of
/// 512 bits are shuffled within parts of 128: in this order two shuffles load W numbers and two
/// store them, without registers that hold an order.
template <class T, int W>
constexpr int place_of_lane(int l) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(T) * W >= 32) {
    constexpr int run = 8 / sizeof(T);  // of a half of 128 bits
    return l / run % 2 * (W / 2) + l / (2 * run) * run + l % run;
  }
#endif
  return l;
}
template <class T, int W>
std::vector<std::int64_t> places_of() {
  std::vector<std::int64_t> places;
  for (int l = 0; l < W; ++l) places.push_back(place_of_lane<T, W>(l));
  return places;
}

#if HWY_TARGET != HWY_SCALAR
/// Vectors of real and of imaginary parts from complex numbers in memory, in two vectors.
template <class D, class V>
HWY_INLINE Complexes<V> split_parts(D d, V a, V b) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(V) >= 32) {
    if constexpr (sizeof(hn::TFromD<D>) == 8) {
      return {interleave_lower(d, a, b), interleave_upper(d, a, b)};
    } else if constexpr (sizeof(V) == 32) {
      return {V{_mm256_shuffle_ps(a.raw, b.raw, 0x88)}, V{_mm256_shuffle_ps(a.raw, b.raw, 0xDD)}};
    }
#if HWY_TARGET == HWY_AVX3
    if constexpr (sizeof(V) == 64 && sizeof(hn::TFromD<D>) == 4) {
      return {V{_mm512_shuffle_ps(a.raw, b.raw, 0x88)}, V{_mm512_shuffle_ps(a.raw, b.raw, 0xDD)}};
    }
#endif
  }
#endif
  return {hn::ConcatEven(d, b, a), hn::ConcatOdd(d, b, a)};
}
#endif

/// The inverse, to memory.
template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE void store_interleaved(D d, V re, V im, T* at, bool past_cache = false) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(V) >= 16) {
    if (past_cache) {
      hn::Stream(interleave_lower(d, re, im), d, at);
      hn::Stream(interleave_upper(d, re, im), d, at + sizeof(V) / sizeof(T));
      return;
    }
    hn::StoreU(interleave_lower(d, re, im), d, at);
    hn::StoreU(interleave_upper(d, re, im), d, at + sizeof(V) / sizeof(T));
    return;
  }
#endif
  (void)past_cache;  // shorter vectors fill no line
  hn::StoreInterleaved2(re, im, d, at);
}

/// Rows of W numbers of each part, W at most the lanes of this target.
template <class T, int W = static_cast<int>(HWY_LANES(T))>
struct Rows {
  using Number = T;
  using D = hn::CappedTag<T, W>;
  using V = hn::Vec<D>;
  using C = Complexes<V>;
  static constexpr std::int64_t lanes = W;
  static constexpr std::int64_t row = 2 * lanes;
  static constexpr int place(int l) { return place_of_lane<T, W>(l); }

  static HWY_INLINE C load(const T* at) {
    const D d;
    return {hn::Load(d, at), hn::Load(d, at + lanes)};
  }
  static HWY_INLINE void store(C x, T* at) {
    const D d;
    hn::Store(x.re, d, at);
    hn::Store(x.im, d, at + lanes);
  }
  /// The lines of a row, one or two, to the second level: the rows of a butterfly, a power of two
  /// apart, share the few lines of a set of the first.
  static HWY_INLINE void prefetch(const T* at) {
    __builtin_prefetch(at, 0, 2);
    if constexpr (sizeof(T) * row > 64) __builtin_prefetch(at + lanes, 0, 2);
  }
  /// Anywhere, or on whole lines around the cache.
  static HWY_INLINE void store_tile(C x, T* at, bool past_cache) {
    const D d;
    if (past_cache) {
      hn::Stream(x.re, d, at);
      hn::Stream(x.im, d, at + lanes);
    } else {
      hn::StoreU(x.re, d, at);
      hn::StoreU(x.im, d, at + lanes);
    }
  }
  static HWY_INLINE C load_complexes(const T* at) {
    const D d;
#if HWY_TARGET == HWY_SCALAR
    return {hn::Load(d, at), hn::Load(d, at + 1)};
#else
    return split_parts(d, hn::LoadU(d, at), hn::LoadU(d, at + lanes));
#endif
  }
  static HWY_INLINE void store_complexes(C x, T* at, bool past_cache = false) {
    store_interleaved(D(), x.re, x.im, at, past_cache);
  }
};

/// Calls body(std::integral_constant<int, radix>).
template <class Body>
HWY_INLINE void with_odd_radix(int radix, const Body& body) {
  switch (radix) {
    case 3:
      return body(std::integral_constant<int, 3>());
    case 5:
      return body(std::integral_constant<int, 5>());
    case 7:
      return body(std::integral_constant<int, 7>());
    case 11:
      return body(std::integral_constant<int, 11>());
    case 15:
      return body(std::integral_constant<int, 15>());
    default:
      return body(std::integral_constant<int, 13>());
  }
}
/// Rows of fewer lanes than the target's have no 1 and no 16: as many as there are of those
/// (shape_of), no power of two divides but 2, 4 and 8.
template <class R, class Body>
HWY_INLINE void with_radix(int radix, const Body& body) {
  constexpr bool all = R::lanes == HWY_LANES(typename R::Number);
  switch (radix) {
    case 2:
      return body(std::integral_constant<int, 2>());
    case 4:
      return body(std::integral_constant<int, 4>());
    case 8:
      return body(std::integral_constant<int, 8>());
    case 1:
      if constexpr (all) body(std::integral_constant<int, 1>());
      return;
    case 16:
      if constexpr (all && max_radix == 16) body(std::integral_constant<int, 16>());
      return;
    default:
      return with_odd_radix(radix, body);
  }
}

/// A pass that is not the last, over one group: its m = length / radix butterflies.
template <int radix, class R, class Load>
HWY_INLINE void butterflies(std::int64_t m,
                            const typename R::Number* twiddles,
                            const Load& load,
                            typename R::Number* group) {
  const typename R::D d;
  for (std::int64_t j = 0; j < m; ++j) {
    butterfly<radix>(
        d,
        [&](int p) HWY_ATTR { return load(j + p * m); },
        [&](int q, typename R::C x) HWY_ATTR {
          if (q > 0) x = x * broadcast(d, twiddles + 2 * (q - 1));
          R::store(x, group + (j + q * m) * R::row);
        });
    twiddles += 2 * (radix - 1);
  }
}

template <class R, class T = typename R::Number>
HWY_NOINLINE void inner_pass(const RowPlan<T>& plan, std::size_t index, T* group) {
  const RadixPass& pass = plan.passes[index];
  const T* twiddles = plan.twiddles.data() + pass.twiddles;
  with_radix<R>(pass.radix, [&](auto radix) HWY_ATTR {
    butterflies<radix.value, R>(
        pass.length / radix.value,
        twiddles,
        [&](std::int64_t row) HWY_ATTR { return R::load(group + row * R::row); },
        group);
  });
}

template <class R, class T = typename R::Number>
HWY_NOINLINE void first_pass(const RowJob<T>& job) {
  const typename R::D d;
  const RadixPass& pass = job.plan->passes[0];
  const T* twiddles = job.plan->twiddles.data();
  // The sign of the imaginary parts is the only difference of the inverse and the forward
  // transform.
  const auto flip = hn::Set(d, job.in_sign < 0 ? T(-0.0) : T(0));
  with_radix<R>(pass.radix, [&](auto radix) HWY_ATTR {
    butterflies<radix.value, R>(
        pass.length / radix.value,
        twiddles,
        [&](std::int64_t row) HWY_ATTR {
          const T* const from = job.in + row * job.in_stride;
          if (job.is_far) R::prefetch(from + job.in_stride);
          auto x = R::load_complexes(from);
          x.im = hn::Xor(x.im, flip);
          return x;
        },
        job.buffer);
  });
}

/// The last pass over groups [begin, end) of `radix` rows each; put(q, value) of put_of(group)
/// stores.
template <int radix, class R, class PutOf>
HWY_INLINE void last_butterflies(const typename R::Number* buffer,
                                 std::int64_t begin,
                                 std::int64_t end,
                                 const PutOf& put_of) {
  for (std::int64_t g = begin; g < end; ++g) {
    butterfly<radix>(
        typename R::D(),
        [&](int p) HWY_ATTR { return R::load(buffer + (g * radix + p) * R::row); },
        put_of(g));
  }
}

template <int radix, class R, class T = typename R::Number>
HWY_INLINE void last_to_tiles(const RowJob<T>& job, std::int64_t begin, std::int64_t end) {
  using C = typename R::C;
  const typename R::D d;
  const RowPlan<T>& plan = *job.plan;
  const std::int64_t m = plan.rows / radix;
  const StepTwiddles<T>& step = job.twiddles;
  const auto root = [&](std::int64_t power) HWY_ATTR {
    const std::complex<double> w = (*step.roots)(power);
    return C{hn::Set(d, static_cast<T>(w.real())), hn::Set(d, static_cast<T>(w.imag()))};
  };
  HWY_ALIGN T of_q[radix * R::row];
  for (int q = 1; q < radix; ++q) {
    R::store(root(job.first_column * q * m % step.order) * R::load(step.of_q + q * R::row),
             of_q + q * R::row);
  }
  last_butterflies<radix, R>(job.buffer, begin, end, [&](std::int64_t g) HWY_ATTR {
    const std::int64_t base = plan.to[static_cast<std::size_t>(g)];
    const C of_base =
        root(job.first_column * base % step.order) * R::load(step.of_base + g * R::row);
    return [&job, &of_q, base, of_base, m](int q, C x) HWY_ATTR {
      const std::int64_t k = base + q * m;
      const C w = q == 0 ? of_base : of_base * R::load(of_q + q * R::row);
      R::store_tile(x * w,
                    job.out + k / R::lanes * job.tile_stride + k % R::lanes * job.out_stride,
                    job.past_cache);
    };
  });
}

/// Complex results; `changed`: scaled, multiplied and written as the job says.
template <int radix, bool changed, class R, class T = typename R::Number>
HWY_INLINE void last_to_complexes(const RowJob<T>& job, std::int64_t begin, std::int64_t end) {
  using C = typename R::C;
  const typename R::D d;
  const RowPlan<T>& plan = *job.plan;
  const std::int64_t step = plan.rows / radix * job.out_stride;
  const auto scale = hn::Set(d, job.scale);
  const auto scale_imaginary = hn::Set(d, job.scale_imaginary);
  const T* const factors = job.factors;
  T* const out = job.out;
  const bool past_cache = job.past_cache;
  last_butterflies<radix, R>(job.buffer, begin, end, [&](std::int64_t g) HWY_ATTR {
    const std::int64_t first = plan.to[static_cast<std::size_t>(g)] * job.out_stride;
    return [=](int q, C x) HWY_ATTR {
      const std::int64_t at = first + q * step;
      if constexpr (changed) {
        if (factors != nullptr) x = x * R::load_complexes(factors + at);
        x = {hn::Mul(x.re, scale), hn::Mul(x.im, scale_imaginary)};
        R::store_complexes(x, out + at, past_cache);
      } else {
        R::store_complexes(x, out + at);
      }
    };
  });
}

/// The last pass where results are complex numbers.
template <class R, class T = typename R::Number>
HWY_NOINLINE void last_pass_to_complexes(const RowJob<T>& job,
                                         std::int64_t begin,
                                         std::int64_t end) {
  const bool changed =
      job.factors != nullptr || job.scale != 1 || job.scale_imaginary != 1 || job.past_cache;
  with_radix<R>(job.plan->passes.back().radix, [&](auto radix) HWY_ATTR {
    constexpr bool rare = radix.value == 11 || radix.value == 13;  // not worth code of their own
    if constexpr (!rare) {
      if (!changed) return last_to_complexes<radix.value, false, R>(job, begin, end);
    }
    last_to_complexes<radix.value, true, R>(job, begin, end);
  });
}

template <class R, class T = typename R::Number>
HWY_NOINLINE void last_pass_to_rows(const RowJob<T>& job, std::int64_t begin, std::int64_t end) {
  const RowPlan<T>& plan = *job.plan;
  with_radix<R>(plan.passes.back().radix, [&](auto constant) HWY_ATTR {
    constexpr int radix = constant.value;
    if (job.sink == Sink::tiles) return last_to_tiles<radix, R>(job, begin, end);
    const std::int64_t m = plan.rows / radix;
    if (job.factors != nullptr) {
      return last_butterflies<radix, R>(job.buffer, begin, end, [&](std::int64_t g) HWY_ATTR {
        T* const to = job.out + plan.to[static_cast<std::size_t>(g)] * R::row;
        const T* const factors = job.factors + (g * radix - 1) * R::row;
        return [to, m, g, factors](int q, typename R::C x) HWY_ATTR {
          if (q > 0 || g > 0) x = x * R::load(factors + q * R::row);
          R::store(x, to + q * m * R::row);
        };
      });
    }
    last_butterflies<radix, R>(job.buffer, begin, end, [&](std::int64_t g) HWY_ATTR {
      T* const to = job.out + plan.to[static_cast<std::size_t>(g)] * R::row;
      return [to, m](int q, typename R::C x) HWY_ATTR { R::store(x, to + q * m * R::row); };
    });
  });
}

/// Rows of fewer lanes than the target's are those of short signals, which end as complex numbers.
template <class R, class T = typename R::Number>
HWY_INLINE void last_pass(const RowJob<T>& job, std::int64_t begin, std::int64_t end) {
  if constexpr (R::lanes == Rows<T>::lanes) {
    if (job.sink != Sink::complexes) return last_pass_to_rows<R>(job, begin, end);
  }
  last_pass_to_complexes<R>(job, begin, end);
}

/// Passes [index, end) of one group, whose rows begin at row `first`; small groups to their end
/// before the next, so that they stay in the first-level cache.
template <class R, class T = typename R::Number>
void finish_group(const RowJob<T>& job, std::size_t index, std::int64_t first) {
  const RowPlan<T>& plan = *job.plan;
  const RadixPass& pass = plan.passes[index];
  if (index + 1 == plan.passes.size()) {
    return last_pass<R>(job, first / pass.radix, first / pass.radix + 1);
  }
  inner_pass<R>(plan, index, job.buffer + first * R::row);
  const std::int64_t m = pass.length / pass.radix;
  if (index + 2 == plan.passes.size()) {
    return last_pass<R>(job, first / m, first / m + pass.radix);
  }
  for (int q = 0; q < pass.radix; ++q) finish_group<R>(job, index + 1, first + q * m);
}

template <class R, class T = typename R::Number>
void transform(const RowJob<T>& job) {
  const RowPlan<T>& plan = *job.plan;
  if (job.in == nullptr || R::lanes < Rows<T>::lanes) return finish_group<R>(job, 0, 0);
  if (plan.passes.size() == 1) {
    const typename R::D d;
    const auto flip = hn::Set(d, job.in_sign < 0 ? T(-0.0) : T(0));
    for (std::int64_t j = 0; j < plan.rows; ++j) {
      auto x = R::load_complexes(job.in + j * job.in_stride);
      x.im = hn::Xor(x.im, flip);
      R::store(x, job.buffer + j * R::row);
    }
    return finish_group<R>(job, 0, 0);
  }
  first_pass<R>(job);
  const std::int64_t m = plan.rows / plan.passes[0].radix;
  if (plan.passes.size() == 2) return last_pass<R>(job, 0, plan.passes[0].radix);
  for (int q = 0; q < plan.passes[0].radix; ++q) finish_group<R>(job, 1, q * m);
}

}  // namespace yupana::spectral::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // once a target
