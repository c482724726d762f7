#include "yupana/spectral/rows_cuda.cuh"

namespace yupana::spectral::cuda {
namespace {

using F = ComplexField<float>;
using D = ComplexField<double>;

}  // namespace

// Threads with 16 values are 1,024 a multiprocessor, with 8 as many as registers allow. What is
// here measured fastest for 2^24 values (double 2^23) among two to five shapes of each length.
template <>
void run_rows(const RowsPass<float>& pass, int log_length, cudaStream_t stream) {
  switch (log_length) {
    case 6:
      return launch_rows<RowShape<F, 7, 1024, 3, 3, 3>>(pass, stream);
    case 7:
      return launch_rows<RowShape<F, 8, 1024, 3, 3, 1, 3>>(pass, stream);
    case 8:
      return launch_rows<RowShape<F, 8, 1024, 3, 3, 2, 3>>(pass, stream);
    case 9:
      return launch_rows<RowShape<F, 8, 1024, 4, 2, 3, 4>>(pass, stream);
    case 10:
      return launch_rows<RowShape<F, 8, 1024, 4, 2, 4, 4>>(pass, stream);
    case 11:
      return launch_rows<RowShape<F, 7, 1024, 4, 4, 3, 4>>(pass, stream);
    case 12:
      return launch_rows<RowShape<F, 8, 1024, 4, 4, 4, 4>>(pass, stream);
    case 13:
      return launch_rows<RowShape<F, 8, 1024, 4, 3, 3, 3, 4>>(pass, stream);
    default:
      return launch_rows<RowShape<F, 8, 1024, 4, 3, 4, 3, 4>>(pass, stream);
  }
}

template <>
void run_rows(const RowsPass<double>& pass, int log_length, cudaStream_t stream) {
  switch (log_length) {
    case 6:
      return launch_rows<RowShape<D, 8, 768, 3, 3, 3>>(pass, stream);
    case 7:
      return launch_rows<RowShape<D, 8, 768, 3, 3, 1, 3>>(pass, stream);
    case 8:
      return launch_rows<RowShape<D, 8, 768, 3, 3, 2, 3>>(pass, stream);
    case 9:
      return launch_rows<RowShape<D, 8, 768, 3, 3, 3, 3>>(pass, stream);
    case 10:
      return launch_rows<RowShape<D, 8, 512, 4, 3, 3, 4>>(pass, stream);
    case 11:
      return launch_rows<RowShape<D, 8, 768, 3, 2, 3, 3, 3>>(pass, stream);
    case 12:
      return launch_rows<RowShape<D, 8, 512, 4, 4, 4, 4>>(pass, stream);
    default:
      return launch_rows<RowShape<D, 8, 512, 4, 3, 3, 3, 4>>(pass, stream);
  }
}

}  // namespace yupana::spectral::cuda
