#pragma once

#include "yupana/spectral/matmul.hpp"

/// What matmul.cpp dispatches to; shapes are checked. Instantiated for float and double.
namespace yupana::spectral {

namespace reference {
/// Row by column, summed in the type itself.
template <class T>
void matmul(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c);
}  // namespace reference

namespace cpu {
/// Measured on two cores of Zen 4: see README; no backend halves smaller products.
inline constexpr std::int64_t crossover = 1536;
template <class T>
void matmul(Context& context,
            MatrixView<const T> a,
            MatrixView<const T> b,
            MatrixView<T> c,
            std::int64_t strassen_above);
/// c = a b, or c + a b, by the classical sums.
template <class T>
void classical(
    Context& context, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, bool add);
/// to = a + sign b, cell by cell; `to` may be a or b.
template <class T>
void combine(
    Context& context, MatrixView<const T> a, MatrixView<const T> b, T sign, MatrixView<T> to);

/// The register kernel of the matrix product: rows x columns cells of c from panels.
///   a[k * rows + i], b[k * columns + j]: sum over k < depth of a b, added to c or put there.
template <class T>
struct MatmulKernel {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  void (*run)(std::int64_t depth, const T* a, const T* b, T* c, std::int64_t stride, bool add) =
      nullptr;
};

/// The best of this machine.
template <class T>
MatmulKernel<T> matmul_kernel();
}  // namespace cpu

namespace cuda {
/// Matrices in host memory: to the device and back, in parts where they do not fit. In the memory
/// of a GPU: there.
template <class T>
void matmul_host(Context& context,
                 MatrixView<const T> a,
                 MatrixView<const T> b,
                 MatrixView<T> c,
                 std::int64_t strassen_above);
}  // namespace cuda

}  // namespace yupana::spectral
