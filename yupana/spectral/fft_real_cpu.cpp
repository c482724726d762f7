#include <algorithm>
#include <complex>

#include "yupana/spectral/fft_backends.hpp"
#include "yupana/spectral/half_spectrum.hpp"

namespace yupana::spectral::cpu {
namespace {

/// body(context or null, signal): long signals one by one on all threads, short ones side by side.
template <class Body>
void each_signal(Context& context, std::int64_t batch, std::int64_t length, const Body& body) {
  constexpr std::int64_t long_signal = std::int64_t{1} << 17;
  if (batch == 1 || length >= long_signal) {
    for (std::int64_t b = 0; b < batch; ++b) body(&context, b);
    return;
  }
  const std::int64_t grain = std::max<std::int64_t>(1, (1 << 14) / length);
  context.parallel_for(batch, grain, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t b = begin; b < end; ++b) body(nullptr, b);
  });
}

template <class T>
T* numbers(std::complex<T>* values) {
  return reinterpret_cast<T*>(values);
}

}  // namespace

template <class T>
void fft_real(Context& context, Signals<const T> in, Signals<std::complex<T>> out) {
  const std::int64_t n = in.length;
  const bool even = n % 2 == 0;
  const std::int64_t count = even ? n / 2 : n;  // complex values transformed
  Transform<T> transform(count);
  const HalfSpectrum<T> half(even ? n : 2);
  Scratch<std::complex<T>> scratch(count + 1);
  each_signal(context, in.batch, n, [&](Context* threads, std::int64_t b) {
    if (even && in.stride == 1 && out.stride == 1) {
      std::complex<T>* const values = out.data + b * out.distance;
      transform.run(threads, in.data + b * in.distance, numbers(values), Direction::forward);
      return half.unfold(threads, values);
    }
    typename Scratch<std::complex<T>>::Block block(scratch);
    std::complex<T>* const values = block.data();
    for (std::int64_t j = 0; j < count; ++j) {
      values[j] =
          even ? std::complex<T>(in(b, 2 * j), in(b, 2 * j + 1)) : std::complex<T>(in(b, j));
    }
    transform.run(threads, numbers(values), numbers(values), Direction::forward);
    if (even) half.unfold(threads, values);
    for (std::int64_t k = 0; k < out.length; ++k) out(b, k) = values[k];
    out(b, 0) = out(b, 0).real();
  });
}

template <class T>
void inverse_fft_real(Context& context, Signals<const std::complex<T>> in, Signals<T> out) {
  const std::int64_t n = out.length;
  const bool even = n % 2 == 0;
  const std::int64_t count = even ? n / 2 : n;
  Transform<T> transform(count);
  const HalfSpectrum<T> half(even ? n : 2);
  Scratch<std::complex<T>> scratch(count + 1);
  each_signal(context, in.batch, n, [&](Context* threads, std::int64_t b) {
    typename Scratch<std::complex<T>>::Block block(scratch);
    std::complex<T>* const values = block.data();
    for (std::int64_t k = 0; k < in.length; ++k) values[k] = in(b, k);
    if (even) {
      half.fold(threads, values);
    } else {
      values[0] = values[0].real();
      for (std::int64_t k = 1; k < in.length; ++k) values[n - k] = std::conj(values[k]);
    }
    if (even && out.stride == 1) {
      return transform.run(
          threads, numbers(values), out.data + b * out.distance, Direction::inverse);
    }
    transform.run(threads, numbers(values), numbers(values), Direction::inverse);
    for (std::int64_t j = 0; j < n; ++j) {
      out(b, j) = even ? numbers(values)[j] : values[j].real();
    }
  });
}

template void fft_real(Context&, Signals<const float>, Signals<std::complex<float>>);
template void fft_real(Context&, Signals<const double>, Signals<std::complex<double>>);
template void inverse_fft_real(Context&, Signals<const std::complex<float>>, Signals<float>);
template void inverse_fft_real(Context&, Signals<const std::complex<double>>, Signals<double>);

}  // namespace yupana::spectral::cpu
