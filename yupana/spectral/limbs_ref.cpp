#include "yupana/spectral/limbs.hpp"

namespace yupana::spectral::reference {

template <std::uint64_t base>
Limbs multiply(LimbSpan a, LimbSpan b) {
  if (a.empty() || b.empty()) return {};
  Limbs product(a.size() + b.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      // At most (base - 1)^2 + 2 (base - 1) < 2^64.
      carry += static_cast<std::uint64_t>(a[i]) * b[j] + product[i + j];
      product[i + j] = static_cast<std::uint32_t>(carry % base);
      carry /= base;
    }
    product[i + b.size()] = static_cast<std::uint32_t>(carry);
  }
  trim(product);
  return product;
}

template <std::uint64_t from, std::uint64_t to>
Limbs convert(LimbSpan digits) {
  Limbs number;
  for (std::size_t i = digits.size(); i-- > 0;) {
    std::uint64_t carry = digits[i];
    for (std::uint32_t& limb : number) {
      carry += static_cast<std::uint64_t>(limb) * from;
      limb = static_cast<std::uint32_t>(carry % to);
      carry /= to;
    }
    for (; carry > 0; carry /= to) number.push_back(static_cast<std::uint32_t>(carry % to));
  }
  return number;
}

template Limbs multiply<binary_base>(LimbSpan, LimbSpan);
template Limbs multiply<decimal_base>(LimbSpan, LimbSpan);
template Limbs convert<binary_base, decimal_base>(LimbSpan);
template Limbs convert<decimal_base, binary_base>(LimbSpan);

}  // namespace yupana::spectral::reference
