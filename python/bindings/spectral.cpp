#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

#include "python/bindings/call.hpp"
#include "python/bindings/numpy.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/spectral/big_integer.hpp"
#include "yupana/spectral/fft.hpp"
#include "yupana/spectral/fft_axes.hpp"
#include "yupana/spectral/matmul.hpp"
#include "yupana/spectral/polymul.hpp"

namespace yupana::python {
namespace {

using namespace spectral;

/// Rows one after the other.
template <class T>
using RowsIn = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Less than a millisecond is done on the calling thread: two threads were not faster (Zen 4).
Runs runs_for(std::size_t values) {
  constexpr std::size_t few = std::size_t{1} << 16;
  return values <= few ? Runs::at_once : Runs::anywhere;
}

/// A dense array of any number of axes.
template <class T>
using ArrayIn = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
/// NumPy's new array for the result: memory that it keeps for the next one, where the library's
/// would come from the system each time, and be cleared.
template <class T>
using ArrayOut = nb::ndarray<T, nb::c_contig, nb::device::cpu>;
using Axes = std::vector<std::int64_t>;

template <class T, class NdArray>
DenseArray<T> array_of(const NdArray& array) {
  Axes extents(array.ndim());
  for (std::size_t i = 0; i < array.ndim(); ++i) {
    extents[i] = static_cast<std::int64_t>(array.shape(i));
  }
  return {array.data(), std::move(extents)};
}

Direction direction_of(bool inverse) { return inverse ? Direction::inverse : Direction::forward; }

template <class R>
void bind_axes(nb::module_& m) {
  using C = std::complex<R>;
  m.def("fft_axes",
        [](const Options& options, ArrayIn<C> in, ArrayOut<C> out, const Axes& axes, bool inverse) {
          call(options, runs_for(in.size()), [&](Context& context) {
            fft_axes<R>(
                context, array_of<const C>(in), array_of<C>(out), axes, direction_of(inverse));
          });
        });
  m.def("rfft_axes", [](const Options& options, ArrayIn<R> in, ArrayOut<C> out, const Axes& axes) {
    call(options, runs_for(in.size()), [&](Context& context) {
      fft_real_axes<R>(context, array_of<const R>(in), array_of<C>(out), axes);
    });
  });
  m.def("irfft_axes", [](const Options& options, ArrayIn<C> in, ArrayOut<R> out, const Axes& axes) {
    call(options, runs_for(in.size()), [&](Context& context) {
      inverse_fft_real_axes<R>(context, array_of<const C>(in), array_of<R>(out), axes);
    });
  });
  m.def("fft2", [](const Options& options, RowsIn<C> in, ArrayOut<C> out, bool inverse) {
    const DenseArray<const C> from = array_of<const C>(in);
    const DenseArray<C> to = array_of<C>(out);
    if (from.extents != to.extents)
      throw input_error("fft: expected an output of the input's shape");
    call(options, runs_for(in.size()), [&](Context& context) {
      fft_2d(context,
             MatrixView<const C>(from.data, from.extents[0], from.extents[1]),
             MatrixView<C>(to.data, to.extents[0], to.extents[1]),
             direction_of(inverse));
    });
  });
}

template <class R>
void bind_precision(nb::module_& m) {
  m.def("matmul", [](const Options& options, RowsIn<R> a, RowsIn<R> b) {
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
