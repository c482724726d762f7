#include <algorithm>

#include "yupana/spectral/convolution.hpp"
#include "yupana/spectral/limbs.hpp"

namespace yupana::spectral::cpu {
namespace {

/// to += b, at least as long, from its limb `at` on; the sum fits.
template <std::uint64_t base>
void add(Limbs& to, LimbSpan b, std::size_t at = 0) {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < b.size() || carry > 0; ++i) {
    carry += to[at + i] + static_cast<std::uint64_t>(i < b.size() ? b[i] : 0);
    to[at + i] = static_cast<std::uint32_t>(carry % base);
    carry /= base;
  }
}

/// to -= b <= to.
template <std::uint64_t base>
void subtract(Limbs& to, LimbSpan b) {
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < b.size() || borrow > 0; ++i) {
    const std::uint64_t less = borrow + (i < b.size() ? b[i] : 0);
    borrow = to[i] < less ? 1 : 0;
    to[i] = static_cast<std::uint32_t>(to[i] + borrow * base - less);
  }
}

template <std::uint64_t base>
Limbs sum(LimbSpan a, LimbSpan b) {
  Limbs total(a.begin(), a.end());
  total.resize(std::max(a.size(), b.size()) + 1, 0);
  add<base>(total, b);
  trim(total);
  return total;
}

LimbSpan without_zeros(LimbSpan limbs) {
  while (!limbs.empty() && limbs.back() == 0) limbs = limbs.first(limbs.size() - 1);
  return limbs;
}

/// (a1 x + a0)(b1 x + b0) by three products; both factors longer than `half`.
template <std::uint64_t base>
Limbs karatsuba(Context& context, LimbSpan a, LimbSpan b) {
  const std::size_t half = (std::max(a.size(), b.size()) + 1) / 2;
  const LimbSpan a0 = without_zeros(a.first(half)), a1 = a.subspan(half);
  const LimbSpan b0 = without_zeros(b.first(half)), b1 = b.subspan(half);
  const Limbs low = multiply<base>(context, a0, b0);
  const Limbs high = multiply<base>(context, a1, b1);
  Limbs middle = multiply<base>(context, sum<base>(a0, a1), sum<base>(b0, b1));
  subtract<base>(middle, low);
  subtract<base>(middle, high);
  trim(middle);
  Limbs product(a.size() + b.size(), 0);
  std::copy(low.begin(), low.end(), product.begin());
  std::copy(high.begin(), high.end(), product.begin() + static_cast<std::ptrdiff_t>(2 * half));
  add<base>(product, middle, half);
  trim(product);
  return product;
}

/// Pieces of the longer factor, as long as the shorter one.
template <std::uint64_t base>
Limbs by_pieces(Context& context, LimbSpan a, LimbSpan b, std::size_t piece) {
  Limbs product(a.size() + b.size() + 1, 0);
  for (std::size_t at = 0; at < a.size(); at += piece) {
    const LimbSpan part = without_zeros(a.subspan(at, std::min(piece, a.size() - at)));
    add<base>(product, multiply<base>(context, part, b), at);
  }
  trim(product);
  return product;
}

/// Limbs are residues as they are; a coefficient is below 2^28 2^64 = 2^92 < 0.4 p q.
constexpr std::size_t max_ntt_limbs = std::size_t{1} << 28;

template <std::uint64_t base>
Limbs by_transforms(Context& context, LimbSpan a, LimbSpan b) {
  const auto count = static_cast<std::int64_t>(a.size() + b.size());
  const int bits = ntt_bits(count - 1);
  const NttRoots roots[2] = {NttRoots(ntt_primes[0], bits), NttRoots(ntt_primes[1], bits)};
  const bool square = a.data() == b.data() && a.size() == b.size();
  Array<double> residues[2], scratch;
  for (int prime = 0; prime < 2; ++prime) {
    convolve(
        context,
        roots[prime],
        static_cast<std::int64_t>(a.size()),
        static_cast<std::int64_t>(b.size()),
        square,
        [&](bool of_a, std::int64_t begin, std::int64_t end, double* to) {
          const std::uint32_t* from = of_a ? a.data() : b.data();
          for (std::int64_t j = begin; j < end; ++j) to[j - begin] = from[j];
        },
        residues[prime],
        scratch);
  }
  double* const x = residues[0].data();
  double* const y = residues[1].data();
  each_residue(context, count - 1, [&](std::int64_t begin, std::int64_t end) {
    ntt_join(roots[0], roots[1], x + begin, y + begin, end - begin);
  });
  Limbs product(static_cast<std::size_t>(count));
  unsigned __int128 carry = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    if (k < count - 1) {
      carry += static_cast<unsigned __int128>(static_cast<__int128>(ntt_primes[0].p) *
                                                  static_cast<std::int64_t>(y[k]) +
                                              static_cast<std::int64_t>(x[k]));
    }
    product[static_cast<std::size_t>(k)] = static_cast<std::uint32_t>(carry % base);
    carry /= base;
  }
  trim(product);
  return product;
}

}  // namespace

template <std::uint64_t base>
Limbs multiply(Context& context, LimbSpan a, LimbSpan b) {
  if (a.size() < b.size()) std::swap(a, b);
  if (b.size() < min_karatsuba) return reference::multiply<base>(a, b);
  context.check_cancelled();
  if (b.size() > max_ntt_limbs) return karatsuba<base>(context, a, b);
  if (a.size() + b.size() > (std::size_t{1} << max_ntt_bits)) {
    return by_pieces<base>(context, a, b, max_ntt_limbs);
  }
  if (b.size() >= min_ntt) {
    if (a.size() >= long_factor * b.size()) {
      return by_pieces<base>(context, a, b, piece_factor * b.size());
    }
    return by_transforms<base>(context, a, b);
  }
  if (a.size() >= 2 * b.size()) return by_pieces<base>(context, a, b, b.size());
  if (b.size() <= (a.size() + 1) / 2) return reference::multiply<base>(a, b);
  return karatsuba<base>(context, a, b);
}

template <std::uint64_t from, std::uint64_t to>
Limbs convert(Context& context, LimbSpan digits) {
  constexpr std::size_t leaf = 64;
  if (digits.size() <= leaf) return reference::convert<from, to>(digits);
  // powers[j] = from^(leaf 2^j), as far as a half needs them.
  std::vector<Limbs> powers;
  Limbs one(leaf + 1, 0);
  one[leaf] = 1;
  powers.push_back(reference::convert<from, to>(one));
  for (std::size_t size = leaf; 2 * size < digits.size(); size *= 2) {
    powers.push_back(multiply<to>(context, powers.back(), powers.back()));
  }
  // The low 2^j leaves and what is above them.
  const auto join = [&](const auto& self, LimbSpan part, std::size_t j) -> Limbs {
    part = without_zeros(part);
    if (part.size() <= leaf) return reference::convert<from, to>(part);
    while (part.size() <= leaf << j) --j;
    const std::size_t low_size = leaf << j;
    const Limbs low = self(self, part.first(low_size), j);
    const Limbs high = self(self, part.subspan(low_size), j);
    Limbs number = multiply<to>(context, high, powers[j]);
    number.resize(std::max(number.size(), low.size()) + 1, 0);
    add<to>(number, low);
    trim(number);
    return number;
  };
  return join(join, digits, powers.size() - 1);
}

template Limbs multiply<binary_base>(Context&, LimbSpan, LimbSpan);
template Limbs multiply<decimal_base>(Context&, LimbSpan, LimbSpan);
template Limbs convert<binary_base, decimal_base>(Context&, LimbSpan);
template Limbs convert<decimal_base, binary_base>(Context&, LimbSpan);

}  // namespace yupana::spectral::cpu
