#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "python/bindings/choices.hpp"
#include "python/bindings/device_kept.hpp"
#include "python/bindings/device_views.hpp"
#include "python/bindings/numpy.hpp"
#include "yupana/arrays/device_arrays.hpp"

/// Calls on vectors in the memory of a GPU. Only for CUDA builds.
namespace yupana::python {

/// Scratch memory that calls on vectors of a device leave for the next ones.
struct DeviceScratch {
  arrays::cuda::Workspace space;
  DeviceArray<std::uint64_t> result{1};
  yupana::cuda::PinnedArray<std::uint64_t> fetched{1};
};

/// Scratch memory and the stream of a call.
struct DeviceSession {
  arrays::cuda::Workspace& space;
  cudaStream_t stream;
  DeviceScratch& scratch;
};

/// body(session), queued; see queue_on_device.
template <class Body>
void queue_with_scratch(const Options& options, int device, const Body& body) {
  queue_on_device(options, device, [&](cudaStream_t stream) {
    device::Kept<DeviceScratch>::with(
        stream,
        {},
        [] { return std::make_unique<DeviceScratch>(); },
        [&](DeviceScratch& scratch) {
          body(DeviceSession{scratch.space, stream, scratch});
          return scratch.space.bytes();
        });
  });
}

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

inline int bytes_of(const DeviceWords& words) {
  return static_cast<int>(words.dtype().bits) * words.dtype().lanes / 8;
}

inline bool same_type(const DeviceWords& a, const DeviceWords& b) { return a.dtype() == b.dtype(); }

}  // namespace yupana::python
