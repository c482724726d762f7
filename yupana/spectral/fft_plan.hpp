#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "yupana/core/array.hpp"

namespace yupana::spectral::cpu {

/// e^(-2 pi i k / n), both parts within 1.1 ulp of double: 0.55 of the C library, one rounding
/// more, and little besides.
std::complex<double> unit_root(std::int64_t k, std::int64_t n);

/// The roots e^(-2 pi i k / n) for every k < n.
std::vector<std::complex<double>> unit_roots(std::int64_t n);

/// Any root of unity of order n = high_count * low_count by one product of two tables.
class RootTable {
 public:
  RootTable() = default;
  explicit RootTable(std::int64_t n, std::int64_t low_count);

  /// e^(-2 pi i k / n) for 0 <= k < n.
  std::complex<double> operator()(std::int64_t k) const {
    const std::int64_t high = shift_ >= 0 ? k >> shift_ : k / low_count_;
    return high_[static_cast<std::size_t>(high)] *
           low_[static_cast<std::size_t>(k - high * low_count_)];
  }

  std::uint64_t bytes() const { return (high_.size() + low_.size()) * sizeof(high_[0]); }

 private:
  std::vector<std::complex<double>> high_;
  std::vector<std::complex<double>> low_;
  std::int64_t low_count_ = 1;
  int shift_ = 0;
};

/// True if n has no prime factor above 13, for which there are butterflies.
bool is_smooth(std::int64_t n);

/// The radices of the passes over n smooth rows, in their order, powers of 2 up to `max_radix`;
/// empty for n = 1.
std::vector<int> radices_of(std::int64_t n, int max_radix);

/// One pass: `length` rows become `radix` groups of length / radix, twiddles multiplied in.
struct RadixPass {
  int radix = 1;
  std::int64_t length = 1;
  std::int64_t twiddles = 0;  ///< where those of this pass begin
};

/// Transform of n rows by decimation in frequency, in place but for the first pass, which reads
/// elsewhere, and the last, which writes elsewhere, each row to its own place.
///   k = q0 + r0 (q1 + r1 (q2 + ...)) is stored at row (q0, q1, ...), most significant first
template <class T>
struct RowPlan {
  explicit RowPlan(std::int64_t rows);
  std::uint64_t bytes() const { return twiddles.bytes() + to.size() * sizeof(to[0]); }

  std::int64_t rows;
  std::vector<RadixPass> passes;
  Array<T> twiddles;             ///< of each pass but the last: [j][q - 1] w^(j q), re and im
  std::vector<std::int64_t> to;  ///< of the last pass's group g: its first output row
};

/// n = columns * rows for the four-step method, for vectors of `lanes` and passes of `max_radix`.
struct Split {
  std::int64_t rows = 0;     ///< n1: of the first step, whose columns lie n2 apart
  std::int64_t columns = 0;  ///< n2
};
Split split_of(std::int64_t n, std::int64_t lanes, int max_radix);

}  // namespace yupana::spectral::cpu
