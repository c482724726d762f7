#include "yupana/spectral/matmul.hpp"

#include <limits>

#include "yupana/core/cuda/device.hpp"
#include "yupana/core/cuda/place.hpp"
#include "yupana/core/finite.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/spectral/matmul_backends.hpp"
#include "yupana/spectral/strassen.hpp"

namespace yupana::spectral {
namespace {

template <class T>
bool overlap(MatrixView<const T> a, MatrixView<T> c) {
  if (a.rows == 0 || a.cols == 0 || c.rows == 0 || c.cols == 0) return false;
  const auto place = [](const T* p) { return reinterpret_cast<std::uintptr_t>(p); };
  return place(a.data) < place(c.row(c.rows - 1) + c.cols) &&
         place(c.data) < place(a.row(a.rows - 1) + a.cols);
}

/// Halves products whose sides all exceed `above`; 0: as the backend does.
template <class T>
void multiply(Context& context,
              MatrixView<const T> a,
              MatrixView<const T> b,
              MatrixView<T> c,
              std::int64_t above) {
  if constexpr (yupana::cuda::built) {
    if (context.backend() == Backend::cuda) return cuda::matmul_host(context, a, b, c, above);
  }
  cpu::matmul(context, a, b, c, above);
}

template <class T>
void run(Context& context,
         MatrixView<const T> a,
         MatrixView<const T> b,
         MatrixView<T> c,
         const MatmulParams& params) {
  if (a.cols != b.rows || c.rows != a.rows || c.cols != b.cols) {
    throw input_error(
        "matmul: expected m x k times k x n into m x n, got {} x {} times {} x {} into {} x {}",
        a.rows,
        a.cols,
        b.rows,
        b.cols,
        c.rows,
        c.cols);
  }
  if (overlap(a, c) || overlap(b, c)) {
    throw input_error("matmul: the product overlaps a factor; give it memory of its own");
  }
  if (params.strassen_above < 0) {
    throw usage_error("matmul: expected a strassen_above of 0 or more, got {}",
                      params.strassen_above);
  }
  if (context.backend() == Backend::reference) return reference::matmul(a, b, c);
  multiply(context, a, b, c, params.strassen_above);
  // Sums of quarters carry NaN, infinities and overflow to cells whose own sums have none.
  const std::int64_t above = params.strassen_above > 0 ? params.strassen_above : cpu::crossover;
  if (!is_halved(c.rows, a.cols, c.cols, above) || yupana::cuda::device_of(context, c.data) >= 0) {
    return;
  }
  if (all_finite(context, TableView<T>{c.data, c.rows, c.cols, 1, c.stride}, false)) return;
  multiply(context, a, b, c, std::numeric_limits<std::int64_t>::max());
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
