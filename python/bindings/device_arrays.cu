#include "python/bindings/device_arrays.hpp"
#include "yupana/arrays/merge_cuda.cuh"
#include "yupana/arrays/reduce_cuda.cuh"
#include "yupana/arrays/scan_cuda.cuh"
#include "yupana/arrays/sort_host_cuda.cuh"

namespace yupana::python::device {
namespace {

using arrays::cuda::Workspace;
using yupana::cuda::Stream;

}  // namespace

template <class T>
void inclusive_scan(const T* in, std::int64_t n, T* out) {
  Workspace space;
  const Stream stream;
  arrays::cuda::inclusive_scan(space, stream, in, n, out);
  stream.wait();
}

template <class T>
T reduce(const T* in, std::int64_t n) {
  if (n == 0) return T{};
  Workspace space;
  const Stream stream;
  yupana::cuda::DeviceArray<T> result(1);
  arrays::cuda::reduce(space, stream, in, n, T{}, result.data());
  stream.wait();
  T total{};
  yupana::cuda::check(cudaMemcpy(&total, result.data(), sizeof(T), cudaMemcpyDeviceToHost),
                      "fetch a total");
  return total;
}

template <class T>
void sort(T* keys, std::int64_t n) {
  Workspace space;
  const Stream stream;
  arrays::cuda::sort(space, stream, arrays::Columns<T>{keys, nullptr}, n);
  stream.wait();
}

template <class T>
void merge(const T* a, std::int64_t a_size, const T* b, std::int64_t b_size, T* out) {
  using arrays::NoValue;
  Workspace space;
  const Stream stream;
  arrays::cuda::merge_by_key<T, NoValue>(space,
                                         stream,
                                         arrays::Columns<const T, const NoValue>{a, nullptr},
                                         a_size,
                                         arrays::Columns<const T, const NoValue>{b, nullptr},
                                         b_size,
                                         arrays::Columns<T, NoValue>{out, nullptr});
  stream.wait();
}

#define YUPANA_DEVICE_ARRAYS(T)                             \
  template void inclusive_scan(const T*, std::int64_t, T*); \
  template T reduce(const T*, std::int64_t);                \
  template void sort(T*, std::int64_t);                     \
  template void merge(const T*, std::int64_t, const T*, std::int64_t, T*);
YUPANA_DEVICE_ARRAYS(std::int32_t)
YUPANA_DEVICE_ARRAYS(std::int64_t)
YUPANA_DEVICE_ARRAYS(std::uint32_t)
YUPANA_DEVICE_ARRAYS(std::uint64_t)
YUPANA_DEVICE_ARRAYS(float)
YUPANA_DEVICE_ARRAYS(double)
#undef YUPANA_DEVICE_ARRAYS

}  // namespace yupana::python::device
