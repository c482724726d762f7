// Products of polynomials and matrices in the memory of a GPU.
#ifdef YUPANA_CUDA
#include <span>

#include "python/bindings/device_summaries.hpp"
#include "python/bindings/device_views.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/spectral/device_matmul.hpp"
#include "yupana/spectral/device_polymul.hpp"
#include "yupana/spectral/polymul_backends.hpp"

namespace yupana::python {
namespace {

using yupana::cuda::check;
using yupana::cuda::Stream;

spectral::Magnitudes magnitudes_of(const std::int64_t* values, std::int64_t n) {
  const device::IntegersSummary summary = device::summarize_integers(values, n);
  return {summary.most, (static_cast<unsigned __int128>(summary.high) << 32) + summary.low, n};
}

void check_finite(const double* values, std::int64_t n, const char* name) {
  const unsigned long long first = device::first_not_finite(values, n);
  if (first == device::nowhere) return;
  throw input_error(
      "polymul: coefficient {} of {} is NaN or infinite; expected finite numbers", first, name);
}

template <class T>
void multiply(Context& context,
              const DeviceVector<T>& a,
              const DeviceVector<T>& b,
              DeviceArray<T>& out) {
  const auto a_size = static_cast<std::int64_t>(a.size());
  const auto b_size = static_cast<std::int64_t>(b.size());
  if constexpr (std::is_integral_v<T>) {
    const std::uint64_t bound = spectral::coefficient_bound(magnitudes_of(a.data(), a_size),
                                                            magnitudes_of(b.data(), b_size));
    context.check_cancelled();
    const Stream stream;
    spectral::cuda::DeviceProduct product(a_size, b_size, bound);
    product.run(a.data(), b.data(), out.data(), stream);
    stream.wait();
  } else {
    check_finite(a.data(), a_size, "a");
    check_finite(b.data(), b_size, "b");
    spectral::cuda::polymul(context,
                            std::span(a.data(), a.size()),
                            std::span(b.data(), b.size()),
                            std::span(out.data(), static_cast<std::size_t>(out.size())));
  }
}

template <class T>
void bind_polynomials(nb::module_& m) {
  m.def(
      "polymul",
      [](const Options& options, DeviceVector<T> a, DeviceVector<T> b) {
        check_same_device("b", a, b);
        const std::size_t size = a.size() == 0 || b.size() == 0 ? 0 : a.size() + b.size() - 1;
        return made_on_device(options, a.device_id(), {size}, [&](Context& context) {
          DeviceArray<T> out(static_cast<std::int64_t>(size));
          if (size > 0) multiply<T>(context, a, b, out);
          return out;
        });
      },
      nb::arg("options"),
      taken("a"),
      taken("b"));
}

template <class T>
void bind_matrices(nb::module_& m) {
  m.def(
      "matmul",
      [](const Options& options, DeviceRows<T> a, DeviceRows<T> b) {
        check_same_device("b", a, b);
        if (a.shape(1) != b.shape(0)) {
          throw input_error("matmul: expected m x k times k x n, got {} x {} times {} x {}",
                            a.shape(0),
                            a.shape(1),
                            b.shape(0),
                            b.shape(1));
        }
        const auto rows = static_cast<std::int64_t>(a.shape(0));
        const auto deep = static_cast<std::int64_t>(a.shape(1));
        const auto cols = static_cast<std::int64_t>(b.shape(1));
        const auto product = [&](Context& context) {
          DeviceArray<T> out(rows * cols);
          if (out.empty()) return out;
          const Stream stream;
          if (deep == 0) {
            check(cudaMemsetAsync(out.data(), 0, out.bytes(), stream), "clear a product");
          } else {
            spectral::cuda::matmul<T>(context,
                                      {a.data(), rows, deep},
                                      {b.data(), deep, cols},
                                      {out.data(), rows, cols},
                                      0,
                                      stream);
          }
          stream.wait();
          return out;
        };
        return made_on_device(options, a.device_id(), {a.shape(0), b.shape(1)}, product);
      },
      nb::arg("options"),
      taken("a"),
      taken("b"));
}

}  // namespace

void bind_device_products(nb::module_& m) {
  bind_polynomials<std::int64_t>(m);
  bind_polynomials<double>(m);
  bind_matrices<float>(m);
  bind_matrices<double>(m);
}

}  // namespace yupana::python

#endif
