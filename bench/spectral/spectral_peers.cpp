#include "bench/spectral/spectral_peers.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <vector>

#include "bench/support/bench.hpp"

namespace yupana::bench {
namespace {

template <class Function>
void bind(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

template <class T>
std::string Fftw<T>::why_not() const {
  return fmt::format("not installed: run bench/peers/build_fftw.sh (Debian's: {})",
                     sizeof(T) == 4 ? "libfftw3-single3" : "libfftw3-double3");
}

template <class T>
std::string Fftw<T>::name() const {
  return fmt::format(
      "FFTW 3 {}, {}", built_here_ ? "built here" : "Debian", threads_text(threads_));
}

template <class T>
std::string Fftw<T>::note() const {
  return built_here_ ? ""
                     : "not built for this machine's vector units; bench/peers/build_fftw.sh does";
}

template <class T>
std::string Fftw<T>::version() const {
  const auto text = static_cast<const char*>(symbol("version"));
  return text == nullptr ? "FFTW 3" : text;
}

template <class T>
void* Fftw<T>::symbol(const std::string& name) const {
  const std::string full = (sizeof(T) == 4 ? "fftwf_" : "fftw_") + name;
  void* found = dlsym(library_, full.c_str());
  return found != nullptr || threads_library_ == nullptr ? found
                                                         : dlsym(threads_library_, full.c_str());
}

template <class T>
Fftw<T>::Fftw(const std::string& built_peers, int threads) : threads_(threads) {
  const std::string name = sizeof(T) == 4 ? "libfftw3f" : "libfftw3";
  const std::string built = fmt::format("{}/fftw/lib/{}.so.3", built_peers, name);
  library_ = dlopen(built.c_str(), RTLD_NOW);
  built_here_ = library_ != nullptr;
  if (!built_here_) {
    library_ = dlopen((name + ".so.3").c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library_ == nullptr) return;
    threads_library_ = dlopen((name + "_threads.so.3").c_str(), RTLD_NOW | RTLD_GLOBAL);
  }
  execute_ = reinterpret_cast<void (*)(void*)>(symbol("execute"));
  const auto init = reinterpret_cast<int (*)()>(symbol("init_threads"));
  const auto use = reinterpret_cast<void (*)(int)>(symbol("plan_with_nthreads"));
  if (init != nullptr && use != nullptr && init() != 0) {
    use(threads);
  } else {
    threads_ = 1;
  }
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
  const auto version = static_cast<const char* const*>(dlsym(library, "__gmp_version"));
  version_ = fmt::format("GMP {}", version == nullptr ? "6" : *version);
}

Timing Gmp::multiply(const std::string& a,
                     const std::string& b,
                     int repeats,
                     std::string& product) const {
  Integer x, y, z;
  for (Integer* number : {&x, &y, &z}) init_(number);
  set_text_(&x, a.c_str(), 16);
  set_text_(&y, b.c_str(), 16);
  const Timing timing = time_runs(repeats, [&] { multiply_(&z, &x, &y); });
  std::vector<char> text(size_in_base_(&z, 16) + 2);
  product = get_text_(text.data(), 16, &z);
  for (Integer* number : {&x, &y, &z}) clear_(number);
  return timing;
}

Timing Gmp::to_decimal(const std::string& a, int repeats, std::string& digits) const {
  Integer x;
  init_(&x);
  set_text_(&x, a.c_str(), 16);
  std::vector<char> text(size_in_base_(&x, 10) + 2);
  const Timing timing = time_runs(repeats, [&] { get_text_(text.data(), 10, &x); });
  digits = text.data();
  clear_(&x);
  return timing;
}

}  // namespace yupana::bench
