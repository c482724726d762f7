#include "yupana/spectral/fft_bluestein.hpp"

#include <algorithm>

namespace yupana::spectral::cpu {

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
Bluestein<T>::Bluestein(std::int64_t length)
    : n_(length),
      convolution_(convolution_length(length)),
      chirp_(length),
      spectrum_(Array<std::complex<T>>::zeros(convolution_.length())),
      values_(convolution_.length()) {
  // j^2 modulo 2n, from its differences: no product of large numbers.
  std::int64_t low = 1;
  while (low * low < 2 * n_) low *= 2;
  const RootTable roots(2 * n_, std::min(low, 2 * n_));
  std::int64_t square = 0;
  for (std::int64_t j = 0; j < n_; ++j) {
    const std::complex<double> c = roots(square);
    chirp_[j] = std::complex<T>(static_cast<T>(c.real()), static_cast<T>(c.imag()));
    spectrum_[j] = std::conj(chirp_[j]);
    if (j > 0) spectrum_[convolution_.length() - j] = spectrum_[j];
    square = (square + 2 * j + 1) % (2 * n_);
  }
  T* const spectrum = reinterpret_cast<T*>(spectrum_.data());
  convolution_.run(nullptr, spectrum, spectrum, Direction::forward);
}

template <class T>
void Bluestein<T>::run(Context* context, const T* in, T* out, Ends<T> ends) {
  constexpr std::int64_t grain = 1 << 14;
  if (n_ < grain) context = nullptr;
  const std::int64_t length = convolution_.length();
  typename Scratch<std::complex<T>>::Block block(values_);
  T* const values = reinterpret_cast<T*>(block.data());
  const T* const chirp = reinterpret_cast<const T*>(chirp_.data());
  each(context, length, grain, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t last = std::clamp(n_, begin, end);
    if (last > begin) {
      multiply_complexes<T>({in + 2 * begin, chirp + 2 * begin, values + 2 * begin, ends.sign},
                            last - begin);
    }
    std::fill(values + 2 * last, values + 2 * end, T(0));
  });
  convolution_.run(
      context, values, values, Direction::forward, reinterpret_cast<const T*>(spectrum_.data()));
  convolution_.run(context, values, values, Direction::inverse);
  each(context, n_, grain, [&](std::int64_t begin, std::int64_t end) {
    ProductJob<T> job{values + 2 * begin, chirp + 2 * begin, out + 2 * begin};
    job.scale = ends.scale;
    job.scale_imaginary = ends.scale_imaginary;
    multiply_complexes(job, end - begin);
  });
}

template class Bluestein<float>;
template class Bluestein<double>;

}  // namespace yupana::spectral::cpu
