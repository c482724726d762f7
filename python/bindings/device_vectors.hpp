#pragma once

#include <nanobind/stl/optional.h>

#include <optional>
#include <utility>

#include "python/bindings/choices.hpp"
#include "python/bindings/device_views.hpp"
#include "python/bindings/numpy.hpp"
#include "yupana/arrays/device_arrays.hpp"

/// Calls on vectors in the memory of a GPU. Only for CUDA builds.
namespace yupana::python {

/// Scratch memory and stream of a call, made on the array's device.
struct DeviceSession {
  arrays::cuda::Workspace space;
  yupana::cuda::Stream stream;
};

template <class T>
void copy_async(T* to, const T* from, std::int64_t n, cudaStream_t stream) {
  if (n == 0 || to == from) return;
  const auto bytes = static_cast<std::size_t>(n) * sizeof(T);
  yupana::cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "copy an array");
}

template <class T>
DeviceArray<T> copied(const T* from, std::int64_t n, cudaStream_t stream) {
  DeviceArray<T> copy(n);
  copy_async(copy.data(), from, n, stream);
  return copy;
}

/// A new array, or the caller's: `in` itself, or one apart from it.
template <class T>
struct Output {
  Output(const DeviceVector<T>& in, const std::optional<DeviceVectorOut<T>>& out) {
    if (!out) return;
    check_same_device("out", *out, in);
    check_size("out", size_of(in), size_of(*out));
    callers = out->data();
    const bool apart = callers + in.size() <= in.data() || in.data() + in.size() <= callers;
    if (callers != in.data() && !apart) {
      throw Error(ErrorCode::usage, "out: expected the array itself or one apart from it");
    }
  }
  /// Where to write; on the array's device.
  T* place(std::int64_t n) {
    if (callers != nullptr || n == 0) return callers;
    made = DeviceArray<T>(n);
    return made.data();
  }
  T* callers = nullptr;
  DeviceArray<T> made;
};

template <class T>
using Written = std::optional<DlpackArray<T>>;

/// None where the caller's array was written to.
template <class T>
Written<T> written(Output<T>&& output, bool is_given, const DeviceVector<T>& in) {
  if (is_given) return std::nullopt;
  return to_dlpack(std::move(output.made), {in.size()}, in.device_id());
}

inline int bytes_of(const DeviceWords& words) {
  return static_cast<int>(words.dtype().bits) * words.dtype().lanes / 8;
}

inline bool same_type(const DeviceWords& a, const DeviceWords& b) { return a.dtype() == b.dtype(); }

}  // namespace yupana::python
