#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <numeric>
#include <vector>

#include "python/bindings/call.hpp"
#include "python/bindings/numpy.hpp"
#include "yupana/core/error.hpp"
#include "yupana/spectral/big_integer.hpp"
#include "yupana/spectral/fft.hpp"
#include "yupana/spectral/fft_axes.hpp"
#include "yupana/spectral/matmul.hpp"
#include "yupana/spectral/polymul.hpp"

namespace yupana::python {
namespace {

using namespace spectral;

/// Signals in rows, one after the other.
template <class T>
using SignalsIn = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Less than a millisecond is done on the calling thread: two threads were not faster (Zen 4).
Runs runs_for(std::size_t values) {
  constexpr std::size_t few = std::size_t{1} << 16;
  return values <= few ? Runs::at_once : Runs::anywhere;
}

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

/// A dense array of any number of axes.
template <class T>
using ArrayIn = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
using Axes = std::vector<std::int64_t>;

template <class T>
DenseArray<const T> array_of(const ArrayIn<T>& array) {
  Axes extents;
  for (std::size_t i = 0; i < array.ndim(); ++i) {
    extents.push_back(static_cast<std::int64_t>(array.shape(i)));
  }
  return {array.data(), extents};
}

/// A new array for make(context, out), which the package gives its shape.
template <class T, class Make>
nb::ndarray<nb::numpy, T> made(const Options& options, const Axes& extents, const Make& make) {
  const std::int64_t size =
      std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
  const auto body = [&](Context& context) {
    Array<T> out(size);
    make(context, DenseArray<T>{out.data(), extents});
    return out;
  };
  return to_numpy(call(options, runs_for(static_cast<std::size_t>(size)), body));
}

template <class R>
void bind_axes(nb::module_& m) {
  using C = std::complex<R>;
  m.def("fft_axes", [](const Options& options, ArrayIn<C> in, const Axes& axes, bool inverse) {
    const DenseArray<const C> from = array_of<C>(in);
    return made<C>(options, from.extents, [&](Context& context, const DenseArray<C>& out) {
      fft_axes<R>(context, from, out, axes, inverse ? Direction::inverse : Direction::forward);
    });
  });
  m.def("rfft_axes", [](const Options& options, ArrayIn<R> in, const Axes& axes) {
    const DenseArray<const R> from = array_of<R>(in);
    Axes extents = from.extents;
    std::int64_t& last = extents.at(static_cast<std::size_t>(axes.at(axes.size() - 1)));
    last = last / 2 + 1;
    return made<C>(options, extents, [&](Context& context, const DenseArray<C>& out) {
      fft_real_axes<R>(context, from, out, axes);
    });
  });
  m.def("irfft_axes", [](const Options& options, ArrayIn<C> in, const Axes& axes, std::int64_t n) {
    const DenseArray<const C> from = array_of<C>(in);
    Axes extents = from.extents;
    extents.at(static_cast<std::size_t>(axes.at(axes.size() - 1))) = n;
    return made<R>(options, extents, [&](Context& context, const DenseArray<R>& out) {
      inverse_fft_real_axes<R>(context, from, out, axes);
    });
  });
}

template <class R>
void bind_precision(nb::module_& m) {
  using C = std::complex<R>;
  m.def("fft", [](const Options& options, SignalsIn<C> in, bool inverse) {
    const auto transform = [&](Context& context) {
      Matrix<C> out(signals_of(in).batch, signals_of(in).length);
      const Direction direction = inverse ? Direction::inverse : Direction::forward;
      fft(context, signals_of(in), signals_of(out), direction);
      return out;
    };
    return to_numpy(call(options, runs_for(in.size()), transform));
  });
  m.def("rfft", [](const Options& options, SignalsIn<R> in) {
    const auto transform = [&](Context& context) {
      Matrix<C> out(signals_of(in).batch, signals_of(in).length / 2 + 1);
      fft_real(context, signals_of(in), signals_of(out));
      return out;
    };
    return to_numpy(call(options, runs_for(in.size()), transform));
  });
  m.def("irfft", [](const Options& options, SignalsIn<C> in, std::int64_t n) {
    const auto transform = [&](Context& context) {
      Matrix<R> out(signals_of(in).batch, n);
      inverse_fft_real(context, signals_of(in), signals_of(out));
      return out;
    };
    return to_numpy(call(options, runs_for(in.size()), transform));
  });
  m.def("fft2", [](const Options& options, SignalsIn<C> in, bool inverse) {
    const auto transform = [&](Context& context) {
      Matrix<C> out(signals_of(in).batch, signals_of(in).length);
      fft_2d(context,
             MatrixView<const C>(in.data(), out.rows(), out.cols()),
             out.view(),
             inverse ? Direction::inverse : Direction::forward);
      return out;
    };
    return to_numpy(call(options, runs_for(in.size()), transform));
  });
  m.def("matmul", [](const Options& options, SignalsIn<R> a, SignalsIn<R> b) {
    return to_numpy(call(options, Runs::on_the_processor, [&](Context& context) {
      Matrix<R> c(static_cast<std::int64_t>(a.shape(0)), static_cast<std::int64_t>(b.shape(1)));
      matmul(context,
             MatrixView<const R>(a.data(), c.rows(), static_cast<std::int64_t>(a.shape(1))),
             MatrixView<const R>(b.data(), static_cast<std::int64_t>(b.shape(0)), c.cols()),
             c.view());
      return c;
    }));
  });
}

}  // namespace

void bind_spectral(nb::module_& module) {
  nb::module_ m = module.def_submodule("spectral", "Fourier transforms and exact products.");
  bind_precision<float>(m);
  bind_precision<double>(m);
  bind_axes<float>(m);
  bind_axes<double>(m);
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
    return call(options, Runs::on_the_processor, [&](Context& context) {
      const BigInteger product = multiply(context,
                                          parse_integer(context, a, Digits::hexadecimal),
                                          parse_integer(context, b, Digits::hexadecimal));
      return to_text(context, product, Digits::hexadecimal);
    });
  });
}

}  // namespace yupana::python
