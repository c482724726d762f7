#pragma once

#include <cstdint>

namespace yupana::spectral::cpu {

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

}  // namespace yupana::spectral::cpu
