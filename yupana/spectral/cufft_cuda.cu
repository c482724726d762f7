#include <dlfcn.h>

#include <limits>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/spectral/cufft_cuda.hpp"
#include "yupana/spectral/pass_cuda.hpp"

namespace yupana::spectral::cuda {
namespace {

// Of cuFFT's binary interface, the same in releases 11 and 12.
constexpr int single_complex = 0x29;
constexpr int double_complex = 0x69;

struct Library {
  int (*version)(int*) = nullptr;
  int (*plan)(int*, int, int*, int*, int, int, int*, int, int, int, int) = nullptr;
  int (*destroy)(int) = nullptr;
  int (*set_stream)(int, cudaStream_t) = nullptr;
  int (*single)(int, void*, void*, int) = nullptr;
  int (*wide)(int, void*, void*, int) = nullptr;

  Library() {
    void* library = nullptr;
    for (const char* name : {"libcufft.so.12", "libcufft.so.11", "libcufft.so"}) {
      if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (library == nullptr) return;
    const bool whole =
        load(library, "cufftPlanMany", plan) && load(library, "cufftDestroy", destroy) &&
        load(library, "cufftSetStream", set_stream) && load(library, "cufftExecC2C", single) &&
        load(library, "cufftExecZ2Z", wide) && load(library, "cufftGetVersion", version);
    if (!whole) version = nullptr;
  }
  explicit operator bool() const { return version != nullptr; }

 private:
  template <class Function>
  static bool load(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }
};

// A fact of the machine, the same for every Context: not state.
const Library& library() {
  static const Library loaded;
  return loaded;
}

template <class T>
__global__ void scale_kernel(T* values, std::int64_t count, T scale) {
  for (std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; at < count;
       at += std::int64_t{gridDim.x} * blockDim.x) {
    values[at] *= scale;
  }
}

}  // namespace

int cufft_version() {
  int version = 0;
  return library() && library().version(&version) == 0 ? version : 0;
}

// One H200, cuFFT 12, arrays in device memory, us (own kernels, cuFFT): float 7 x 2,000,001 112,
// 56; 8 x 2,000,001 126, 72; 15 x 1,000,000 120, 90; 100 x 160,000 123, 69; 243 x 65,537 198, 67;
// 1000 x 1 3.7, 2.9; double 6 x 1,000,000 84, 48; 100 x 80,000 130, 67. Not ahead, or never
// measured so: powers of two from 64 on, of which the closest were float 64 x 262,144 66.5, 67.8
// and 8,192 x 2,048 75.4, 76.8; lengths of 2, 3, 5 and 7 beyond one pass: 1,000,000 x 1 17.9, 20.7,
// in double 34.9, 34.7; fixed radices from 528 signals on (fewer: cuFFT takes 0.89 to 1.05 of their
// time): 1000 x 16,384 66.7, 67.3, in double 67.2, 68.0; 360 x 45,511 67.9, 80.4; 720 x
// 22,755 68.4, 90.8.
template <class T>
bool cufft_leads(std::int64_t n, std::int64_t batch) {
  if (n < 2 || n > longest_mixed || (has_fixed_radices(n) && batch >= 512)) return false;
  const bool power_of_two = (n & (n - 1)) == 0;
  if (power_of_two) return n <= 8;
  for (const int prime : {2, 3, 5, 7}) {
    while (n % prime == 0) n /= prime;
  }
  return n == 1;
}
YUPANA_FUNCTIONS(YUPANA_FLOATS, cufft_leads)

template <class T>
std::unique_ptr<CuFftPlan<T>> CuFftPlan<T>::make(std::int64_t n, std::int64_t batch) {
  std::unique_ptr<CuFftPlan> plan(new CuFftPlan(n));
  if (!library()) return nullptr;
  if (plan->planned(batch) >= 0) return plan;
  cudaGetLastError();  // clears the error, or a later call would report it
  return nullptr;
}

template <class T>
CuFftPlan<T>::~CuFftPlan() {
  for (const auto& [batch, handle] : handles_) library().destroy(handle);
}

template <class T>
int CuFftPlan<T>::planned(std::int64_t batch) {
  for (const auto& [planned_batch, handle] : handles_) {
    if (planned_batch == batch) return handle;
  }
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (n_ > most || batch > most) return -1;
  int length = static_cast<int>(n_), handle = -1;
  if (library().plan(&handle,
                     1,
                     &length,
                     nullptr,
                     1,
                     length,
                     nullptr,
                     1,
                     length,
                     sizeof(T) == 4 ? single_complex : double_complex,
                     static_cast<int>(batch)) != 0) {
    return -1;
  }
  // The whole number of signals and that of the last round; more would hold memory for nothing.
  if (handles_.size() == 2) {
    library().destroy(handles_.back().second);
    handles_.pop_back();
  }
  handles_.emplace_back(batch, handle);
  return handle;
}

template <class T>
bool CuFftPlan<T>::run(const std::complex<T>* in,
                       std::complex<T>* out,
                       std::int64_t batch,
                       Direction direction,
                       cudaStream_t stream) {
  const bool inverse = direction == Direction::inverse;
  const int handle = planned(batch);
  const auto execute = sizeof(T) == 4 ? library().single : library().wide;
  // Out of place, cuFFT leaves its input as it is.
  if (handle < 0 || library().set_stream(handle, stream) != 0 ||
      execute(handle, const_cast<std::complex<T>*>(in), out, inverse ? 1 : -1) != 0) {
    cudaGetLastError();
    return false;
  }
  if (inverse) {
    scale_kernel<T><<<1024, 256, 0, stream>>>(reinterpret_cast<T*>(out),
                                              2 * n_ * batch,
                                              static_cast<T>(1.0L / static_cast<long double>(n_)));
    yupana::cuda::check_launch("scale an inverse transform");
  }
  return true;
}

YUPANA_CLASSES(YUPANA_FLOATS, CuFftPlan)

}  // namespace yupana::spectral::cuda
