#include "python/bindings/call.hpp"

// Arrays in the memory of a GPU: taken and returned by DLPack, never copied to the host.
#ifdef YUPANA_CUDA
#include <nanobind/ndarray.h>

#include "python/bindings/device_views.hpp"
#include "python/bindings/numpy.hpp"
#include "yupana/core/cuda/runtime.hpp"

namespace yupana::python {
namespace {

using yupana::cuda::DeviceScope;

/// body() on the array's device, after all work queued there, without the interpreter's lock.
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
          Array<T> out(size_of(in));
          fetch(in.data(), out.size(), out.data());
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
  // Named as the families' own modules, with the same arguments.
  nb::module_ arrays = m.def_submodule("arrays");
  bind_device_folds(arrays);
  bind_device_order(arrays);
  nb::module_ spectral = m.def_submodule("spectral");
  bind_device_products(spectral);
  bind_device_transforms(spectral);
  nb::module_ graph = m.def_submodule("graph");
  bind_device_fermat(graph);
  bind_device_graph(graph);
  nb::module_ genotype = m.def_submodule("genotype");
  bind_device_genotype(genotype);
  nb::module_ geometry = m.def_submodule("geometry");
  bind_device_geometry(geometry);
  nb::module_ som = m.def_submodule("som");
  bind_device_som(som);
}

}  // namespace yupana::python

#else

namespace yupana::python {

/// Without the CUDA backend there are no such arrays to take.
void bind_device(nb::module_&) {}

}  // namespace yupana::python

#endif
