#include <algorithm>

#include "yupana/spectral/matmul_backends.hpp"

namespace yupana::spectral::cpu {
namespace {

/// Measured crossover on two cores of Zen 4: see README.
constexpr std::int64_t crossover = 1536;

template <class T>
MatrixView<T> part(
    MatrixView<T> m, std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) {
  return {m.data + row * m.stride + col, rows, cols, m.stride};
}

/// to = a + sign b, cell by cell; `to` may be a or b.
template <class T>
void combine(
    Context& context, MatrixView<const T> a, MatrixView<const T> b, T sign, MatrixView<T> to) {
  const std::int64_t grain =
      std::max<std::int64_t>(1, (1 << 16) / std::max<std::int64_t>(1, to.cols));
  context.parallel_for(to.rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const T* const x = a.row(i);
      const T* const y = b.row(i);
      T* const z = to.row(i);
      if (sign > 0) {
        for (std::int64_t j = 0; j < to.cols; ++j) z[j] = x[j] + y[j];
      } else {
        for (std::int64_t j = 0; j < to.cols; ++j) z[j] = x[j] - y[j];
      }
    }
  });
}

/// Even sides: seven products and fifteen sums of quarters (Winograd's form; the order of Douglas
/// et al. 1994, which keeps its products in c and three quarters besides).
template <class T>
void halved(Context& context,
            MatrixView<const T> a,
            MatrixView<const T> b,
            MatrixView<T> c,
            std::int64_t above) {
  using Const = MatrixView<const T>;
  const std::int64_t m = c.rows / 2, k = a.cols / 2, n = c.cols / 2;
  const Const a11 = part(a, 0, 0, m, k), a12 = part(a, 0, k, m, k);
  const Const a21 = part(a, m, 0, m, k), a22 = part(a, m, k, m, k);
  const Const b11 = part(b, 0, 0, k, n), b12 = part(b, 0, n, k, n);
  const Const b21 = part(b, k, 0, k, n), b22 = part(b, k, n, k, n);
  const MatrixView<T> c11 = part(c, 0, 0, m, n), c12 = part(c, 0, n, m, n);
  const MatrixView<T> c21 = part(c, m, 0, m, n), c22 = part(c, m, n, m, n);
  Matrix<T> s_memory(m, k), t_memory(k, n), x_memory(m, n);
  const MatrixView<T> s = s_memory.view(), t = t_memory.view(), x = x_memory.view();
  const auto sum = [&](Const p, Const q, MatrixView<T> to) { combine(context, p, q, T(1), to); };
  const auto less = [&](Const p, Const q, MatrixView<T> to) { combine(context, p, q, T(-1), to); };
  const auto product = [&](Const p, Const q, MatrixView<T> to) {
    matmul(context, p, q, to, above);
  };
  less(a11, a21, s);
  less(b22, b12, t);
  product(s, t, c21);  // p7
  sum(a21, a22, s);
  less(b12, b11, t);
  product(s, t, c22);  // p5
  less(s, a11, s);
  less(b22, t, t);
  product(s, t, c12);  // p6
  less(a12, s, s);
  product(s, b22, c11);  // p3
  product(a11, b11, x);  // p1
  sum(x, c12, c12);      // u2 = p1 + p6
  sum(c12, c21, c21);    // u3 = u2 + p7
  sum(c12, c22, c12);    // u4 = u2 + p5
  sum(c21, c22, c22);    // c22 = u3 + p5
  sum(c12, c11, c12);    // c12 = u4 + p3
  less(t, b21, t);
  product(a22, t, c11);    // p4
  less(c21, c11, c21);     // c21 = u3 - p4
  product(a12, b21, c11);  // p2
  sum(x, c11, c11);        // c11 = p1 + p2
}

}  // namespace

template <class T>
void matmul(Context& context,
            MatrixView<const T> a,
            MatrixView<const T> b,
            MatrixView<T> c,
            std::int64_t strassen_above) {
  const std::int64_t above = strassen_above > 0 ? strassen_above : crossover;
  if (std::min({c.rows, a.cols, c.cols}) <= std::max<std::int64_t>(above, 1)) {
    return classical(context, a, b, c, false);
  }
  // Odd sides: the last row of a, column of b and the rank they share by the classical sums.
  const std::int64_t m = c.rows / 2 * 2, k = a.cols / 2 * 2, n = c.cols / 2 * 2;
  halved(context, part(a, 0, 0, m, k), part(b, 0, 0, k, n), part(c, 0, 0, m, n), above);
  if (k < a.cols) {
    classical(context, part(a, 0, k, m, 1), part(b, k, 0, 1, n), part(c, 0, 0, m, n), true);
  }
  if (n < c.cols) {
    classical(
        context, part(a, 0, 0, m, a.cols), part(b, 0, n, b.rows, 1), part(c, 0, n, m, 1), false);
  }
  if (m < c.rows) {
    classical(context, part(a, m, 0, 1, a.cols), b, part(c, m, 0, 1, c.cols), false);
  }
}

template void matmul(
    Context&, MatrixView<const float>, MatrixView<const float>, MatrixView<float>, std::int64_t);
template void matmul(
    Context&, MatrixView<const double>, MatrixView<const double>, MatrixView<double>, std::int64_t);

}  // namespace yupana::spectral::cpu
