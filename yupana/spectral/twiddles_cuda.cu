#include <cmath>
#include <numbers>

#include "yupana/spectral/twiddles_cuda.hpp"

namespace yupana::spectral::cuda {

using yupana::cuda::DeviceArray;

namespace {

// Angles are folded into the first eighth of the circle, where long double sine and cosine are
// exact to far below an ulp of double and no bit is lost near an axis.
std::complex<long double> unit_root(std::int64_t k, std::int64_t n) {
  std::int64_t eighths = 8 * k;  // of a circle, times n
  const bool conjugate = eighths > 4 * n;
  if (conjugate) eighths = 8 * n - eighths;
  const bool mirror = eighths > 2 * n;
  if (mirror) eighths = 4 * n - eighths;
  const bool swap = eighths > n;
  if (swap) eighths = 2 * n - eighths;
  const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(eighths) /
                            (4 * static_cast<long double>(n));
  long double c = std::cos(angle), s = std::sin(angle);
  if (swap) std::swap(c, s);
  if (mirror) c = -c;
  return {c, conjugate ? s : -s};
}

// Of order 2^log_order, chosen so that the one of order 16 is 2^12: the shifts of the butterflies.
std::uint64_t goldilocks_root(int log_order) {
  const std::uint64_t generator = goldilocks_power(7, (GoldilocksField::prime - 1) >> 32);
  const std::uint64_t sixteenth = goldilocks_power(generator, std::uint64_t{1} << 28);
  std::uint64_t odd = 1;
  while (goldilocks_power(sixteenth, odd) != 1u << 12) odd += 2;
  return goldilocks_power(goldilocks_power(generator, odd), std::uint64_t{1} << (32 - log_order));
}

template <class T>
std::vector<typename ComplexField<T>::Element> complex_powers(std::int64_t order,
                                                              std::int64_t step,
                                                              std::int64_t count) {
  std::vector<typename ComplexField<T>::Element> powers(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) {
    const auto root = unit_root(k * step % order, order);
    powers[static_cast<std::size_t>(k)] = {static_cast<T>(root.real()),
                                           static_cast<T>(root.imag())};
  }
  return powers;
}

template <class T>
DeviceArray<T> copied(const std::vector<T>& values) {
  return yupana::cuda::uploaded("copy roots of unity", values);
}

}  // namespace

std::uint64_t goldilocks_product(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b % GoldilocksField::prime);
}

std::uint64_t goldilocks_power(std::uint64_t a, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = goldilocks_product(result, a);
    a = goldilocks_product(a, a);
  }
  return result;
}

template <>
std::vector<float2> powers_of_root<ComplexField<float>>(std::int64_t order,
                                                        std::int64_t step,
                                                        std::int64_t count) {
  return complex_powers<float>(order, step, count);
}
template <>
std::vector<double2> powers_of_root<ComplexField<double>>(std::int64_t order,
                                                          std::int64_t step,
                                                          std::int64_t count) {
  return complex_powers<double>(order, step, count);
}
template <>
std::vector<std::uint64_t> powers_of_root<GoldilocksField>(std::int64_t order,
                                                           std::int64_t step,
                                                           std::int64_t count) {
  int log_order = 0;
  while (std::int64_t{1} << log_order < order) ++log_order;
  const std::uint64_t factor =
      goldilocks_power(goldilocks_root(log_order), static_cast<std::uint64_t>(step));
  std::vector<std::uint64_t> powers(static_cast<std::size_t>(count));
  std::uint64_t power = 1;
  for (auto& value : powers) {
    value = power;
    power = goldilocks_product(power, factor);
  }
  return powers;
}

template <>
std::vector<ResiduePair> powers_of_root<ResiduePairField>(std::int64_t order,
                                                          std::int64_t step,
                                                          std::int64_t count) {
  using F = ResiduePairField;
  const auto exponent = static_cast<std::uint64_t>(step);
  const std::uint32_t u = F::First::power(
      F::First::power(F::p_generator, (F::p - 1) / static_cast<std::uint64_t>(order)), exponent);
  const std::uint32_t v = F::Second::power(
      F::Second::power(F::q_generator, (F::q - 1) / static_cast<std::uint64_t>(order)), exponent);
  std::vector<ResiduePair> powers(static_cast<std::size_t>(count));
  ResiduePair power{F::First::radix, F::Second::radix};
  for (auto& value : powers) {
    value = power;
    power = {F::First::product(power.x, u), F::Second::product(power.y, v)};
  }
  return powers;
}

template <class F>
Twiddles<F> Twiddles<F>::all(std::int64_t order) {
  Twiddles roots;
  roots.order_ = order;
  roots.low_ = copied(powers_of_root<F>(order, 1, order));
  return roots;
}

template <class F>
Twiddles<F> Twiddles<F>::pair(std::int64_t order) {
  Twiddles roots;
  roots.order_ = order;
  while (std::int64_t{1} << (2 * roots.shift_) < order) ++roots.shift_;
  const std::int64_t low = std::int64_t{1} << roots.shift_;
  roots.low_ = copied(powers_of_root<F>(order, 1, low));
  roots.high_ = copied(powers_of_root<F>(order, low, (order + low - 1) / low));
  return roots;
}

template class Twiddles<ComplexField<float>>;
template class Twiddles<ComplexField<double>>;
template class Twiddles<GoldilocksField>;
template class Twiddles<ResiduePairField>;

}  // namespace yupana::spectral::cuda
