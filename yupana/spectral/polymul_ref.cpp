#include <algorithm>

#include "yupana/spectral/polymul_backends.hpp"

namespace yupana::spectral::reference {
namespace {

/// Sum, the type the sums are made in.
template <class Sum, class T>
void multiply(std::span<const T> a, std::span<const T> b, std::span<T> out) {
  for (std::size_t k = 0; k < out.size(); ++k) {
    Sum sum = 0;
    const std::size_t first = k < b.size() ? 0 : k - b.size() + 1;
    for (std::size_t i = first; i <= std::min(k, a.size() - 1); ++i) {
      sum += static_cast<Sum>(a[i]) * static_cast<Sum>(b[k - i]);
    }
    out[k] = static_cast<T>(sum);
  }
}

}  // namespace

void polymul(std::span<const double> a, std::span<const double> b, std::span<double> out) {
  multiply<long double>(a, b, out);
}

void polymul_exact(std::span<const std::int64_t> a,
                   std::span<const std::int64_t> b,
                   std::span<std::int64_t> out) {
  multiply<__int128>(a, b, out);
}

}  // namespace yupana::spectral::reference
