#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "yupana/arrays/arrays_cuda.hpp"
#include "yupana/arrays/workspace_cuda.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/cuda/call_stream.hpp"
#include "yupana/core/cuda/kept.hpp"
#include "yupana/core/cuda/place.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/machine.hpp"

/// Arrays that lie on a GPU, and host arrays to the device and back.
namespace yupana::arrays::cuda {

/// What a call on arrays of a GPU leaves for the next one there.
struct KeptSpace {
  Workspace space;
  yupana::cuda::DeviceArray<std::uint64_t> result{1};
};

/// use(kept, stream) on the GPU where `array` lies, queued on the context's stream or waited for;
/// false where it lies on the host.
template <class Use>
bool on_its_gpu(Context& context, const void* array, const Use& use) {
  using yupana::cuda::Kept;
  const int device = yupana::cuda::device_of(context, array);
  if (device < 0) return false;
  context.check_cancelled();
  const yupana::cuda::DeviceScope scope(device);
  const yupana::cuda::CallStream stream(context);
  const auto make = [] { return std::make_unique<KeptSpace>(); };
  Kept<KeptSpace>::with(stream, {}, make, [&](KeptSpace& kept) {
    use(kept, stream);
    return kept.space.bytes();
  });
  stream.finish();
  return true;
}

/// A number of a GPU's memory, waited for.
template <class T>
T fetched(KeptSpace& kept, cudaStream_t stream, const T* number) {
  auto* const copy = static_cast<T*>(kept.space.for_host(sizeof(T)));
  yupana::cuda::check(cudaMemcpyAsync(copy, number, sizeof(T), cudaMemcpyDeviceToHost, stream),
                      "copy a number");
  yupana::cuda::check(cudaStreamSynchronize(stream), "copy a number");
  return *copy;
}

/// The context's first GPU, with a stream and a workspace.
class DeviceSession {
 public:
  explicit DeviceSession(Context& context) : context_(context), scope_(context.devices().front()) {}

  /// Throws out_of_resources, with the plan, if `bytes` for `what` are more than may be used.
  void require(std::uint64_t bytes, const char* what) const {
    if (bytes <= context_.gpu_memory()) return;
    throw Error(ErrorCode::out_of_resources,
                fmt::format("{}: {} of GPU memory expected for the arrays and the working "
                            "space, got {}; raise --gpu-memory, or use --device cpu",
                            what,
                            needed_bytes(static_cast<double>(bytes)),
                            allowed_bytes(static_cast<double>(context_.gpu_memory()))));
  }

  Workspace& space() { return space_; }
  cudaStream_t stream() const { return stream_; }

  template <class T>
  void upload(yupana::cuda::DeviceArray<T>& to, const T* from, std::int64_t n) {
    upload(to.data(), from, n);
  }
  template <class T>
  void upload(T* to, const T* from, std::int64_t n) {
    copy(to, from, n, cudaMemcpyHostToDevice);
  }
  template <class T>
  void download(T* to, const T* from, std::int64_t n) {
    copy(to, from, n, cudaMemcpyDeviceToHost);
  }

 private:
  template <class T>
  void copy(T* to, const T* from, std::int64_t n, cudaMemcpyKind kind) {
    if (n <= 0) return;
    context_.check_cancelled();
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
    yupana::cuda::check(cudaMemcpyAsync(to, from, bytes, kind, stream_), "copy an array");
    yupana::cuda::check(cudaStreamSynchronize(stream_), "copy an array");
    context_.count_moved(bytes);
  }

  Context& context_;
  yupana::cuda::DeviceScope scope_;
  yupana::cuda::Stream stream_;
  Workspace space_;
};

/// Bytes of n values.
template <class T>
std::uint64_t bytes_of(std::int64_t n) {
  return n > 0 ? static_cast<std::uint64_t>(n) * sizeof(T) : 0;
}

/// Values on the device at a time: 256 MiB. Whole tiles of the CPU's and groups of PrefixOrder,
/// which floats are added in; it must not depend on the memory there is.
template <class T>
inline constexpr std::int64_t host_chunk = (std::int64_t{256} << 20) /
                                           static_cast<std::int64_t>(sizeof(T));

}  // namespace yupana::arrays::cuda
