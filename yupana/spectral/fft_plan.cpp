#include "yupana/spectral/fft_plan.hpp"

#include <cmath>
#include <limits>

#include "yupana/core/instantiate.hpp"
#include "yupana/spectral/fft_rows.hpp"

namespace yupana::spectral::cpu {
namespace {

// pi / 4 as a sum of two doubles.
constexpr double quarter_high = 0.78539816339744830962;
constexpr double quarter_low = 3.0616169978683830e-17;

// e^(-i pi/4 * part/whole), 0 <= part <= whole. The angle is known to twice the precision, so that
// the sine and cosine of its rounded value (0.52 ulp in glibc) need only a first-order correction.
std::complex<double> in_octant(std::int64_t part, std::int64_t whole) {
  const auto a = static_cast<double>(part);
  const auto b = static_cast<double>(whole);
  const double ratio = a / b;
  const double ratio_low = std::fma(-ratio, b, a) / b;
  const double angle = ratio * quarter_high;
  const double low =
      std::fma(ratio, quarter_high, -angle) + ratio * quarter_low + ratio_low * quarter_high;
  const double s = std::sin(angle);
  const double c = std::cos(angle);
  return {std::fma(-low, s, c), -std::fma(low, c, s)};
}

constexpr int largest_prime = 13;

}  // namespace

std::complex<double> unit_root(std::int64_t k, std::int64_t n) {
  // 8k = octant * n + rest: by octants, mirrored within each odd one.
  const __int128 eight = static_cast<__int128>(k) * 8;
  const auto octant = static_cast<int>(eight / n);
  const auto rest = static_cast<std::int64_t>(eight % n);
  const bool mirrored = octant % 2 == 1;
  std::complex<double> w = in_octant(mirrored ? n - rest : rest, n);
  if (mirrored) w = {-w.imag(), -w.real()};  // e^(-i(pi/2 - t))
  switch (octant / 2) {
    case 1:
      return {w.imag(), -w.real()};
    case 2:
      return -w;
    case 3:
      return {-w.imag(), w.real()};
    default:
      return w;
  }
}

std::vector<std::complex<double>> unit_roots(std::int64_t n) {
  std::vector<std::complex<double>> roots(static_cast<std::size_t>(n));
  const auto count = static_cast<std::size_t>(n);
  if (n % 4 != 0) {
    for (std::size_t k = 0; k < count; ++k) roots[k] = unit_root(static_cast<std::int64_t>(k), n);
    return roots;
  }
  // A quarter is a turn of the one before.
  const std::size_t quarter = count / 4;
  for (std::size_t k = 0; k < quarter; ++k) roots[k] = unit_root(static_cast<std::int64_t>(k), n);
  for (std::size_t k = quarter; k < count; ++k) {
    roots[k] = {roots[k - quarter].imag(), -roots[k - quarter].real()};
  }
  return roots;
}

RootTable::RootTable(std::int64_t n, std::int64_t low_count) : low_count_(low_count) {
  shift_ = -1;
  if ((low_count & (low_count - 1)) == 0) {
    shift_ = 0;
    while ((std::int64_t{1} << shift_) < low_count) ++shift_;
  }
  low_.resize(static_cast<std::size_t>(low_count));
  for (std::int64_t k = 0; k < low_count; ++k) low_[static_cast<std::size_t>(k)] = unit_root(k, n);
  if (n % low_count == 0) {
    high_ = unit_roots(n / low_count);
    return;
  }
  for (std::int64_t k = 0; k < n; k += low_count) high_.push_back(unit_root(k, n));
}

bool is_smooth(std::int64_t n) {
  for (int p = 2; p <= largest_prime; ++p) {
    while (n % p == 0) n /= p;
  }
  return n == 1;
}

namespace {

/// How often n is divisible by p; n without these factors.
std::size_t exponent_of(int p, std::int64_t& n) {
  std::size_t exponent = 0;
  for (; n % p == 0; n /= p) ++exponent;
  return exponent;
}

}  // namespace

std::vector<int> radices_of(std::int64_t n, int max_radix) {
  auto twos = static_cast<int>(exponent_of(2, n));
  std::size_t threes = exponent_of(3, n), fives = exponent_of(5, n);
  // As few passes as possible, of sizes as equal as possible, the largest first.
  std::vector<int> radices;
  const int most = max_radix == 16 ? 4 : 3;
  for (int left = (twos + most - 1) / most; left > 0; --left) {
    const int bits = (twos + left - 1) / left;
    radices.push_back(1 << bits);
    twos -= bits;
  }
  for (; threes > 0 && fives > 0; --threes, --fives) radices.push_back(15);
  for (const int p : {13, 11, 7}) radices.insert(radices.end(), exponent_of(p, n), p);
  radices.insert(radices.end(), fives, 5);
  radices.insert(radices.end(), threes, 3);
  return radices;
}

template <class T>
RowPlan<T>::RowPlan(std::int64_t rows_) : rows(rows_) {
  std::vector<int> radices = radices_of(rows, row_functions<T>().max_radix);
  if (radices.empty()) radices.push_back(1);
  std::int64_t length = rows;
  std::int64_t total = 0;
  for (const int radix : radices) {
    passes.push_back({radix, length, total});
    length /= radix;
    if (length > 1) total += 2 * length * (radix - 1);
  }
  twiddles = Array<T>(total);
  const auto roots = unit_roots(rows);
  for (const RadixPass& pass : passes) {
    const std::int64_t m = pass.length / pass.radix;
    if (m == 1) break;
    T* w = twiddles.data() + pass.twiddles;
    for (std::int64_t j = 0; j < m; ++j) {
      for (int q = 1; q < pass.radix; ++q) {
        const auto root = roots[static_cast<std::size_t>(j * q * (rows / pass.length))];
        *w++ = static_cast<T>(root.real());
        *w++ = static_cast<T>(root.imag());
      }
    }
  }
  to = {0};
  std::int64_t step = 1;
  for (std::size_t p = 0; p + 1 < passes.size(); ++p) {
    std::vector<std::int64_t> next;
    for (const std::int64_t first : to) {
      for (int q = 0; q < passes[p].radix; ++q) next.push_back(first + q * step);
    }
    to = std::move(next);
    step *= passes[p].radix;
  }
}

YUPANA_CLASSES(YUPANA_FLOATS, RowPlan)

Split split_of(std::int64_t n, std::int64_t lanes, int max_radix) {
  // Divisors of n up to its root, from the radices.
  std::vector<std::int64_t> divisors{1};
  std::int64_t rest = n;
  for (std::int64_t p = 2; p <= largest_prime; ++p) {
    const std::size_t before = divisors.size();
    std::int64_t power = 1;
    for (; rest % p == 0; rest /= p) {
      power *= p;
      for (std::size_t i = 0; i < before; ++i) divisors.push_back(divisors[i] * power);
    }
  }
  const auto filled = [&](std::int64_t rows) {
    return static_cast<double>((rows + lanes - 1) / lanes * lanes) / static_cast<double>(rows);
  };
  // What a step costs: its passes and the moves around them, on lanes of which some are idle.
  const auto cost = [&](std::int64_t rows, std::int64_t others) {
    const double passes = 1.5 + static_cast<double>(radices_of(rows, max_radix).size());
    const bool deep = rows > 4096;  // lanes of 128 bytes: beyond half the second-level cache
    return passes * filled(others) + (deep ? 2.0 : 0.0);
  };
  Split best;
  double least = std::numeric_limits<double>::infinity();
  for (const std::int64_t rows : divisors) {
    const std::int64_t columns = n / rows;
    if (rows == 1 || columns == 1) continue;
    const double balance =
        std::fabs(std::log2(static_cast<double>(rows) / static_cast<double>(columns)));
    const double total = cost(rows, columns) + cost(columns, rows) + 0.05 * balance;
    if (total < least) {
      least = total;
      best = {rows, columns};
    }
  }
  return best;
}

}  // namespace yupana::spectral::cpu
