// Fourier transforms in the memory of a GPU.
#ifdef YUPANA_CUDA
#include "python/bindings/device_transforms.hpp"

#include <nanobind/stl/complex.h>

#include <complex>

#include "python/bindings/choices.hpp"
#include "python/bindings/device_views.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::python {
namespace {

using spectral::Direction;

Direction direction_of(bool inverse) { return inverse ? Direction::inverse : Direction::forward; }

/// Signals along the last axis of an array, and the array that a call writes to.
template <class T>
using Signals = nb::ndarray<const T, nb::c_contig, nb::device::cuda>;
template <class T>
using Spectra = std::optional<nb::ndarray<T, nb::c_contig, nb::device::cuda>>;

std::int64_t length_of(const auto& x) { return static_cast<std::int64_t>(x.shape(x.ndim() - 1)); }

/// transform(batch, out, stream) writes rows of n values to the caller's array, which it returns no
/// new one for.
template <class T, class In, class Transform>
Made<T> transformed(const Options& options,
                    const Signals<In>& x,
                    const Spectra<T>& out,
                    std::int64_t n,
                    const Transform& transform) {
  const std::int64_t length = length_of(x);
  const std::int64_t batch = length == 0 ? 0 : size_of(x) / length;
  if (out) {
    check_same_device("out", *out, x);
    check_size("out", batch * n, size_of(*out));
  }
  DeviceArray<T> made;
  queue_on_device(options, x.device_id(), [&](cudaStream_t stream) {
    if (!out) made = DeviceArray<T>(batch * n);
    if (batch > 0) transform(batch, out ? out->data() : made.data(), stream);
  });
  return made_unless(out.has_value(), std::move(made), x.device_id());
}

template <class R>
void bind_precision(nb::module_& m) {
  using C = std::complex<R>;
  m.def(
      "fft",
      [](const Options& options, Signals<C> x, Spectra<C> out, bool inverse) {
        const std::int64_t n = length_of(x);
        return transformed(options, x, out, n, [&](std::int64_t batch, C* to, cudaStream_t stream) {
          device::fft(x.data(), n, batch, direction_of(inverse), to, stream);
        });
      },
      nb::arg("options"),
      taken("x"),
      taken("out").none(),
      nb::arg("inverse"));
  m.def(
      "rfft",
      [](const Options& options, Signals<R> x, Spectra<C> out) {
        const std::int64_t n = length_of(x);
        const auto transform = [&](std::int64_t batch, C* to, cudaStream_t stream) {
          device::real_fft(x.data(), n, batch, to, stream);
        };
        return transformed(options, x, out, n / 2 + 1, transform);
      },
      nb::arg("options"),
      taken("x"),
      taken("out").none());
  m.def(
      "irfft",
      [](const Options& options, Signals<C> x, Spectra<R> out, std::int64_t n) {
        if (n < 1 || n / 2 + 1 != length_of(x)) {
          throw usage_error(
              "n: expected a length of {} = n / 2 + 1 values, got {}", length_of(x), n);
        }
        return transformed(options, x, out, n, [&](std::int64_t batch, R* to, cudaStream_t stream) {
          device::inverse_real_fft(x.data(), n, batch, to, stream);
        });
      },
      nb::arg("options"),
      taken("x"),
      taken("out").none(),
      nb::arg("n"));
  m.def(
      "fft2",
      [](const Options& options, Signals<C> x, Spectra<C> out, bool inverse) {
        const std::int64_t cols = length_of(x);
        return transformed(
            options, x, out, cols, [&](std::int64_t rows, C* to, cudaStream_t stream) {
              device::fft_2d(x.data(), rows, cols, direction_of(inverse), to, stream);
            });
      },
      nb::arg("options"),
      taken("x"),
      taken("out").none(),
      nb::arg("inverse"));
}

}  // namespace

void bind_device_transforms(nb::module_& m) {
  bind_precision<float>(m);
  bind_precision<double>(m);
}

}  // namespace yupana::python

#endif
