#include "yupana/spectral/big_integer.hpp"

#include <algorithm>

#include "yupana/core/cuda/device.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/spectral/limbs.hpp"

namespace yupana::spectral {
namespace {

constexpr std::size_t decimal_digits = 9;  // of a limb of base 10^9

int bits_of(Digits digits) { return digits == Digits::hexadecimal ? 4 : 1; }

int value_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

/// Sign and prefix taken off; the digits checked.
std::string_view digits_of(std::string_view text, Digits digits, bool& negative) {
  const std::string_view whole = text;
  negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const char* prefixes[] = {"0x", "0X", "0b", "0B"};
  const int first = digits == Digits::hexadecimal ? 0 : 2;
  for (int i = first; digits != Digits::decimal && i < first + 2; ++i) {
    if (text.starts_with(prefixes[i])) {
      text.remove_prefix(2);
      break;
    }
  }
  if (text.empty()) throw input_error("integer: expected at least one digit, got none");
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (value_of(text[i]) < static_cast<int>(digits)) continue;
    const auto code = static_cast<unsigned char>(text[i]);
    throw input_error("integer: expected one number of digits of base {}, got {} as character {}",
                      static_cast<int>(digits),
                      code > 32 && code < 127    ? fmt::format("'{}'", text[i])
                      : code == 10 || code == 13 ? "a second line"
                      : code == 32 || code == 9  ? "a blank"
                                                 : fmt::format("byte {}", code),
                      static_cast<std::size_t>(text.data() - whole.data()) + i + 1);
  }
  return text;
}

Limbs product_of(Context& context, LimbSpan a, LimbSpan b) {
  if (context.backend() == Backend::reference) return reference::multiply<binary_base>(a, b);
  if constexpr (yupana::cuda::built) {
    if (context.backend() == Backend::cuda && cuda::multiplies(context, a.size(), b.size())) {
      return cuda::multiply(context, a, b);
    }
  }
  return cpu::multiply<binary_base>(context, a, b);
}

template <std::uint64_t from, std::uint64_t to>
Limbs convert(Context& context, LimbSpan digits) {
  if (context.backend() == Backend::reference) return reference::convert<from, to>(digits);
  return cpu::convert<from, to>(context, digits);
}

}  // namespace

BigInteger parse_integer(Context& context, std::string_view text, Digits digits) {
  BigInteger number;
  text = digits_of(text, digits, number.negative);
  Limbs limbs;
  if (digits == Digits::decimal) {
    for (std::size_t end = text.size(); end > 0;) {
      const std::size_t begin = end > decimal_digits ? end - decimal_digits : 0;
      std::uint32_t limb = 0;
      for (std::size_t i = begin; i < end; ++i) {
        limb = limb * 10 + static_cast<std::uint32_t>(value_of(text[i]));
      }
      limbs.push_back(limb);
      end = begin;
    }
    trim(limbs);
    number.limbs = convert<decimal_base, binary_base>(context, limbs);
  } else {
    const auto bits = static_cast<std::size_t>(bits_of(digits));
    limbs.assign((text.size() * bits + 31) / 32, 0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::size_t bit = (text.size() - 1 - i) * bits;
      limbs[bit / 32] |= static_cast<std::uint32_t>(value_of(text[i])) << (bit % 32);
    }
    trim(limbs);
    number.limbs = std::move(limbs);
  }
  if (number.limbs.empty()) number.negative = false;
  return number;
}

std::string to_text(Context& context, const BigInteger& value, Digits digits) {
  std::string text;  // least digit first
  if (digits == Digits::decimal) {
    const Limbs limbs = convert<binary_base, decimal_base>(context, value.limbs);
    text.reserve(limbs.size() * decimal_digits + 1);
    for (std::uint32_t limb : limbs) {
      for (std::size_t i = 0; i < decimal_digits; ++i, limb /= 10) {
        text += static_cast<char>('0' + limb % 10);
      }
    }
  } else {
    const int bits = bits_of(digits);
    text.reserve(value.limbs.size() * (32 / static_cast<std::size_t>(bits)) + 1);
    for (const std::uint32_t limb : value.limbs) {
      for (int at = 0; at < 32; at += bits) {
        text += "0123456789abcdef"[limb >> at & ((1u << bits) - 1)];
      }
    }
  }
  while (!text.empty() && text.back() == '0') text.pop_back();
  if (text.empty()) return "0";
  if (value.negative) text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

BigInteger multiply(Context& context, const BigInteger& a, const BigInteger& b) {
  BigInteger product;
  product.limbs = product_of(context, a.limbs, b.limbs);
  product.negative = !product.limbs.empty() && a.negative != b.negative;
  return product;
}

}  // namespace yupana::spectral
