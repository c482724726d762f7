#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>

#include "yupana/core/tiles.hpp"
#include "yupana/spectral/fft_transform.hpp"

namespace yupana::spectral::cpu {

/// The step between h = n/2 complex values and the half spectrum of n real ones.
template <class T>
class HalfSpectrum {
 public:
  explicit HalfSpectrum(std::int64_t n) : half_(n / 2), lane_roots_(2 * row_functions<T>().lanes) {
    std::int64_t low = 1;
    while (low * low < n) low *= 2;
    roots_ = RootTable(n, low);
    const std::int64_t lanes = row_functions<T>().lanes;
    for (std::int64_t l = 0; l < lanes; ++l) {
      const std::complex<double> w =
          unit_root(row_functions<T>().places[static_cast<std::size_t>(l)] % n, n);
      lane_roots_[l] = static_cast<T>(w.real());
      lane_roots_[lanes + l] = static_cast<T>(w.imag());
    }
    if (n <= longest_table) make_table(n);
  }
  std::uint64_t bytes() const { return roots_.bytes() + lane_roots_.bytes() + table_.bytes(); }

  /// h transformed values become h + 1 values of the spectrum.
  void unfold(Context* context, std::complex<T>* values) const {
    const std::complex<T> first = values[0];
    values[0] = first.real() + first.imag();
    values[half_] = first.real() - first.imag();
    pairs(context, values, false);
  }
  /// The way back, to `values` from the spectrum in place.
  void fold(Context* context, std::complex<T>* values) const {
    const T first = values[0].real(), last = values[half_].real();
    values[0] = {T(0.5) * (first + last), T(0.5) * (first - last)};
    pairs(context, values, true);
  }

 private:
  /// Up to here every factor is kept: a product of roots a vector is a third of a short unfolding.
  static constexpr std::int64_t longest_table = std::int64_t{1} << 15;
  void make_table(std::int64_t n) {
    const std::int64_t lanes = row_functions<T>().lanes;
    const std::int64_t groups = divide_up(half_ / 2, lanes);
    table_ = Array<T>(2 * groups * lanes);
    for (std::int64_t k = 0; k < groups * lanes; ++k) {
      const std::complex<double> w = unit_root((1 + k) % n, n);
      const std::int64_t lane = row_functions<T>().lane_of[static_cast<std::size_t>(k % lanes)];
      T* const to = &table_[k / lanes * 2 * lanes + lane];
      to[0] = static_cast<T>(w.real());
      to[lanes] = static_cast<T>(w.imag());
    }
  }
  void pairs(Context* context, std::complex<T>* values, bool inverse) const {
    HalfSpectrumJob<T> job;
    job.values = reinterpret_cast<T*>(values);
    job.half_length = half_;
    job.inverse = inverse;
    job.roots = &roots_;
    job.lane_roots = lane_roots_.data();
    job.table = table_.data();
    const std::int64_t lanes = row_functions<T>().lanes;
    // k and h - k go together; pieces of whole vectors, wherever threads cut.
    constexpr std::int64_t piece = 4096;
    const std::int64_t end = half_ / 2 + 1;
    const auto body = [&](std::int64_t begin_piece, std::int64_t end_piece) {
      for (std::int64_t p = begin_piece; p < end_piece; ++p) {
        const std::int64_t from = 1 + p * piece;
        const std::int64_t to = std::min(from + piece, end);
        // The middle is its own mirror image. As the last lane of a whole vector it is written
        // twice, the same; elsewhere in one it would come between what the other half needs.
        const bool whole = (to - from) % lanes == 0;
        const bool split = !whole && to == end && half_ % 2 == 0 && half_ > 1;
        const std::int64_t middle = split ? to - 1 : to;
        row_functions<T>().pair_half_spectrum(job, from, middle);
        if (middle < to) row_functions<T>().pair_half_spectrum(job, middle, to);
      }
    };
    const std::int64_t pieces = divide_up(end - 1, piece);
    if (context == nullptr || pieces < 4) return body(0, pieces);
    context->parallel_for(pieces, 2, body);
  }

  std::int64_t half_;
  RootTable roots_;
  Array<T> lane_roots_;
  Array<T> table_;
};

}  // namespace yupana::spectral::cpu
