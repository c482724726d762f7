// Fourier transforms in the memory of a GPU.
#ifdef YUPANA_CUDA
#include "python/bindings/device_transforms.hpp"

#include <nanobind/stl/complex.h>

#include <complex>

#include "python/bindings/device_views.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::python {
namespace {

using spectral::Direction;

Direction direction_of(bool inverse) { return inverse ? Direction::inverse : Direction::forward; }

/// A new array of `batch` x n values that make(out) fills, unless there are none.
template <class T, class Make>
DlpackArray<T> transformed(
    const Options& options, int device, std::size_t batch, std::size_t n, const Make& make) {
  return made_on_device(options, device, {batch, n}, [&](Context& context) {
    DeviceArray<T> out(static_cast<std::int64_t>(batch * n));
    if (out.empty()) return out;
    context.check_cancelled();
    make(out.data());
    return out;
  });
}

template <class R>
void bind_precision(nb::module_& m) {
  using C = std::complex<R>;
  const auto count = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  m.def(
      "fft",
      [count](const Options& options, DeviceRows<C> x, bool inverse) {
        const auto transform = [&](C* out) {
          device::fft(x.data(), count(x.shape(1)), count(x.shape(0)), direction_of(inverse), out);
        };
        return transformed<C>(options, x.device_id(), x.shape(0), x.shape(1), transform);
      },
      nb::arg("options"),
      taken("x"),
      nb::arg("inverse"));
  m.def(
      "rfft",
      [count](const Options& options, DeviceRows<R> x) {
        const auto transform = [&](C* out) {
          device::real_fft(x.data(), count(x.shape(1)), count(x.shape(0)), out);
        };
        return transformed<C>(options, x.device_id(), x.shape(0), x.shape(1) / 2 + 1, transform);
      },
      nb::arg("options"),
      taken("x"));
  m.def(
      "irfft",
      [count](const Options& options, DeviceRows<C> x, std::size_t n) {
        if (n < 1 || n / 2 + 1 != x.shape(1)) {
          throw usage_error("n: expected a length of {} = n / 2 + 1 values, got {}", x.shape(1), n);
        }
        const auto transform = [&](R* out) {
          device::inverse_real_fft(x.data(), count(n), count(x.shape(0)), out);
        };
        return transformed<R>(options, x.device_id(), x.shape(0), n, transform);
      },
      nb::arg("options"),
      taken("x"),
      nb::arg("n"));
  m.def(
      "fft2",
      [count](const Options& options, DeviceRows<C> x, bool inverse) {
        const auto transform = [&](C* out) {
          device::fft_2d(
              x.data(), count(x.shape(0)), count(x.shape(1)), direction_of(inverse), out);
        };
        return transformed<C>(options, x.device_id(), x.shape(0), x.shape(1), transform);
      },
      nb::arg("options"),
      taken("x"),
      nb::arg("inverse"));
}

}  // namespace

void bind_device_transforms(nb::module_& m) {
  bind_precision<float>(m);
  bind_precision<double>(m);
}

}  // namespace yupana::python

#endif
