#include "yupana/spectral/fft_passes_cuda.hpp"
#include "yupana/spectral/fft_strided_pass_cuda.cuh"

namespace yupana::spectral::cuda {
namespace {

template <int LogColumns, int LogValues, int... LogRadix>
using Floats = ColumnShape<ComplexField<float>, LogColumns, 1024, LogValues, LogRadix...>;
template <int LogColumns, int LogValues, int... LogRadix>
using Doubles = ColumnShape<ComplexField<double>,
                            LogColumns,
                            LogValues == 4 ? 512 : 768,
                            LogValues,
                            LogRadix...>;

}  // namespace

// Lines of 128 bytes, where that leaves four tiles for every multiprocessor, or where narrower ones
// measured no faster: shapes of one length have the same radices, so that both give the same bits.
template <>
void run_strided_pass(const Pass<ComplexField<float>>& pass,
                      int log_length,
                      int,
                      cudaStream_t stream) {
  const bool few = pass.columns >> 4 < 4 * multiprocessors();
  switch (log_length) {
    case 7:
      return launch_strided_pass<Floats<4, 4, 3, 4>>(pass, stream);
    case 8:
      if (few) return launch_strided_pass<Floats<3, 4, 4, 4>>(pass, stream);
      return launch_strided_pass<Floats<4, 4, 4, 4>>(pass, stream);
    case 9:
      // One tile a multiprocessor: 2^17 4.7 us, 2^18 7.4 (by eight columns 5.3 and 7.5).
      if (pass.columns >> 2 <= multiprocessors()) {
        return launch_strided_pass<Floats<2, 4, 3, 3, 3>>(pass, stream);
      }
      if (few) return launch_strided_pass<Floats<3, 3, 3, 3, 3>>(pass, stream);
      return launch_strided_pass<Floats<4, 4, 3, 3, 3>>(pass, stream);
    default:
      // The same lines: more threads with fewer values, where a block for each multiprocessor is
      // all there is (2^20: 13.3 us instead of 20.1; of four such signals 57 instead of 51).
      if (pass.columns >> 4 < multiprocessors()) {
        return launch_strided_pass<Floats<3, 3, 3, 2, 2, 3>>(pass, stream);
      }
      return launch_strided_pass<Floats<3, 4, 3, 2, 2, 3>>(pass, stream);
  }
}

template <>
void run_strided_pass(const Pass<ComplexField<double>>& pass,
                      int log_length,
                      int passes,
                      cudaStream_t stream) {
  const bool few = pass.columns >> 3 < 4 * multiprocessors();
  switch (log_length) {
    case 7:
      return launch_strided_pass<Doubles<3, 3, 3, 1, 3>>(pass, stream);
    case 8:
      return launch_strided_pass<Doubles<3, 4, 4, 4>>(pass, stream);
    case 9:
      if (passes > 2) return launch_strided_pass<Doubles<3, 4, 2, 3, 4>>(pass, stream);
      if (few) return launch_strided_pass<Doubles<3, 3, 3, 3, 3>>(pass, stream);
      return launch_strided_pass<Doubles<2, 3, 3, 3, 3>>(pass, stream);
    default:
      return launch_strided_pass<Doubles<2, 4, 3, 3, 4>>(pass, stream);
  }
}

}  // namespace yupana::spectral::cuda
