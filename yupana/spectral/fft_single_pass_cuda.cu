#include "yupana/core/instantiate.hpp"
#include "yupana/spectral/fft_single_pass_cuda.cuh"

namespace yupana::spectral::cuda {
namespace {

using F = ComplexField<float>;
using D = ComplexField<double>;

// call(a value of the shape of a length). Threads with 16 values are 1,024 a multiprocessor, with 8
// as many as registers allow. What is here measured fastest for 2^24 values (double 2^23) among two
// to five shapes of each length.
template <class Call>
auto with_shape(float, int log_length, const Call& call) {
  switch (log_length) {
    case 6:
      return call(RowShape<F, 7, 1024, 3, 3, 3>{});
    case 7:
      return call(RowShape<F, 8, 1024, 3, 3, 1, 3>{});
    case 8:
      return call(RowShape<F, 8, 1024, 3, 3, 2, 3>{});
    case 9:
      return call(RowShape<F, 8, 1024, 4, 2, 3, 4>{});
    case 10:
      return call(RowShape<F, 8, 1024, 4, 2, 4, 4>{});
    case 11:
      return call(RowShape<F, 7, 1024, 4, 4, 3, 4>{});
    case 12:
      return call(RowShape<F, 8, 1024, 4, 4, 4, 4>{});
    case 13:
      return call(RowShape<F, 8, 1024, 4, 3, 3, 3, 4>{});
    default:
      return call(RowShape<F, 8, 1024, 4, 3, 4, 3, 4>{});
  }
}
template <class Call>
auto with_shape(double, int log_length, const Call& call) {
  switch (log_length) {
    case 6:
      return call(RowShape<D, 8, 768, 3, 3, 3>{});
    case 7:
      return call(RowShape<D, 8, 768, 3, 3, 1, 3>{});
    case 8:
      return call(RowShape<D, 8, 768, 3, 3, 2, 3>{});
    case 9:
      return call(RowShape<D, 8, 768, 3, 3, 3, 3>{});
    case 10:
      return call(RowShape<D, 8, 512, 4, 3, 3, 4>{});
    case 11:
      return call(RowShape<D, 8, 768, 3, 2, 3, 3, 3>{});
    case 12:
      return call(RowShape<D, 8, 512, 4, 4, 4, 4>{});
    default:
      return call(RowShape<D, 8, 512, 4, 3, 3, 3, 4>{});
  }
}

}  // namespace

template <class T>
void run_single_pass(const SinglePass<T>& pass, int log_length, cudaStream_t stream) {
  with_shape(
      T{}, log_length, [&](auto shape) { launch_single_pass<decltype(shape)>(pass, stream); });
}
YUPANA_FUNCTIONS(YUPANA_FLOATS, run_single_pass)

template <class T>
bool single_pass_supports(int log_length) {
  if (log_length < shortest_single_pass || log_length > longest_single_pass<T>) return false;
  const int bytes =
      with_shape(T{}, log_length, [](auto shape) { return RowKernel<decltype(shape)>::bytes; });
  return bytes <= yupana::cuda::device_facts().max_shared_bytes;
}
YUPANA_FUNCTIONS(YUPANA_FLOATS, single_pass_supports)

}  // namespace yupana::spectral::cuda
