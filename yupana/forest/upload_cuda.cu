#include <algorithm>

#include "yupana/core/tiles.hpp"
#include "yupana/forest/upload_cuda.hpp"

namespace yupana::forest::cuda {

using yupana::cuda::check;

namespace {

// Threads fill pieces of their own and hand them to the bus: half a dozen of them on their way hide
// what a thread takes for one, and a piece is large enough for the bus's full rate.
constexpr std::size_t piece_bytes = std::size_t{512} << 10;
// Locking 12 MB of huge pages takes about 1 ms; the driver's own page-locked memory 5 to 20, as it
// is made of small pages, one device after the other.
constexpr std::uint64_t least_locked = std::uint64_t{32} << 20;

constexpr const char* doing = "copy to the device";

}  // namespace

Upload::Upload(Context& context, std::uint64_t bytes) : context_(context) {
  check(cudaGetDevice(&device_), "ask for the current device");
  if (bytes < least_locked) return;
  memory_ = Array<unsigned char>(slots * static_cast<std::int64_t>(piece_bytes));
  const cudaError_t locked =
      cudaHostRegister(memory_.data(), memory_.bytes(), cudaHostRegisterDefault);
  if (locked == cudaSuccess) return;
  cudaGetLastError();  // where the system locks no memory, copies are slower
  memory_ = {};
}

Upload::~Upload() {
  if (memory_.empty()) return;
  // After an error pieces may still be on their way.
  for (const Slot& slot : slots_) cudaEventSynchronize(slot.copied);
  cudaHostUnregister(memory_.data());
}

void Upload::send(void* to,
                  const void* whole,
                  std::int64_t count,
                  std::size_t size,
                  FunctionView<Fill> fill,
                  cudaStream_t stream) {
  if (count == 0) return;
  context_.count_moved(static_cast<std::uint64_t>(count) * size);
  if (memory_.empty()) {
    const std::size_t bytes = static_cast<std::size_t>(count) * size;
    Array<unsigned char> chosen(whole == nullptr ? static_cast<std::int64_t>(bytes) : 0);
    if (whole == nullptr) fill(0, count, chosen.data());
    check(cudaMemcpyAsync(
              to, whole == nullptr ? chosen.data() : whole, bytes, cudaMemcpyHostToDevice, stream),
          doing);
    return check(cudaStreamSynchronize(stream), doing);
  }
  const auto piece = static_cast<std::int64_t>(piece_bytes / size);
  context_.parallel_for(divide_up(count, piece), 1, [&](std::int64_t first, std::int64_t last) {
    // Not undone: the next work of this thread chooses its own.
    check(cudaSetDevice(device_), "choose a device");
    for (std::int64_t p = first; p < last; ++p) {
      const unsigned at = next_.fetch_add(1, std::memory_order_relaxed) % slots;
      Slot& slot = slots_[at];
      const std::lock_guard lock(slot.filling);
      slot.copied.wait();
      unsigned char* const filled = memory_.data() + at * piece_bytes;
      const std::int64_t begin = p * piece, end = std::min(count, begin + piece);
      fill(begin, end, filled);
      check(
          cudaMemcpyAsync(static_cast<unsigned char*>(to) + static_cast<std::size_t>(begin) * size,
                          filled,
                          static_cast<std::size_t>(end - begin) * size,
                          cudaMemcpyHostToDevice,
                          stream),
          doing);
      slot.copied.record(stream);
    }
  });
}

}  // namespace yupana::forest::cuda
