#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/error.hpp"

/// Basis of every CUDA version: owners of device memory, pinned memory, streams and events.
/// Only files of the CUDA build include this.
namespace yupana::cuda {

/// Throws for a failed call: out_of_resources where memory was short, device otherwise. `doing`
/// says what was tried, for the message.
void check(cudaError_t status, const char* doing, Place place = Place::here());

/// Throws if the last kernel launch was refused.
inline void check_launch(const char* kernel, Place place = Place::here()) {
  check(cudaGetLastError(), kernel, place);
}

/// Makes a device current for a block of code and the earlier one again after it.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = 0;
};

/// Lets devices read each other's memory directly where the machine can; copies between them work
/// either way.
void connect(const std::vector<int>& devices);

/// Bytes free on the current device now, blocks among them that are kept for the next arrays.
std::uint64_t free_device_memory();

/// Allocation on the current device; throws out_of_resources with the bytes expected and free.
void* allocate_device(std::uint64_t bytes);
/// Gives back what allocate_device() gave, on whatever device, once all work queued there is done.
/// Blocks up to 256 MiB are kept for the next call that takes as many bytes, at most 1 GiB together
/// and a 32nd of the memory, and given back where an allocation finds memory short.
void free_device(void* memory, std::uint64_t bytes) noexcept;
/// `release` gives back memory that is kept for later, on whatever device and from whatever thread,
/// and takes none; called where an allocation finds too little, which is then tried once more. For
/// the life of the process.
void on_shortage(void (*release)());
void* allocate_pinned(std::uint64_t bytes);
inline void free_pinned(void* memory, std::uint64_t) noexcept { cudaFreeHost(memory); }

/// On the device that was current when it was made.
template <class T>
using DeviceArray = OwnedArray<T, allocate_device, free_device>;
/// Page-locked host memory, from which copies overlap kernels.
template <class T>
using PinnedArray = OwnedArray<T, allocate_pinned, free_pinned>;

/// Returns memory for at least `size` values; reallocates where the array is smaller.
template <class T>
T* room_of(DeviceArray<T>& array, std::int64_t size) {
  if (array.size() < size) {
    array = {};  // the old memory first
    array = DeviceArray<T>(size);
  }
  return array.data();
}

/// Copies bytes from host memory to the current device's; they have arrived when it returns. From
/// pageable memory cudaMemcpy alone returns while they are in flight, and our streams do not wait
/// for it.
void upload_bytes(const char* doing, void* to, const void* from, std::uint64_t bytes);
template <class T>
void upload(const char* doing, T* to, const T* from, std::int64_t count) {
  upload_bytes(doing, to, from, static_cast<std::uint64_t>(count) * sizeof(T));
}
/// The values in memory of the current device.
template <class T>
DeviceArray<T> uploaded(const char* doing, const std::vector<T>& values) {
  DeviceArray<T> array(static_cast<std::int64_t>(values.size()));
  upload(doing, array.data(), values.data(), array.size());
  return array;
}

/// Rows in host or device memory: the first one and the bytes from one to the next.
struct RowsTo {
  void* data;
  std::size_t pitch;
};
struct RowsFrom {
  const void* data;
  std::size_t pitch;
};

/// Copies `rows` rows of `width` bytes, in stream order. Rows without gaps travel in one piece, and
/// rows too far apart for the driver's pitch (2^31 - 1 bytes) one by one.
void copy_rows(const char* doing,
               RowsTo to,
               RowsFrom from,
               std::size_t width,
               std::int64_t rows,
               cudaStream_t stream);

/// A stream of the current device that does not wait for the default stream.
class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "make a stream"); }
  /// A stream whose waiting kernels start before those of other streams.
  static Stream urgent() {
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "query priorities");
    Stream stream(nullptr);
    check(cudaStreamCreateWithPriority(&stream.stream_, cudaStreamNonBlocking, greatest),
          "make a stream");
    return stream;
  }
  ~Stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }
  operator cudaStream_t() const { return stream_; }
  void wait() const { check(cudaStreamSynchronize(stream_), "wait for a stream"); }

 private:
  explicit Stream(cudaStream_t stream) : stream_(stream) {}
  cudaStream_t stream_ = nullptr;
};

/// A point in a stream that another stream, or the host, can wait for; `timed` ones measure.
class Event {
 public:
  explicit Event(bool timed = false) {
    check(cudaEventCreateWithFlags(&event_, timed ? cudaEventDefault : cudaEventDisableTiming),
          "make an event");
  }
  /// A point that another process may wait for too.
  static Event interprocess() {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess),
          "make an event");
    return Event(event);
  }
  /// A point of another process.
  static Event opened(const cudaIpcEventHandle_t& handle) {
    cudaEvent_t event = nullptr;
    check(cudaIpcOpenEventHandle(&event, handle), "open an event of another process");
    return Event(event);
  }
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  operator cudaEvent_t() const { return event_; }
  void record(cudaStream_t stream) const { check(cudaEventRecord(event_, stream), "mark a point"); }
  void wait() const { check(cudaEventSynchronize(event_), "wait for a point"); }
  /// `stream` continues only after this point.
  void hold(cudaStream_t stream) const {
    check(cudaStreamWaitEvent(stream, event_, 0), "order two streams");
  }

 private:
  explicit Event(cudaEvent_t event) : event_(event) {}
  cudaEvent_t event_ = nullptr;
};

/// Seconds between two timed points that have passed.
double seconds_between(const Event& first, const Event& second);

}  // namespace yupana::cuda
