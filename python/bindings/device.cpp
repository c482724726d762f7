#include "python/bindings/call.hpp"

// Arrays in the memory of a GPU: taken and given by DLPack, never copied to the host.
#ifdef YUPANA_CUDA
#include <nanobind/ndarray.h>

#include "python/bindings/numpy.hpp"
#include "python/bindings/there.hpp"
#include "yupana/core/cuda/runtime.hpp"

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

}  // namespace

void bind_device(nb::module_& module) {
  nb::module_ m = module.def_submodule("device", "Arrays in the memory of a GPU.");
  bind_host<std::int32_t>(m);
  bind_host<std::int64_t>(m);
  bind_host<float>(m);
  bind_host<double>(m);
  m.def(
      "wait", [](int device) { on_device(device, [] {}); }, nb::arg("device"));
  // For tests: where a function finds an array's values.
  m.def(
      "address",
      [](nb::ndarray<nb::ro, nb::device::cuda> x) {
        return reinterpret_cast<std::uintptr_t>(x.data());
      },
      taken("x"));
  bind_device_fermat(m);
  bind_device_folds(m);
  bind_device_genotype(m);
  bind_device_graph(m);
  bind_device_order(m);
  bind_device_products(m);
  bind_device_som(m);
  bind_device_transforms(m);
}

}  // namespace yupana::python

#else

namespace yupana::python {

/// Without the CUDA backend there are no such arrays to take.
void bind_device(nb::module_&) {}

}  // namespace yupana::python

#endif
