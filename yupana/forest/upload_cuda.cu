#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstring>

#include "yupana/core/tiles.hpp"
#include "yupana/forest/upload_cuda.hpp"

namespace yupana::forest::cuda {

using yupana::cuda::check;

namespace {

// Threads fill pieces of their own and hand them to the bus: a few on their way hide what a thread
// takes for one, and large ones ask the driver seldom, which serves one thread at a time.
constexpr std::size_t piece_bytes = std::size_t{1} << 20;
// Locking 16 MB that are there takes 0.5 ms; the driver's own page-locked memory 7 ms, and more
// where several devices ask.
constexpr std::uint64_t least_locked = std::uint64_t{32} << 20;

constexpr std::int64_t page = 4096;
constexpr const char* doing = "copy to the device";

}  // namespace

void Upload::write_through(void* to, const void* from, std::size_t bytes) {
#ifdef __SSE2__
  auto* target = static_cast<__m128i*>(to);
  const auto* source = static_cast<const __m128i*>(from);
  std::size_t left = bytes;
  for (; left >= 64; left -= 64, target += 4, source += 4) {
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  std::memcpy(target, source, left);
  _mm_sfence();
#else
  std::memcpy(to, from, bytes);
#endif
}

Upload::Upload(Context& context, std::uint64_t bytes) : context_(context) {
  check(cudaGetDevice(&device_), "ask for the current device");
  if (bytes < least_locked) return;
  memory_ = Array<unsigned char>(std::int64_t{slots} * static_cast<std::int64_t>(piece_bytes));
  // Pages are made by all threads; locking them then is the small part, and devices take turns at
  // it.
  context.parallel_for(memory_.size() / page, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) memory_[p * page] = 0;
  });
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
  const std::int64_t pieces = divide_up(count, piece);
  std::atomic<std::int64_t> next{0};
  const auto send_next = [&](std::int64_t p) {
    const unsigned at = (next_ + static_cast<unsigned>(p % slots)) % slots;
    Slot& slot = slots_[at];
    const std::lock_guard lock(slot.filling);
    slot.copied.wait();
    unsigned char* const filled = memory_.data() + at * piece_bytes;
    const std::int64_t begin = p * piece, end = std::min(count, begin + piece);
    fill(begin, end, filled);
    check(cudaMemcpyAsync(static_cast<unsigned char*>(to) + static_cast<std::size_t>(begin) * size,
                          filled,
                          static_cast<std::size_t>(end - begin) * size,
                          cudaMemcpyHostToDevice,
                          stream),
          doing);
    slot.copied.record(stream);
  };
  context_.parallel_for(std::min<std::int64_t>(pieces, slots), 1, [&](std::int64_t, std::int64_t) {
    // Also in a thread of another device, which helps while it waits for its own pieces.
    const yupana::cuda::DeviceScope scope(device_);
    for (std::int64_t p = next++; p < pieces; p = next++) send_next(p);
  });
  next_ = (next_ + static_cast<unsigned>(pieces % slots)) % slots;
}

}  // namespace yupana::forest::cuda
