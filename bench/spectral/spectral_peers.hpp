#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <string>

#include "bench/support/timing.hpp"

/// Peers that are loaded when the bench runs, never linked: FFTW (GPL) and GMP.
namespace yupana::bench {

/// FFTW 3 in one precision: the build of bench/peers/build_fftw.sh for this machine's vector units,
/// or Debian's, which has SSE2 and AVX alone. Plans are made with FFTW_MEASURE; only execution is
/// timed.
template <class T>
class Fftw {
 public:
  using Complex = std::complex<T>;
  /// `built_peers`: the folder that build_fftw.sh was given.
  Fftw(const std::string& built_peers, int threads);
  /// True if the library is there.
  explicit operator bool() const { return execute_ != nullptr; }
  std::string why_not() const;
  /// "FFTW 3 built here, 2 threads"
  std::string name() const;
  /// What a reader must know of Debian's build; empty for the one made for this machine.
  std::string note() const;
  /// As the library names itself: version and vector units.
  std::string version() const;
  static const char* planning(std::int64_t n) { return n > most_measured ? "ESTIMATE" : "MEASURE"; }

  /// A call that transforms in to out; both are overwritten while it is made.
  std::function<void()> forward(std::int64_t n, Complex* in, Complex* out);
  std::function<void()> forward_real(std::int64_t n, T* in, Complex* out);
  std::function<void()> inverse_real(std::int64_t n, Complex* in, T* out);
  std::function<void()> forward_2d(std::int64_t rows, std::int64_t cols, Complex* in, Complex* out);

 private:
  /// Planning of 2^24 values takes a minute on one core.
  static constexpr std::int64_t most_measured = std::int64_t{1} << 24;
  static unsigned flags(std::int64_t n) { return n > most_measured ? 64u : 0u; }
  void* symbol(const std::string& name) const;
  std::function<void()> caller(void* plan) const;

  int threads_ = 1;
  bool built_here_ = false;
  void* library_ = nullptr;
  void* threads_library_ = nullptr;
  void (*execute_)(void*) = nullptr;
};

/// Product of two integers given in hexadecimal, by GMP on one thread.
class Gmp {
 public:
  Gmp();
  explicit operator bool() const { return multiply_ != nullptr; }
  std::string version() const { return version_; }
  /// Times the product alone; `product` in hexadecimal.
  Timing multiply(const std::string& a,
                  const std::string& b,
                  int repeats,
                  std::string& product) const;
  /// Times the way from a hexadecimal number to its decimal digits.
  Timing to_decimal(const std::string& a, int repeats, std::string& digits) const;

 private:
  /// The layout of GMP's mpz_t, part of its binary interface.
  struct Integer {
    int allocated = 0;
    int size = 0;
    void* limbs = nullptr;
  };
  std::string version_;
  void (*init_)(Integer*) = nullptr;
  void (*clear_)(Integer*) = nullptr;
  int (*set_text_)(Integer*, const char*, int) = nullptr;
  char* (*get_text_)(char*, int, const Integer*) = nullptr;
  std::size_t (*size_in_base_)(const Integer*, int) = nullptr;
  void (*multiply_)(Integer*, const Integer*, const Integer*) = nullptr;
};

}  // namespace yupana::bench
