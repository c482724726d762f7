#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "tests/spectral/spectra.hpp"
#include "yupana/core/context.hpp"

/// The transform in long double, fast enough to be asked for at every length: an oracle whose own
/// error is some 2^-60.
namespace yupana::spectral {

class LongDoubleDft {
 public:
  using Value = std::complex<long double>;

  explicit LongDoubleDft(std::int64_t n) : n_(n), roots_(static_cast<std::size_t>(n)) {
    const long double turn = 2 * std::acos(-1.0L) / static_cast<long double>(n);
    for (std::int64_t k = 0; k < n; ++k) {
      const long double angle = turn * static_cast<long double>(k);
      roots_[static_cast<std::size_t>(k)] = {std::cos(angle), -std::sin(angle)};
    }
  }

  std::vector<Value> operator()(const std::vector<Value>& x) const {
    std::vector<Value> result(x.size());
    transform(x.data(), 1, n_, result.data());
    return result;
  }

 private:
  static Value product(Value a, Value b) {  // operator* asks whether both are numbers
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
  /// e^(-2 pi i k / n) of a length n that divides the whole.
  Value root(std::int64_t k, std::int64_t n) const {
    return roots_[static_cast<std::size_t>(k % n * (n_ / n))];
  }

  /// X[k + m q] = sum over r < p of w_n^(r k) w_p^(r q) Y_r[k], where Y_r is the transform of every
  /// p-th value from r on and n = p m.
  void transform(const Value* x, std::int64_t stride, std::int64_t n, Value* result) const {
    if (n == 1) {
      result[0] = x[0];
      return;
    }
    std::int64_t p = 2;
    while (n % p != 0) p = p * p > n ? n : p + 1;
    const std::int64_t m = n / p;
    std::vector<Value> parts(static_cast<std::size_t>(n));
    for (std::int64_t r = 0; r < p; ++r) transform(x + r * stride, p * stride, m, &parts[r * m]);
    std::vector<Value> column(static_cast<std::size_t>(p)), sums(static_cast<std::size_t>(p));
    for (std::int64_t k = 0; k < m; ++k) {
      for (std::int64_t r = 0; r < p; ++r) column[r] = product(parts[r * m + k], root(r * k, n));
      prime(column, sums);
      for (std::int64_t q = 0; q < p; ++q) result[k + m * q] = sums[q];
    }
  }

  /// The sums of a prime length; those of q and p - q share their products with the even and the
  /// odd part of x.
  void prime(const std::vector<Value>& x, std::vector<Value>& sums) const {
    const auto p = static_cast<std::int64_t>(x.size());
    if (p == 2) {
      sums = {x[0] + x[1], x[0] - x[1]};
      return;
    }
    std::vector<Value> even, odd, roots;
    sums[0] = x[0];
    for (std::int64_t r = 1; r <= p / 2; ++r) {
      even.push_back(x[r] + x[p - r]);
      odd.push_back(x[r] - x[p - r]);
      sums[0] += even.back();
    }
    for (std::int64_t r = 0; r < p; ++r) roots.push_back(root(r, p));
    for (std::int64_t q = 1; q <= p / 2; ++q) {
      Value cosines = x[0], sines = 0;
      std::int64_t power = 0;  // r q modulo p
      for (std::int64_t r = 1; r <= p / 2; ++r) {
        power = power + q < p ? power + q : power + q - p;
        cosines += even[r - 1] * roots[power].real();
        sines += odd[r - 1] * roots[power].imag();
      }
      const Value turned(-sines.imag(), sines.real());
      sums[q] = cosines + turned;
      sums[p - q] = cosines - turned;
    }
  }

  std::int64_t n_;
  std::vector<Value> roots_;
};

/// Every length to 4,096, and primes and neighbours of powers of two beyond.
inline std::vector<std::int64_t> every_length() {
  std::vector<std::int64_t> all;
  for (std::int64_t n = 1; n <= 4097; ++n) all.push_back(n);
  for (const std::int64_t n : {5003, 8191, 8193, 12289, 16383, 16385, 32767, 32769, 65535}) {
    all.push_back(n);
  }
  return all;
}

/// check(n, x, X) for each length: float values and their transform. Threads of `workers` make as
/// many as fit some memory at a time; checks are made one after the other.
template <class Check>
void for_every_length(Context& workers,
                      const Check& check,
                      const std::vector<std::int64_t>& all = every_length()) {
  constexpr std::int64_t at_once = 64;
  for (std::int64_t first = 0; first < std::ssize(all); first += at_once) {
    const std::int64_t count = std::min(at_once, std::ssize(all) - first);
    std::vector<std::vector<std::complex<float>>> x(at_once);
    std::vector<std::vector<LongDoubleDft::Value>> wanted(at_once);
    workers.parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t n = all[first + i];
        x[i] = noise<float>(n, static_cast<std::uint64_t>(n));
        wanted[i] = LongDoubleDft(n)({x[i].begin(), x[i].end()});
      }
    });
    for (std::int64_t i = 0; i < count; ++i) check(all[first + i], x[i], wanted[i]);
  }
}

}  // namespace yupana::spectral
