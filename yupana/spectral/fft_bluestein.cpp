#include "yupana/spectral/fft_bluestein.hpp"

#include <algorithm>

#include "yupana/core/instantiate.hpp"

namespace yupana::spectral::cpu {
namespace {

constexpr std::int64_t grain = 1 << 14;  // of the loops over values

/// each(), which stops between pieces. A loop that first touches memory takes the system's time to
/// find it: a second a gigabyte and more.
template <class Body>
void each_checked(Context* context, std::int64_t count, const Body& body) {
  each(context, count, grain, [&](std::int64_t begin, std::int64_t end) {
    if (context != nullptr) context->check_cancelled();
    body(begin, end);
  });
}

}  // namespace

template <class T>
std::int64_t Bluestein<T>::convolution_length(std::int64_t n) {
  const std::int64_t least = 2 * n - 1;
  std::int64_t best = 0;
  for (const std::int64_t odd : {1, 3, 5, 9, 15}) {
    std::int64_t length = 16 * odd;
    while (length < least) length *= 2;
    if (best == 0 || length < best) best = length;
  }
  return best;
}

template <class T>
Bluestein<T>::Bluestein(Context* context, std::int64_t length)
    : n_(length),
      convolution_(context, convolution_length(length)),
      chirp_(length),
      spectrum_(convolution_.length()),
      values_(convolution_.length()) {
  // j^2 modulo 2n, within a piece from its differences: no product of large numbers.
  std::int64_t low = 1;
  while (low * low < 2 * n_) low *= 2;
  const RootTable roots(2 * n_, std::min(low, 2 * n_));
  if (n_ < grain) context = nullptr;
  // Between the chirp and its mirror image.
  each_checked(
      context, convolution_.length() - 2 * n_ + 1, [&](std::int64_t begin, std::int64_t end) {
        std::fill(&spectrum_[n_] + begin, &spectrum_[n_] + end, T(0));
      });
  each_checked(context, n_, [&](std::int64_t begin, std::int64_t end) {
    auto square = static_cast<std::int64_t>(static_cast<__int128>(begin) * begin % (2 * n_));
    for (std::int64_t j = begin; j < end; ++j) {
      const std::complex<double> c = roots(square);
      chirp_[j] = std::complex<T>(static_cast<T>(c.real()), static_cast<T>(c.imag()));
      spectrum_[j] = std::conj(chirp_[j]);
      if (j > 0) spectrum_[convolution_.length() - j] = spectrum_[j];
      square = (square + 2 * j + 1) % (2 * n_);
    }
  });
  T* const spectrum = reinterpret_cast<T*>(spectrum_.data());
  convolution_.run(context, spectrum, spectrum, Direction::forward);
}

template <class T>
void Bluestein<T>::run(Context* context, const T* in, T* out, Ends<T> ends) {
  if (n_ < grain) context = nullptr;
  const std::int64_t length = convolution_.length();
  typename Scratch<std::complex<T>>::Block block(values_);
  T* const values = reinterpret_cast<T*>(block.data());
  const T* const chirp = reinterpret_cast<const T*>(chirp_.data());
  each_checked(context, length, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t last = std::clamp(n_, begin, end);
    if (last > begin) {
      row_functions<T>().multiply_complexes(
          {in + 2 * begin, chirp + 2 * begin, values + 2 * begin, ends.sign}, last - begin);
    }
    std::fill(values + 2 * last, values + 2 * end, T(0));
  });
  convolution_.run(
      context, values, values, Direction::forward, reinterpret_cast<const T*>(spectrum_.data()));
  convolution_.run(context, values, values, Direction::inverse);
  each_checked(context, n_, [&](std::int64_t begin, std::int64_t end) {
    ProductJob<T> job{values + 2 * begin, chirp + 2 * begin, out + 2 * begin};
    job.scale = ends.scale;
    job.scale_imaginary = ends.scale_imaginary;
    row_functions<T>().multiply_complexes(job, end - begin);
  });
}

YUPANA_CLASSES(YUPANA_FLOATS, Bluestein)

}  // namespace yupana::spectral::cpu
