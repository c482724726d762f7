#include <dlfcn.h>

#include <limits>
#include <memory>

#include "bench/spectral/cufft_peer.hpp"

namespace yupana::bench {
namespace {

// Of cuFFT's binary interface.
constexpr int single_complex = 0x29;
constexpr int double_complex = 0x69;
constexpr int forward_direction = -1;

template <class Function>
void load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

CuFft::CuFft() {
  void* library = nullptr;
  for (const char* name : {"libcufft.so.12", "libcufft.so.11", "libcufft.so"}) {
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) return;
  load(library, "cufftSetStream", set_stream_);
  load(library, "cufftDestroy", destroy_);
  load(library, "cufftExecC2C", single_);
  load(library, "cufftExecZ2Z", double_);
  load(library, "cufftPlanMany", plan_many_);
}

template <class T>
std::function<void()> CuFft::forward(std::int64_t n,
                                     std::int64_t batch,
                                     std::complex<T>* in,
                                     std::complex<T>* out,
                                     cudaStream_t stream) {
  if (n > std::numeric_limits<int>::max()) return {};
  int length = static_cast<int>(n), handle = 0;
  const int type = sizeof(T) == 4 ? single_complex : double_complex;
  if (plan_many_(&handle,
                 1,
                 &length,
                 nullptr,
                 1,
                 length,
                 nullptr,
                 1,
                 length,
                 type,
                 static_cast<int>(batch)) != 0) {
    return {};
  }
  set_stream_(handle, stream);
  const auto close = destroy_;
  const std::shared_ptr<int> plan(new int(handle), [close](int* kept) {
    close(*kept);
    delete kept;
  });
  const Transform transform = sizeof(T) == 4 ? single_ : double_;
  return [plan, transform, in, out] { transform(*plan, in, out, forward_direction); };
}

template std::function<void()> CuFft::forward<float>(
    std::int64_t, std::int64_t, std::complex<float>*, std::complex<float>*, cudaStream_t);
template std::function<void()> CuFft::forward<double>(
    std::int64_t, std::int64_t, std::complex<double>*, std::complex<double>*, cudaStream_t);

}  // namespace yupana::bench
