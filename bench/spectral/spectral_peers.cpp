#include "bench/spectral/spectral_peers.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace yupana::bench {
namespace {

double seconds_of(const std::function<void()>& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Function>
void bind(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

template <class T>
const char* Fftw<T>::package() {
  return sizeof(T) == 4 ? "libfftw3-single3" : "libfftw3-double3";
}

template <class T>
void* Fftw<T>::symbol(const std::string& name) const {
  const std::string full = (sizeof(T) == 4 ? "fftwf_" : "fftw_") + name;
  void* found = dlsym(library_, full.c_str());
  return found != nullptr || threads_library_ == nullptr ? found
                                                         : dlsym(threads_library_, full.c_str());
}

template <class T>
Fftw<T>::Fftw(int threads) {
  const std::string name = sizeof(T) == 4 ? "libfftw3f" : "libfftw3";
  library_ = dlopen((name + ".so.3").c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library_ == nullptr) return;
  threads_library_ = dlopen((name + "_threads.so.3").c_str(), RTLD_NOW | RTLD_GLOBAL);
  execute_ = reinterpret_cast<void (*)(void*)>(symbol("execute"));
  const auto init = reinterpret_cast<int (*)()>(symbol("init_threads"));
  const auto use = reinterpret_cast<void (*)(int)>(symbol("plan_with_nthreads"));
  if (init != nullptr && use != nullptr && init() != 0) use(threads);
}

template <class T>
std::function<void()> Fftw<T>::caller(void* plan) const {
  return [execute = execute_, plan] { execute(plan); };
}

template <class T>
std::function<void()> Fftw<T>::forward(std::int64_t n, Complex* in, Complex* out) {
  const auto make =
      reinterpret_cast<void* (*)(int, Complex*, Complex*, int, unsigned)>(symbol("plan_dft_1d"));
  return caller(make(static_cast<int>(n), in, out, -1, flags(n)));
}

template <class T>
std::function<void()> Fftw<T>::forward_real(std::int64_t n, T* in, Complex* out) {
  const auto make =
      reinterpret_cast<void* (*)(int, T*, Complex*, unsigned)>(symbol("plan_dft_r2c_1d"));
  return caller(make(static_cast<int>(n), in, out, flags(n)));
}

template <class T>
std::function<void()> Fftw<T>::inverse_real(std::int64_t n, Complex* in, T* out) {
  const auto make =
      reinterpret_cast<void* (*)(int, Complex*, T*, unsigned)>(symbol("plan_dft_c2r_1d"));
  return caller(make(static_cast<int>(n), in, out, flags(n)));
}

template <class T>
std::function<void()> Fftw<T>::forward_2d(std::int64_t rows,
                                          std::int64_t cols,
                                          Complex* in,
                                          Complex* out) {
  const auto make = reinterpret_cast<void* (*)(int, int, Complex*, Complex*, int, unsigned)>(
      symbol("plan_dft_2d"));
  return caller(
      make(static_cast<int>(rows), static_cast<int>(cols), in, out, -1, flags(rows * cols)));
}

template class Fftw<float>;
template class Fftw<double>;

Gmp::Gmp() {
  void* const library = dlopen("libgmp.so.10", RTLD_NOW);
  if (library == nullptr) return;
  bind(library, "__gmpz_init", init_);
  bind(library, "__gmpz_clear", clear_);
  bind(library, "__gmpz_set_str", set_text_);
  bind(library, "__gmpz_get_str", get_text_);
  bind(library, "__gmpz_sizeinbase", size_in_base_);
  bind(library, "__gmpz_mul", multiply_);
}

double Gmp::multiply(const std::string& a,
                     const std::string& b,
                     int repeats,
                     std::string& product) const {
  Integer x, y, z;
  for (Integer* number : {&x, &y, &z}) init_(number);
  set_text_(&x, a.c_str(), 16);
  set_text_(&y, b.c_str(), 16);
  double best = HUGE_VAL;
  for (int i = 0; i < repeats; ++i) {
    best = std::min(best, seconds_of([&] { multiply_(&z, &x, &y); }));
  }
  std::vector<char> text(size_in_base_(&z, 16) + 2);
  product = get_text_(text.data(), 16, &z);
  for (Integer* number : {&x, &y, &z}) clear_(number);
  return best;
}

double Gmp::to_decimal(const std::string& a, std::string& digits) const {
  Integer x;
  init_(&x);
  set_text_(&x, a.c_str(), 16);
  std::vector<char> text(size_in_base_(&x, 10) + 2);
  const double seconds = seconds_of([&] { get_text_(text.data(), 10, &x); });
  digits = text.data();
  clear_(&x);
  return seconds;
}

}  // namespace yupana::bench
