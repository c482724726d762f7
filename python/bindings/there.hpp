#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <utility>

#include "python/bindings/call.hpp"
#include "yupana/core/cuda/runtime.hpp"

/// Arrays in the memory of a GPU, taken and given by DLPack. Only for CUDA builds.
namespace yupana::python {

using yupana::cuda::DeviceArray;

template <class T>
using DeviceVector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cuda>;
template <class T>
using DeviceRows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cuda>;
template <class T>
using DeviceColumns = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cuda>;
template <class T>
using Given = nb::ndarray<nb::array_api, T, nb::device::cuda>;

/// An array is taken as it is: nanobind would have one of another type or order copied first.
inline auto taken(const char* name) { return nb::arg(name).noconvert(); }

/// call() of body(context) on the array's device, after all that was asked of that before, on
/// whatever stream: what makes the array has then ended.
template <class Body>
auto call_there(const Options& options, int device, const Body& body) {
  return call(options, [&](Context& context) {
    const yupana::cuda::DeviceScope scope(device);
    yupana::cuda::check(cudaDeviceSynchronize(), "wait for an array");
    return body(context);
  });
}

/// An array of DLPack that owns the memory.
template <class T>
Given<T> given(DeviceArray<T>&& array, std::initializer_list<std::size_t> shape, int device) {
  auto* kept = new DeviceArray<T>(std::move(array));
  const nb::capsule release(kept, [](void* p) noexcept { delete static_cast<DeviceArray<T>*>(p); });
  return Given<T>(kept->data(),
                  shape.size(),
                  shape.begin(),
                  release,
                  nullptr,
                  nb::dtype<T>(),
                  nb::device::cuda::value,
                  device);
}

/// Each family's functions on such arrays; `module` is _core.device.
void bind_device_genotype(nb::module_& module);
void bind_device_graph(nb::module_& module);
void bind_device_products(nb::module_& module);
void bind_device_som(nb::module_& module);

}  // namespace yupana::python
