#include "python/bindings/call.hpp"

// Arrays in the memory of a GPU: taken and given by DLPack, never copied to the host.
#ifdef YUPANA_CUDA
#include <nanobind/ndarray.h>
#include <nanobind/stl/complex.h>

#include <complex>

#include "python/bindings/device_arrays.hpp"
#include "python/bindings/numpy.hpp"
#include "python/bindings/there.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/spectral/device_fft.hpp"

namespace yupana::python {
namespace {

using yupana::cuda::DeviceScope;

/// body() on the array's device, after all that was asked of it before, and without the
/// interpreter's lock.
template <class Body>
auto on_device(int device, const Body& body) {
  const nb::gil_scoped_release unlocked;
  const DeviceScope scope(device);
  yupana::cuda::check(cudaDeviceSynchronize(), "wait for an array");
  return body();
}

template <class T>
void bind_vectors(nb::module_& m) {
  m.def(
      "inclusive_scan",
      [](DeviceVector<T> in) {
        const auto n = static_cast<std::int64_t>(in.size());
        return given(on_device(in.device_id(),
                               [&] {
                                 DeviceArray<T> out(n);
                                 device::inclusive_scan(in.data(), n, out.data());
                                 return out;
                               }),
                     {in.size()},
                     in.device_id());
      },
      taken("x"));
  m.def(
      "reduce",
      [](DeviceVector<T> in) {
        return on_device(in.device_id(), [&] {
          return device::reduce(in.data(), static_cast<std::int64_t>(in.size()));
        });
      },
      taken("x"));
  m.def(
      "sort",
      [](DeviceVector<T> in) {
        const auto n = static_cast<std::int64_t>(in.size());
        return given(
            on_device(in.device_id(),
                      [&] {
                        DeviceArray<T> keys(n);
                        yupana::cuda::check(
                            cudaMemcpy(
                                keys.data(), in.data(), keys.bytes(), cudaMemcpyDeviceToDevice),
                            "copy keys");
                        device::sort(keys.data(), n);
                        return keys;
                      }),
            {in.size()},
            in.device_id());
      },
      taken("x"));
}

/// Models and tables that the host needs too are small or copied once.
template <class T>
void bind_host(nb::module_& m) {
  m.def(
      "host",
      [](DeviceVector<T> in) {
        return to_numpy(on_device(in.device_id(), [&] {
          Array<T> out(static_cast<std::int64_t>(in.size()));
          yupana::cuda::check(
              cudaMemcpy(out.data(), in.data(), out.bytes(), cudaMemcpyDeviceToHost),
              "copy to the host");
          return out;
        }));
      },
      taken("x"));
}

template <class R>
void bind_fft(nb::module_& m) {
  using C = std::complex<R>;
  m.def(
      "fft",
      [](DeviceRows<C> in, bool inverse) {
        const auto batch = static_cast<std::int64_t>(in.shape(0));
        const auto n = static_cast<std::int64_t>(in.shape(1));
        return given(on_device(in.device_id(),
                               [&] {
                                 DeviceArray<C> out(n * batch);
                                 if (n == 0 || batch == 0) return out;
                                 const yupana::cuda::Stream stream;
                                 spectral::cuda::DeviceFft<R> plan(n, batch);
                                 plan.run(in.data(),
                                          out.data(),
                                          inverse ? spectral::Direction::inverse
                                                  : spectral::Direction::forward,
                                          stream);
                                 stream.wait();
                                 return out;
                               }),
                     {in.shape(0), in.shape(1)},
                     in.device_id());
      },
      taken("x"),
      nb::arg("inverse"));
}

}  // namespace

void bind_device(nb::module_& module) {
  nb::module_ m = module.def_submodule("device", "Arrays in the memory of a GPU.");
  bind_vectors<std::int32_t>(m);
  bind_vectors<std::int64_t>(m);
  bind_vectors<std::uint32_t>(m);
  bind_vectors<std::uint64_t>(m);
  bind_vectors<float>(m);
  bind_vectors<double>(m);
  bind_fft<float>(m);
  bind_fft<double>(m);
  bind_host<std::int32_t>(m);
  bind_host<float>(m);
  bind_host<double>(m);
  // For tests: where a function finds an array's values.
  m.def(
      "address",
      [](nb::ndarray<nb::ro, nb::device::cuda> x) {
        return reinterpret_cast<std::uintptr_t>(x.data());
      },
      taken("x"));
  bind_device_genotype(m);
  bind_device_graph(m);
  bind_device_products(m);
  bind_device_som(m);
}

}  // namespace yupana::python

#else

namespace yupana::python {

/// Without the CUDA backend there are no such arrays to take.
void bind_device(nb::module_&) {}

}  // namespace yupana::python

#endif
