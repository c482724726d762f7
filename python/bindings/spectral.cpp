#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "python/bindings/call.hpp"
#include "python/bindings/numpy.hpp"
#include "yupana/core/error.hpp"
#include "yupana/spectral/big_integer.hpp"
#include "yupana/spectral/fft.hpp"
#include "yupana/spectral/matmul.hpp"
#include "yupana/spectral/polymul.hpp"

namespace yupana::python {
namespace {

using namespace spectral;

/// Signals in rows, one after the other.
template <class T>
using SignalsIn = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
Signals<const T> signals_of(const SignalsIn<T>& rows) {
  return {rows.data(),
          static_cast<std::int64_t>(rows.shape(1)),
          static_cast<std::int64_t>(rows.shape(0))};
}

template <class T>
Signals<T> signals_of(Matrix<T>& matrix) {
  return {matrix.data(), matrix.cols(), matrix.rows()};
}

template <class R>
void bind_precision(nb::module_& m) {
  using C = std::complex<R>;
  m.def("fft", [](const Options& options, SignalsIn<C> in, bool inverse) {
    return to_numpy(call(options, [&](Context& context) {
      Matrix<C> out(signals_of(in).batch, signals_of(in).length);
      const Direction direction = inverse ? Direction::inverse : Direction::forward;
      fft(context, signals_of(in), signals_of(out), direction);
      return out;
    }));
  });
  m.def("rfft", [](const Options& options, SignalsIn<R> in) {
    return to_numpy(call(options, [&](Context& context) {
      Matrix<C> out(signals_of(in).batch, signals_of(in).length / 2 + 1);
      fft_real(context, signals_of(in), signals_of(out));
      return out;
    }));
  });
  m.def("irfft", [](const Options& options, SignalsIn<C> in, std::int64_t n) {
    return to_numpy(call(options, [&](Context& context) {
      Matrix<R> out(signals_of(in).batch, n);
      inverse_fft_real(context, signals_of(in), signals_of(out));
      return out;
    }));
  });
  m.def("fft2", [](const Options& options, SignalsIn<C> in, bool inverse) {
    return to_numpy(call(options, [&](Context& context) {
      Matrix<C> out(signals_of(in).batch, signals_of(in).length);
      fft_2d(context,
             MatrixView<const C>(in.data(), out.rows(), out.cols()),
             out.view(),
             inverse ? Direction::inverse : Direction::forward);
      return out;
    }));
  });
  m.def("matmul", [](const Options& options, SignalsIn<R> a, SignalsIn<R> b) {
    return to_numpy(call(
        options,
        [&](Context& context) {
          Matrix<R> c(static_cast<std::int64_t>(a.shape(0)), static_cast<std::int64_t>(b.shape(1)));
          matmul(context,
                 MatrixView<const R>(a.data(), c.rows(), static_cast<std::int64_t>(a.shape(1))),
                 MatrixView<const R>(b.data(), static_cast<std::int64_t>(b.shape(0)), c.cols()),
                 c.view());
          return c;
        },
        Runs::on_the_processor));
  });
}

}  // namespace

void bind_spectral(nb::module_& module) {
  nb::module_ m = module.def_submodule("spectral", "Fourier transforms and exact products.");
  bind_precision<float>(m);
  bind_precision<double>(m);
  m.def("polymul", [](const Options& options, Vector<double> a, Vector<double> b) {
    return to_numpy(call(options, [&](Context& context) {
      return polymul(context, {a.data(), a.size()}, {b.data(), b.size()}).coefficients;
    }));
  });
  m.def("polymul", [](const Options& options, Vector<std::int64_t> a, Vector<std::int64_t> b) {
    return to_numpy(call(options, [&](Context& context) {
      return polymul_exact(context, {a.data(), a.size()}, {b.data(), b.size()});
    }));
  });
  // Integers cross as hexadecimal text, which Python makes and reads in linear time.
  m.def("multiply", [](const Options& options, std::string_view a, std::string_view b) {
    return call(
        options,
        [&](Context& context) {
          const BigInteger product = multiply(context,
                                              parse_integer(context, a, Digits::hexadecimal),
                                              parse_integer(context, b, Digits::hexadecimal));
          return to_text(context, product, Digits::hexadecimal);
        },
        Runs::on_the_processor);
  });
}

}  // namespace yupana::python
