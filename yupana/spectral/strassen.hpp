#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/core/matrix.hpp"

/// The recursion of Strassen and Winograd, wherever the matrices lie. `On` offers
///   classical(a, b, c, add)     c = a b, or c + a b, by the classical sums
///   combine(a, b, sign, to)     to = a + sign b, cell by cell; `to` may be a or b
///   scratch(rows, cols)         an owner of memory, with view(); owners go in reverse order
///   whole(a, b, c)              true if it has made this product by itself
namespace yupana::spectral {

template <class T>
MatrixView<T> part(
    MatrixView<T> m, std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) {
  return {m.data + row * m.stride + col, rows, cols, m.stride};
}

template <class T, class On>
void strassen(
    On& on, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, std::int64_t above);

/// Whether a product of these sides is halved.
inline bool is_halved(std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t above) {
  return std::min({m, k, n}) > std::max<std::int64_t>(above, 1);
}

/// Even sides: seven products and fifteen sums of quarters (Winograd's form; the order of Douglas
/// et al. 1994, which keeps its products in c and three quarters besides).
template <class T, class On>
void halved(
    On& on, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, std::int64_t above) {
  using Const = MatrixView<const T>;
  const std::int64_t m = c.rows / 2, k = a.cols / 2, n = c.cols / 2;
  const Const a11 = part(a, 0, 0, m, k), a12 = part(a, 0, k, m, k);
  const Const a21 = part(a, m, 0, m, k), a22 = part(a, m, k, m, k);
  const Const b11 = part(b, 0, 0, k, n), b12 = part(b, 0, n, k, n);
  const Const b21 = part(b, k, 0, k, n), b22 = part(b, k, n, k, n);
  const MatrixView<T> c11 = part(c, 0, 0, m, n), c12 = part(c, 0, n, m, n);
  const MatrixView<T> c21 = part(c, m, 0, m, n), c22 = part(c, m, n, m, n);
  auto s_memory = on.scratch(m, k);
  auto t_memory = on.scratch(k, n);
  auto x_memory = on.scratch(m, n);
  const MatrixView<T> s = s_memory.view(), t = t_memory.view(), x = x_memory.view();
  const auto sum = [&](Const p, Const q, MatrixView<T> to) { on.combine(p, q, T(1), to); };
  const auto less = [&](Const p, Const q, MatrixView<T> to) { on.combine(p, q, T(-1), to); };
  const auto product = [&](Const p, Const q, MatrixView<T> to) {
    strassen<T>(on, p, q, to, above);
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

template <class T, class On>
void strassen(
    On& on, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, std::int64_t above) {
  if (on.whole(a, b, c)) return;
  if (!is_halved(c.rows, a.cols, c.cols, above)) return on.classical(a, b, c, false);
  // Odd sides: the last row of a, column of b and the rank they share by the classical sums.
  const std::int64_t m = c.rows / 2 * 2, k = a.cols / 2 * 2, n = c.cols / 2 * 2;
  halved<T>(on, part(a, 0, 0, m, k), part(b, 0, 0, k, n), part(c, 0, 0, m, n), above);
  if (k < a.cols) {
    on.classical(part(a, 0, k, m, 1), part(b, k, 0, 1, n), part(c, 0, 0, m, n), true);
  }
  if (n < c.cols) {
    on.classical(part(a, 0, 0, m, a.cols), part(b, 0, n, b.rows, 1), part(c, 0, n, m, 1), false);
  }
  if (m < c.rows) {
    on.classical(part(a, m, 0, 1, a.cols), b, part(c, m, 0, 1, c.cols), false);
  }
}

}  // namespace yupana::spectral
