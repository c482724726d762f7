#include "yupana/spectral/matmul.hpp"

#include <cstdint>

#include "yupana/core/error.hpp"
#include "yupana/spectral/matmul_backends.hpp"

namespace yupana::spectral {
namespace {

template <class T>
bool overlap(MatrixView<const T> a, MatrixView<T> c) {
  if (a.rows == 0 || a.cols == 0 || c.rows == 0 || c.cols == 0) return false;
  const auto place = [](const T* p) { return reinterpret_cast<std::uintptr_t>(p); };
  return place(a.data) < place(c.row(c.rows - 1) + c.cols) &&
         place(c.data) < place(a.row(a.rows - 1) + a.cols);
}

template <class T>
void run(Context& context,
         MatrixView<const T> a,
         MatrixView<const T> b,
         MatrixView<T> c,
         const MatmulParams& params) {
  if (a.cols != b.rows || c.rows != a.rows || c.cols != b.cols) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("matmul: {} x {} times {} x {} into {} x {}; wanted m x k, k x n, m x n",
                    a.rows,
                    a.cols,
                    b.rows,
                    b.cols,
                    c.rows,
                    c.cols));
  }
  if (overlap(a, c) || overlap(b, c)) {
    throw Error(ErrorCode::bad_input,
                "matmul: the product overlaps a factor; give it memory of its own");
  }
  if (params.strassen_above < 0) {
    throw Error(ErrorCode::usage,
                fmt::format("matmul: strassen_above {}; wanted 0 or more", params.strassen_above));
  }
  switch (context.backend()) {
    case Backend::reference:
      return reference::matmul(a, b, c);
    case Backend::cpu:
      return cpu::matmul(context, a, b, c, params.strassen_above);
    case Backend::cuda:
#ifdef YUPANA_CUDA
      return cuda::matmul(context, a, b, c, params.strassen_above);
#else
      throw Error(ErrorCode::device, "matmul: this build has no CUDA version; use --device cpu");
#endif
  }
}

}  // namespace

void matmul(Context& context,
            MatrixView<const float> a,
            MatrixView<const float> b,
            MatrixView<float> c,
            const MatmulParams& params) {
  run(context, a, b, c, params);
}
void matmul(Context& context,
            MatrixView<const double> a,
            MatrixView<const double> b,
            MatrixView<double> c,
            const MatmulParams& params) {
  run(context, a, b, c, params);
}

}  // namespace yupana::spectral
