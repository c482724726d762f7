#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <utility>

#include "python/bindings/call.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/error.hpp"

/// Arrays in the memory of a GPU, taken and given by DLPack. Only for CUDA builds.
namespace yupana::python {

using yupana::cuda::DeviceArray;

template <class T>
using DeviceVector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cuda>;
/// What a function writes to.
template <class T>
using DeviceVectorOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cuda>;
/// Values of any type.
using DeviceWords = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cuda>;
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

/// The same, of values that stand for those of another type of as many bytes.
template <class T>
nb::ndarray<nb::array_api, nb::device::cuda> given_as(DeviceArray<T>&& array,
                                                      nb::dlpack::dtype type,
                                                      int device) {
  const auto size = static_cast<std::size_t>(array.size());
  auto* kept = new DeviceArray<T>(std::move(array));
  const nb::capsule release(kept, [](void* p) noexcept { delete static_cast<DeviceArray<T>*>(p); });
  return nb::ndarray<nb::array_api, nb::device::cuda>(
      kept->data(), 1, &size, release, nullptr, type, nb::device::cuda::value, device);
}

template <class A, class B>
void check_same_device(const char* name, const A& a, const B& b) {
  if (a.device_id() == b.device_id()) return;
  throw Error(ErrorCode::usage,
              fmt::format("{}: an array on GPU {} wanted, where the other is, one on GPU {} given",
                          name,
                          a.device_id(),
                          b.device_id()));
}

/// Each family's functions on such arrays; `module` is _core.device.
void bind_device_fermat(nb::module_& module);
void bind_device_folds(nb::module_& module);
void bind_device_genotype(nb::module_& module);
void bind_device_graph(nb::module_& module);
void bind_device_order(nb::module_& module);
void bind_device_products(nb::module_& module);
void bind_device_som(nb::module_& module);
void bind_device_transforms(nb::module_& module);

}  // namespace yupana::python
