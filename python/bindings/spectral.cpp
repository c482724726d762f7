#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <complex>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "python/bindings/call.hpp"
#include "python/bindings/views.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/spectral/big_integer.hpp"
#include "yupana/spectral/fft.hpp"
#include "yupana/spectral/fft_axes.hpp"
#include "yupana/spectral/matmul.hpp"
#include "yupana/spectral/polymul.hpp"

namespace yupana::python {
namespace {

using namespace spectral;

/// Less than a millisecond is done on the calling thread: two threads were not faster (Zen 4).
Runs runs_for(std::size_t values) {
  constexpr std::size_t few = std::size_t{1} << 16;
  return values <= few ? Runs::at_once : Runs::anywhere;
}

/// A dense array of any number of axes.
template <class T>
using ArrayIn = AsItIs<const T, nb::c_contig, nb::device::cpu>;
/// NumPy's new array for the result: memory that it keeps for the next one, where the library's
/// would come from the system each time, and be cleared.
template <class T>
using ArrayOut = AsItIs<T, nb::c_contig, nb::device::cpu>;
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
  m.def("fft2", [](const Options& options, ArrayIn<C> in, ArrayOut<C> out, bool inverse) {
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

/// Signals along the last axis of an array on a GPU.
template <class T>
using There = AsItIs<const T, nb::c_contig, nb::device::cuda>;
template <class T>
using ThereOut = AsItIs<T, nb::c_contig, nb::device::cuda>;

/// body(context, signals in, signals out) of each row's n values to `to` values; queued.
template <class In, class Out, class Body>
void rows_at(const Options& options,
             const There<In>& x,
             std::int64_t n,
             const ThereOut<Out>& out,
             std::int64_t to,
             const Body& body) {
  const std::int64_t batch = n == 0 ? 0 : size_of(x) / n;
  Out* const first = written(out, "out", place_of(x), batch * to);
  if (batch == 0) return;
  call_at(place_of(x), options, Runs::at_once, [&](Context& context) {
    body(context, Signals<const In>(x.data(), n, batch), Signals<Out>(first, to, batch));
  });
}

template <class R>
void bind_rows(nb::module_& m) {
  using C = std::complex<R>;
  const auto length_of = [](const auto& x) { return extent(x, x.ndim() - 1); };
  m.def("fft", [=](const Options& options, There<C> x, ThereOut<C> out, bool inverse) {
    const std::int64_t n = length_of(x);
    rows_at(options, x, n, out, n, [&](Context& context, auto from, auto to) {
      fft(context, from, to, direction_of(inverse));
    });
  });
  m.def("rfft", [=](const Options& options, There<R> x, ThereOut<C> out) {
    const std::int64_t n = length_of(x);
    rows_at(options, x, n, out, n / 2 + 1, [](Context& context, auto from, auto to) {
      fft_real(context, from, to);
    });
  });
  m.def("irfft", [=](const Options& options, There<C> x, ThereOut<R> out, std::int64_t n) {
    const std::int64_t half = length_of(x);
    if (n < 1 || n / 2 + 1 != half) {
      throw usage_error("n: expected a length of {} = n / 2 + 1 values, got {}", half, n);
    }
    rows_at(options, x, half, out, n, [](Context& context, auto from, auto to) {
      inverse_fft_real(context, from, to);
    });
  });
  m.def("fft2", [=](const Options& options, There<C> x, ThereOut<C> out, bool inverse) {
    const std::int64_t cols = length_of(x);
    rows_at(options, x, cols, out, cols, [&](Context& context, auto from, auto to) {
      fft_2d(context,
             MatrixView<const C>(from.data, from.batch, cols),
             MatrixView<C>(to.data, from.batch, cols),
             direction_of(inverse));
    });
  });
  m.def("matmul",
        [](const Options& options,
           AnyRows<R> a,
           AnyRows<R> b,
           AsItIs<R, nb::ndim<2>, nb::c_contig> out) {
          check_same_device("b", b, a);
          const std::int64_t rows = extent(a, 0), cols = extent(b, 1);
          const MatrixView<R> product(written(out, "out", place_of(a), rows * cols), rows, cols);
          call_at(place_of(a), options, Runs::on_the_processor, [&](Context& context) {
            if (place_of(a) < 0 || rows * cols > 0)
              matmul(context, view_of(a), view_of(b), product);
          });
        });
}

#ifdef YUPANA_CUDA
/// fft() of signals on the GPU `place` by addresses, which the package has looked at.
void bind_queued(nb::module_& m) {
  m.def("fft_at",
        [](const Options& options,
           int place,
           std::uintptr_t x,
           std::uintptr_t out,
           std::int64_t n,
           std::int64_t batch,
           bool doubles,
           bool inverse) {
          call_at(place, options, Runs::at_once, [&](Context& context) {
            const auto transform = [&]<class C>(C* to) {
              const auto* from = reinterpret_cast<const C*>(x);
              fft(context,
                  Signals<const C>(from, n, batch),
                  Signals<C>(to, n, batch),
                  direction_of(inverse));
            };
            if (doubles) return transform(reinterpret_cast<std::complex<double>*>(out));
            transform(reinterpret_cast<std::complex<float>*>(out));
          });
        });
}
#endif

/// Doubles, or integers exactly.
template <class T>
void bind_polynomials(nb::module_& m) {
  m.def("polymul", [](const Options& options, AnyVector<T> a, AnyVector<T> b, AnyVectorOut<T> out) {
    check_same_device("b", b, a);
    const bool none = a.size() == 0 || b.size() == 0;
    const std::int64_t size = none ? 0 : size_of(a) + size_of(b) - 1;
    const std::span product(written(out, "out", place_of(a), size), out.size());
    if (none) return;
    call_at(place_of(a), options, [&](Context& context) {
      const std::span x(a.data(), a.size()), y(b.data(), b.size());
      if constexpr (std::is_integral_v<T>) {
        polymul_exact(context, x, y, product);
      } else {
        polymul(context, x, y, product);
      }
    });
  });
}

}  // namespace

void bind_spectral(nb::module_& module) {
  nb::module_ m = module.def_submodule("spectral", "Fourier transforms and exact products.");
  bind_axes<float>(m);
  bind_axes<double>(m);
  bind_rows<float>(m);
  bind_rows<double>(m);
#ifdef YUPANA_CUDA
  bind_queued(m);
#endif
  bind_polynomials<double>(m);
  bind_polynomials<std::int64_t>(m);
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
