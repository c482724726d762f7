#include "yupana/core/instantiate.hpp"
#include "yupana/spectral/matmul_backends.hpp"

namespace yupana::spectral::reference {

template <class T>
void matmul(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) {
  for (std::int64_t i = 0; i < c.rows; ++i) {
    for (std::int64_t j = 0; j < c.cols; ++j) {
      T sum = 0;
      for (std::int64_t k = 0; k < a.cols; ++k) sum += a(i, k) * b(k, j);
      c(i, j) = sum;
    }
  }
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, matmul)

}  // namespace yupana::spectral::reference
