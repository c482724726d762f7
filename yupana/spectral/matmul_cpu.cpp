#include <algorithm>

#include "yupana/core/instantiate.hpp"
#include "yupana/spectral/matmul_backends.hpp"
#include "yupana/spectral/strassen.hpp"

namespace yupana::spectral::cpu {
namespace {

/// Matrices in the host's memory.
template <class T>
class Threads {
 public:
  explicit Threads(Context& context) : context_(context) {}

  bool whole(MatrixView<const T>, MatrixView<const T>, MatrixView<T>) { return false; }
  void classical(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, bool add) {
    cpu::classical(context_, a, b, c, add);
  }
  void combine(MatrixView<const T> a, MatrixView<const T> b, T sign, MatrixView<T> to) {
    cpu::combine(context_, a, b, sign, to);
  }
  Matrix<T> scratch(std::int64_t rows, std::int64_t cols) { return Matrix<T>(rows, cols); }

 private:
  Context& context_;
};

}  // namespace

template <class T>
void combine(
    Context& context, MatrixView<const T> a, MatrixView<const T> b, T sign, MatrixView<T> to) {
  const std::int64_t grain =
      std::max<std::int64_t>(1, (1 << 16) / std::max<std::int64_t>(1, to.cols));
  context.parallel_for(to.rows, grain, [&](std::int64_t i) {
    const T* const x = a.row(i);
    const T* const y = b.row(i);
    T* const z = to.row(i);
    if (sign > 0) {
      for (std::int64_t j = 0; j < to.cols; ++j) z[j] = x[j] + y[j];
    } else {
      for (std::int64_t j = 0; j < to.cols; ++j) z[j] = x[j] - y[j];
    }
  });
}

template <class T>
void matmul(Context& context,
            MatrixView<const T> a,
            MatrixView<const T> b,
            MatrixView<T> c,
            std::int64_t strassen_above) {
  Threads<T> threads(context);
  strassen<T>(threads, a, b, c, strassen_above > 0 ? strassen_above : crossover);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, combine, matmul)

}  // namespace yupana::spectral::cpu
