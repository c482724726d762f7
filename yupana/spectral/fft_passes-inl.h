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

/// The complex number, of W in memory, that lane l of their vectors holds; its own inverse. AVX2
/// shuffles within halves of a vector: in this order two shuffles load W numbers and two store
/// them, where the order of memory takes six and four.
template <class T, int W>
constexpr int place_of_lane(int l) {
#if HWY_TARGET == HWY_AVX2
  if constexpr (sizeof(T) * W == 32) {
    constexpr int run = 8 / sizeof(T);
    constexpr int runs[] = {0, 2, 1, 3};
    return runs[l / run] * run + l % run;
  }
#endif
  return l;
}

#if HWY_TARGET != HWY_SCALAR
/// Vectors of real and of imaginary parts from complex numbers in memory, in two vectors.
template <class D, class V>
HWY_INLINE Complexes<V> split_parts(D d, V a, V b) {
#if HWY_TARGET == HWY_AVX2
  if constexpr (sizeof(V) == 32) {
    if constexpr (sizeof(hn::TFromD<D>) == 8) {
      return {hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)};
    } else {
      return {V{_mm256_shuffle_ps(a.raw, b.raw, 0x88)}, V{_mm256_shuffle_ps(a.raw, b.raw, 0xDD)}};
    }
  }
#endif
  return {hn::ConcatEven(d, b, a), hn::ConcatOdd(d, b, a)};
}
#endif

/// The inverse, to memory. Highway's own takes six shuffles with 512 bits, where two can pick from
/// both vectors.
template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE void store_interleaved(D d, V re, V im, T* at) {
#if HWY_TARGET == HWY_AVX2
  if constexpr (sizeof(V) == 32) {
    hn::StoreU(hn::InterleaveLower(d, re, im), d, at);
    hn::StoreU(hn::InterleaveUpper(d, re, im), d, at + 32 / sizeof(T));
    return;
  }
#elif HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(V) == 64) {
    if constexpr (sizeof(T) == 4) {
      const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
      _mm512_storeu_ps(at, _mm512_permutex2var_ps(re.raw, low, im.raw));
      _mm512_storeu_ps(at + 16, _mm512_permutex2var_ps(re.raw, high, im.raw));
    } else {
      const __m512i low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
      const __m512i high = _mm512_add_epi64(low, _mm512_set1_epi64(4));
      _mm512_storeu_pd(at, _mm512_permutex2var_pd(re.raw, low, im.raw));
      _mm512_storeu_pd(at + 8, _mm512_permutex2var_pd(re.raw, high, im.raw));
    }
    return;
  }
#endif
  hn::StoreInterleaved2(re, im, d, at);
}

template <class T>
struct Rows {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  using C = Complexes<V>;
  static constexpr std::int64_t lanes = HWY_LANES(T);
  static constexpr std::int64_t row = 2 * lanes;
  static constexpr int place(int l) { return place_of_lane<T, static_cast<int>(lanes)>(l); }

  static HWY_INLINE C load(const T* at) {
    const D d;
    return {hn::Load(d, at), hn::Load(d, at + lanes)};
  }
  static HWY_INLINE void store(C x, T* at) {
    const D d;
    hn::Store(x.re, d, at);
    hn::Store(x.im, d, at + lanes);
  }
  static HWY_INLINE C load_complexes(const T* at) {
    const D d;
#if HWY_TARGET == HWY_SCALAR
    return {hn::Load(d, at), hn::Load(d, at + 1)};
#else
    return split_parts(d, hn::LoadU(d, at), hn::LoadU(d, at + lanes));
#endif
  }
  static HWY_INLINE void store_complexes(C x, T* at) { store_interleaved(D(), x.re, x.im, at); }
};

/// Calls body(std::integral_constant<int, radix>).
template <class Body>
HWY_INLINE void with_radix(int radix, const Body& body) {
  switch (radix) {
    case 1:
      return body(std::integral_constant<int, 1>());
    case 2:
      return body(std::integral_constant<int, 2>());
    case 3:
      return body(std::integral_constant<int, 3>());
    case 4:
      return body(std::integral_constant<int, 4>());
    case 5:
      return body(std::integral_constant<int, 5>());
    case 7:
      return body(std::integral_constant<int, 7>());
    case 8:
      return body(std::integral_constant<int, 8>());
    case 11:
      return body(std::integral_constant<int, 11>());
    case 13:
      return body(std::integral_constant<int, 13>());
    default:
      if constexpr (max_radix == 16) body(std::integral_constant<int, 16>());
  }
}

/// A pass that is not the last, over one group: its m = length / radix butterflies.
template <int radix, class T, class Load>
HWY_INLINE void butterflies(std::int64_t m, const T* twiddles, const Load& load, T* group) {
  using R = Rows<T>;
  const typename R::D d;
  for (std::int64_t j = 0; j < m; ++j) {
    typename R::C x[radix];
#pragma GCC unroll 16
    for (int p = 0; p < radix; ++p) x[p] = load(j + p * m);
    butterfly<radix>(d, x);
    R::store(x[0], group + j * R::row);
#pragma GCC unroll 16
    for (int q = 1; q < radix; ++q) {
      const auto w = broadcast(d, twiddles + 2 * (q - 1));
      R::store(x[q] * w, group + (j + q * m) * R::row);
    }
    twiddles += 2 * (radix - 1);
  }
}

template <class T>
HWY_NOINLINE void inner_pass(const RowPlan<T>& plan, std::size_t index, T* group) {
  using R = Rows<T>;
  const RadixPass& pass = plan.passes[index];
  const T* twiddles = plan.twiddles.data() + pass.twiddles;
  with_radix(pass.radix, [&](auto radix) HWY_ATTR {
    butterflies<radix.value, T>(
        pass.length / radix.value,
        twiddles,
        [&](std::int64_t row) HWY_ATTR { return R::load(group + row * R::row); },
        group);
  });
}

template <class T>
HWY_NOINLINE void first_pass(const RowJob<T>& job) {
  using R = Rows<T>;
  const typename R::D d;
  const RadixPass& pass = job.plan->passes[0];
  const T* twiddles = job.plan->twiddles.data();
  // The sign of the imaginary parts is the only difference of the inverse and the forward
  // transform.
  const auto flip = hn::Set(d, job.in_sign < 0 ? T(-0.0) : T(0));
  with_radix(pass.radix, [&](auto radix) HWY_ATTR {
    butterflies<radix.value, T>(
        pass.length / radix.value,
        twiddles,
        [&](std::int64_t row) HWY_ATTR {
          auto x = R::load_complexes(job.in + row * job.in_stride);
          x.im = hn::Xor(x.im, flip);
          return x;
        },
        job.buffer);
  });
}

/// The last pass over groups [begin, end) of `radix` rows each; put(group, q, value) stores.
template <int radix, class T, class Put>
HWY_INLINE void last_butterflies(const T* buffer,
                                 std::int64_t begin,
                                 std::int64_t end,
                                 const Put& put) {
  using R = Rows<T>;
  const typename R::D d;
  for (std::int64_t g = begin; g < end; ++g) {
    typename R::C x[radix];
#pragma GCC unroll 16
    for (int p = 0; p < radix; ++p) x[p] = R::load(buffer + (g * radix + p) * R::row);
    butterfly<radix>(d, x);
    put(g, x);
  }
}

template <int radix, class T>
HWY_INLINE void last_to_tiles(const RowJob<T>& job, std::int64_t begin, std::int64_t end) {
  using R = Rows<T>;
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
  last_butterflies<radix, T>(job.buffer, begin, end, [&](std::int64_t g, C* x) HWY_ATTR {
    const std::int64_t base = plan.to[static_cast<std::size_t>(g)];
    const C of_base =
        root(job.first_column * base % step.order) * R::load(step.of_base + g * R::row);
#pragma GCC unroll 16
    for (int q = 0; q < radix; ++q) {
      const std::int64_t k = base + q * m;
      const C w = q == 0 ? of_base : of_base * R::load(of_q + q * R::row);
      T* to = job.out + k / R::lanes * job.out_stride + k % R::lanes * R::row;
      R::store(x[q] * w, to);
    }
  });
}

template <class T>
HWY_NOINLINE void last_pass(const RowJob<T>& job, std::int64_t begin, std::int64_t end) {
  using R = Rows<T>;
  using C = typename R::C;
  const typename R::D d;
  const RowPlan<T>& plan = *job.plan;
  with_radix(plan.passes.back().radix, [&](auto constant) HWY_ATTR {
    constexpr int radix = constant.value;
    const std::int64_t m = plan.rows / radix;
    if (job.sink == Sink::tiles) {
      last_to_tiles<radix>(job, begin, end);
    } else if (job.sink == Sink::rows) {
      last_butterflies<radix, T>(job.buffer, begin, end, [&](std::int64_t g, C* x) HWY_ATTR {
        T* to = job.out + plan.to[static_cast<std::size_t>(g)] * R::row;
#pragma GCC unroll 16
        for (int q = 0; q < radix; ++q) R::store(x[q], to + q * m * R::row);
      });
    } else {
      const auto scale = hn::Set(d, job.scale);
      const auto scale_imaginary = hn::Set(d, job.scale_imaginary);
      last_butterflies<radix, T>(job.buffer, begin, end, [&](std::int64_t g, C* x) HWY_ATTR {
        const std::int64_t first = plan.to[static_cast<std::size_t>(g)] * job.out_stride;
        T* to = job.out + first;
        if (job.factors != nullptr) {
#pragma GCC unroll 16
          for (int q = 0; q < radix; ++q) {
            x[q] = x[q] * R::load_complexes(job.factors + first + q * m * job.out_stride);
          }
        }
#pragma GCC unroll 16
        for (int q = 0; q < radix; ++q) {
          const C y = {hn::Mul(x[q].re, scale), hn::Mul(x[q].im, scale_imaginary)};
          R::store_complexes(y, to + q * m * job.out_stride);
        }
      });
    }
  });
}

/// Passes [index, end) of one group, whose rows begin at row `first`; small groups to their end
/// before the next, so that they stay in the first-level cache.
template <class T>
void finish_group(const RowJob<T>& job, std::size_t index, std::int64_t first) {
  using R = Rows<T>;
  const RowPlan<T>& plan = *job.plan;
  const RadixPass& pass = plan.passes[index];
  if (index + 1 == plan.passes.size()) {
    return last_pass(job, first / pass.radix, first / pass.radix + 1);
  }
  inner_pass(plan, index, job.buffer + first * R::row);
  const std::int64_t m = pass.length / pass.radix;
  if (index + 2 == plan.passes.size()) {
    return last_pass(job, first / m, first / m + pass.radix);
  }
  for (int q = 0; q < pass.radix; ++q) finish_group(job, index + 1, first + q * m);
}

template <class T>
void transform(const RowJob<T>& job) {
  using R = Rows<T>;
  const RowPlan<T>& plan = *job.plan;
  if (job.in == nullptr) return finish_group(job, 0, 0);
  if (plan.passes.size() == 1) {
    const typename R::D d;
    const auto flip = hn::Set(d, job.in_sign < 0 ? T(-0.0) : T(0));
    for (std::int64_t j = 0; j < plan.rows; ++j) {
      auto x = R::load_complexes(job.in + j * job.in_stride);
      x.im = hn::Xor(x.im, flip);
      R::store(x, job.buffer + j * R::row);
    }
    return finish_group(job, 0, 0);
  }
  first_pass(job);
  const std::int64_t m = plan.rows / plan.passes[0].radix;
  if (plan.passes.size() == 2) return last_pass(job, 0, plan.passes[0].radix);
  for (int q = 0; q < plan.passes[0].radix; ++q) finish_group(job, 1, q * m);
}

}  // namespace yupana::spectral::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // once a target
