#pragma once

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

#include "python/bindings/call.hpp"
#include "python/bindings/numpy.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/error.hpp"

/// Arrays in the memory of a GPU, taken and returned by DLPack. Only for CUDA builds.
namespace yupana::python {

using yupana::cuda::DeviceArray;

template <class T>
using DeviceVector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cuda>;
/// An output.
template <class T>
using DeviceVectorOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cuda>;
/// Values of any type.
using DeviceWords = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cuda>;
template <class T>
using DeviceRows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cuda>;
template <class T>
using DeviceColumns = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cuda>;
template <class T>
using DlpackArray = nb::ndarray<nb::array_api, T, nb::device::cuda>;
using DlpackWords = nb::ndarray<nb::array_api, nb::device::cuda>;

/// call() of body(context) on the array's device, after all work queued there on any stream, so
/// that the array is complete.
template <class Body>
auto call_on_device(const Options& options, int device, const Body& body) {
  return call(options, [&](Context& context) {
    const yupana::cuda::DeviceScope scope(device);
    yupana::cuda::check(cudaDeviceSynchronize(), "wait for an array");
    return body(context);
  });
}

/// body(stream) at once, on this thread without the interpreter's lock, for work that is queued in
/// microseconds and that no signal stops: on the stream of the caller's library, so that nobody
/// waits. Where the library does not say which, after all work of the device, and waited for.
template <class Body>
void queue_on_device(const Options& options, int device, const Body& body) {
  const nb::gil_scoped_release unlocked;
  const yupana::cuda::DeviceScope scope(device);
  if (!options.stream) yupana::cuda::check(cudaDeviceSynchronize(), "wait for an array");
  const auto stream = reinterpret_cast<cudaStream_t>(options.stream.value_or(0));
  body(stream);
  if (!options.stream) yupana::cuda::check(cudaStreamSynchronize(stream), "wait for a result");
}

/// An array of DLPack that owns the memory, of a type of as many bytes.
template <class Result, class T>
Result to_dlpack_as(DeviceArray<T>&& array,
                    std::initializer_list<std::size_t> shape,
                    nb::dlpack::dtype type,
                    int device) {
  auto* kept = new DeviceArray<T>(std::move(array));
  const nb::capsule release(kept, [](void* p) noexcept { delete static_cast<DeviceArray<T>*>(p); });
  return Result(kept->data(),
                shape.size(),
                shape.begin(),
                release,
                nullptr,
                type,
                nb::device::cuda::value,
                device);
}

template <class T>
DlpackArray<T> to_dlpack(DeviceArray<T>&& array,
                         std::initializer_list<std::size_t> shape,
                         int device) {
  return to_dlpack_as<DlpackArray<T>>(std::move(array), shape, nb::dtype<T>(), device);
}

/// The array that body(context) makes on the device, with its shape.
template <class Body>
auto made_on_device(const Options& options,
                    int device,
                    std::initializer_list<std::size_t> shape,
                    const Body& body) {
  return to_dlpack(call_on_device(options, device, body), shape, device);
}

/// A vector whose words are values of another type of as many bytes.
template <class T>
DlpackWords to_dlpack(DeviceArray<T>&& array, nb::dlpack::dtype type, int device) {
  const auto size = static_cast<std::size_t>(array.size());
  return to_dlpack_as<DlpackWords>(std::move(array), {size}, type, device);
}

/// A new vector on a device; None where the caller's array was written to.
template <class T>
using Made = std::optional<DlpackArray<T>>;
template <class T>
Made<T> made_unless(bool written, DeviceArray<T>&& array, int device) {
  if (written) return std::nullopt;
  const auto size = static_cast<std::size_t>(array.size());
  return to_dlpack(std::move(array), {size}, device);
}

/// A value, or `n` of them, on the host.
template <class T>
void fetch(const T* from, std::int64_t n, T* to) {
  yupana::cuda::check(
      cudaMemcpy(to, from, static_cast<std::size_t>(n) * sizeof(T), cudaMemcpyDeviceToHost),
      "copy to the host");
}
template <class T>
T fetched(const T* from) {
  T value{};
  fetch(from, 1, &value);
  return value;
}

template <class A, class B>
void check_same_device(const char* name, const A& a, const B& b) {
  if (a.device_id() == b.device_id()) return;
  throw Error(ErrorCode::usage,
              fmt::format("{}: expected an array on GPU {}, where the other is, got one on GPU {}",
                          name,
                          a.device_id(),
                          b.device_id()));
}

/// Functions on such arrays; `module` is the family's in _core.device.
void bind_device_fermat(nb::module_& module);
void bind_device_folds(nb::module_& module);
void bind_device_genotype(nb::module_& module);
void bind_device_geometry(nb::module_& module);
void bind_device_graph(nb::module_& module);
void bind_device_order(nb::module_& module);
void bind_device_products(nb::module_& module);
void bind_device_som(nb::module_& module);
void bind_device_transforms(nb::module_& module);

}  // namespace yupana::python
