#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <string>

/// Peers that are loaded when the bench runs, never linked: FFTW (GPL) and GMP.
namespace yupana::bench {

/// FFTW 3 in one precision. Plans are made with FFTW_MEASURE, and FFTW_ESTIMATE beyond 2^22 values,
/// where measuring takes minutes; only execution is timed.
template <class T>
class Fftw {
 public:
  using Complex = std::complex<T>;
  explicit Fftw(int threads);
  /// True if the library is there.
  explicit operator bool() const { return execute_ != nullptr; }
  static const char* package();
  static const char* planning(std::int64_t n) { return n > most_measured ? "ESTIMATE" : "MEASURE"; }

  /// A call that transforms in to out; both are overwritten while it is made.
  std::function<void()> forward(std::int64_t n, Complex* in, Complex* out);
  std::function<void()> forward_real(std::int64_t n, T* in, Complex* out);
  std::function<void()> inverse_real(std::int64_t n, Complex* in, T* out);
  std::function<void()> forward_2d(std::int64_t rows, std::int64_t cols, Complex* in, Complex* out);

 private:
  static constexpr std::int64_t most_measured = std::int64_t{1} << 22;
  static unsigned flags(std::int64_t n) { return n > most_measured ? 64u : 0u; }
  void* symbol(const std::string& name) const;
  std::function<void()> caller(void* plan) const;

  void* library_ = nullptr;
  void* threads_library_ = nullptr;
  void (*execute_)(void*) = nullptr;
};

/// Product of two integers given in hexadecimal, by GMP on one thread.
class Gmp {
 public:
  Gmp();
  explicit operator bool() const { return multiply_ != nullptr; }
  /// Seconds of the product alone, the least of `repeats`; `product` in hexadecimal.
  double multiply(const std::string& a,
                  const std::string& b,
                  int repeats,
                  std::string& product) const;
  /// Seconds from a hexadecimal number to its decimal digits.
  double to_decimal(const std::string& a, std::string& digits) const;

 private:
  /// The layout of GMP's mpz_t, part of its binary interface.
  struct Integer {
    int allocated = 0;
    int size = 0;
    void* limbs = nullptr;
  };
  void (*init_)(Integer*) = nullptr;
  void (*clear_)(Integer*) = nullptr;
  int (*set_text_)(Integer*, const char*, int) = nullptr;
  char* (*get_text_)(char*, int, const Integer*) = nullptr;
  std::size_t (*size_in_base_)(const Integer*, int) = nullptr;
  void (*multiply_)(Integer*, const Integer*, const Integer*) = nullptr;
};

}  // namespace yupana::bench
