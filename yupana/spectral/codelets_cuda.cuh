#pragma once

#include "yupana/spectral/block_cuda.cuh"

/// Private to the family: transforms of a few complex numbers in registers, their roots constants
/// of the compiler.
namespace yupana::spectral::cuda {

struct Turn {
  double x, y;
};

/// e^(-2 pi i k / n), 0 <= k < n: folded into an eighth of the circle, where 12 terms of the series
/// leave less than 2^-60.
__host__ __device__ constexpr Turn turn_of(int k, int n) {
  int eighths = 8 * k;  // of a circle, times n
  const bool conjugate = eighths > 4 * n;
  if (conjugate) eighths = 8 * n - eighths;
  const bool mirror = eighths > 2 * n;
  if (mirror) eighths = 4 * n - eighths;
  const bool swap = eighths > n;
  if (swap) eighths = 2 * n - eighths;
  const double angle = 0.78539816339744830962 * eighths / n;
  double c = 0, s = 0;
  for (int i = 11; i > 0; --i) {  // Horner, from the smallest term
    c = (1 + c) * (-angle * angle / ((2 * i - 1) * (2 * i)));
    s = (1 + s) * (-angle * angle / ((2 * i) * (2 * i + 1)));
  }
  c += 1;
  s = angle * (1 + s);
  const double x = swap ? s : c, y = swap ? c : s;
  return {mirror ? -x : x, conjugate ? y : -y};
}

template <int K, int N>
struct ConstantRoot {
  static constexpr double x = turn_of(K, N).x;
  static constexpr double y = turn_of(K, N).y;
};

template <class F, int K, int N>
__device__ __forceinline__ typename F::Element twiddled(typename F::Element a) {
  using T = typename F::Scale;
  if constexpr (K == 0) {
    return a;
  } else if constexpr (4 * K == N) {
    return {a.y, -a.x};
  } else {
    constexpr T x = static_cast<T>(ConstantRoot<K, N>::x),
                y = static_cast<T>(ConstantRoot<K, N>::y);
    return {a.x * x - a.y * y, a.x * y + a.y * x};
  }
}

/// An odd prime by sums and differences of the values that lie opposite each other: cosines of the
/// sums, sines of the differences.
template <class F, int N>
__device__ __forceinline__ void odd_transform(typename F::Element (&v)[N]) {
  using Element = typename F::Element;
  using T = typename F::Scale;
  constexpr int half = (N - 1) / 2;
  Element sums[half], differences[half];
  const Element first = v[0];
  for_constants<half>([&](auto j) {
    sums[j] = F::add(v[j + 1], v[N - 1 - j]);
    differences[j] = F::subtract(v[j + 1], v[N - 1 - j]);
    v[0] = F::add(v[0], sums[j]);
  });
  for_constants<half>([&](auto i) {
    constexpr int k = i + 1;
    Element even = first, odd{};
    for_constants<half>([&](auto j) {
      constexpr int turns = (j + 1) * k % N;
      constexpr T c = static_cast<T>(ConstantRoot<turns, N>::x);
      constexpr T s = static_cast<T>(-ConstantRoot<turns, N>::y);
      even = {even.x + c * sums[j].x, even.y + c * sums[j].y};
      odd = {odd.x + s * differences[j].x, odd.y + s * differences[j].y};
    });
    v[k] = {even.x + odd.y, even.y - odd.x};
    v[N - k] = {even.x - odd.y, even.y + odd.x};
  });
}

/// v[k] becomes sum over j of v[j] e^(-2 pi i j k / N), in this order.
template <class F, int N>
__device__ __forceinline__ void small_transform(typename F::Element (&v)[N]) {
  using Element = typename F::Element;
  if constexpr (N == 2) {
    const Element a = v[0], b = v[1];
    v[0] = F::add(a, b);
    v[1] = F::subtract(a, b);
  } else if constexpr (N == 4) {
    const Element a = F::add(v[0], v[2]), b = F::subtract(v[0], v[2]);
    const Element c = F::add(v[1], v[3]), d = twiddled<F, 1, 4>(F::subtract(v[1], v[3]));
    v[0] = F::add(a, c);
    v[1] = F::add(b, d);
    v[2] = F::subtract(a, c);
    v[3] = F::subtract(b, d);
  } else if constexpr (N == 3 || N == 5 || N == 7) {
    odd_transform<F, N>(v);
  } else if constexpr (N > 1) {
    // j = j1 B + j2, k = k1 + A k2.
    constexpr int A = N % 4 == 0 ? 4 : N % 2 == 0 ? 2 : 3, B = N / A;
    Element rows[A][B];
    for_constants<B>([&](auto j2) {
      Element column[A];
      for_constants<A>([&](auto j1) { column[j1] = v[j1 * B + j2]; });
      small_transform<F, A>(column);
      for_constants<A>([&](auto k1) { rows[k1][j2] = twiddled<F, k1 * j2, N>(column[k1]); });
    });
    for_constants<A>([&](auto k1) {
      small_transform<F, B>(rows[k1]);
      for_constants<B>([&](auto k2) { v[k1 + A * k2] = rows[k1][k2]; });
    });
  }
}

}  // namespace yupana::spectral::cuda
