#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <list>
#include <mutex>
#include <new>
#include <string>

#include "yupana/core/cuda/device.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/machine.hpp"

namespace yupana::cuda {
namespace {

std::atomic<bool> has_allocated{false};

std::string device_name() {
  int device = 0;
  cudaDeviceProp properties{};
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
    return "the GPU";
  }
  return fmt::format("cuda:{} ({})", device, properties.name);
}

/// Those who keep memory for later; never destroyed, as they are not.
struct Keepers {
  std::mutex mutex;
  std::vector<void (*)()> release;
};
Keepers& keepers() {
  static Keepers& all = *new Keepers;
  return all;
}

/// allocate(), and once more with all that was kept if memory was short.
template <class Allocate>
cudaError_t with_what_was_kept(const Allocate& allocate) {
  const cudaError_t status = allocate();
  if (status != cudaErrorMemoryAllocation) return status;
  cudaGetLastError();
  std::vector<void (*)()> release;
  {
    const std::lock_guard lock(keepers().mutex);
    release = keepers().release;
  }
  for (void (*const give_back)() : release) give_back();
  return allocate();
}

/// Blocks that were given back, for the next call that takes as many bytes: to map one and to unmap
/// it takes the driver 0.1 ms each, as long as all the work of a small call. No result depends on
/// it.
class KeptBlocks {
 public:
  static KeptBlocks& instance() {
    // Never destroyed: at the end of a process the driver may be gone before it.
    static KeptBlocks& one = *new KeptBlocks;
    return one;
  }

  /// A block of the current device; null: none of this size is kept.
  void* take(std::uint64_t bytes) {
    int device = 0;
    if (bytes > largest || cudaGetDevice(&device) != cudaSuccess) return nullptr;
    std::call_once(sized_, [&] {
      std::size_t available = 0, total = most_ever * 32;
      if (cudaMemGetInfo(&available, &total) != cudaSuccess) cudaGetLastError();
      most_ = std::min<std::uint64_t>(most_, total / 32);
    });
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Block& block) {
      return block.device == device && block.bytes == bytes;
    });
    if (found == kept_.end()) return nullptr;
    void* const memory = found->memory;
    bytes_ -= bytes;
    kept_.erase(found);
    return memory;
  }

  /// Waits for the device's work, as the driver does. False: the block is the caller's to free.
  bool keep(void* memory, std::uint64_t bytes) noexcept {
    if (bytes > std::min(largest, most_.load())) return false;
    cudaPointerAttributes facts{};
    int before = 0;
    if (cudaGetDevice(&before) != cudaSuccess ||
        cudaPointerGetAttributes(&facts, memory) != cudaSuccess) {
      return false;
    }
    cudaSetDevice(facts.device);
    const bool done = cudaDeviceSynchronize() == cudaSuccess;
    cudaSetDevice(before);
    if (!done) return false;
    try {
      std::list<Block> one = {{facts.device, bytes, memory}};
      const std::lock_guard lock(mutex_);
      kept_.splice(kept_.begin(), one);
      bytes_ += bytes;
      while (bytes_ > most_) drop_oldest();
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  /// Of the current device.
  std::uint64_t bytes() {
    int device = 0;
    check(cudaGetDevice(&device), "ask for the current device");
    const std::lock_guard lock(mutex_);
    std::uint64_t sum = 0;
    for (const Block& block : kept_) sum += block.device == device ? block.bytes : 0;
    return sum;
  }

  void limit(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    most_ = std::min(bytes, most_ever);
    while (bytes_ > most_) drop_oldest();
  }

 private:
  struct Block {
    int device;
    std::uint64_t bytes;
    void* memory;
  };
  static constexpr std::uint64_t largest = std::uint64_t{256} << 20;
  static constexpr std::uint64_t most_ever = std::uint64_t{1} << 30;

  KeptBlocks() {
    on_shortage([] { instance().release(); });
  }
  void release() {
    const std::lock_guard lock(mutex_);
    while (!kept_.empty()) drop_oldest();
  }
  void drop_oldest() noexcept {
    cudaFree(kept_.back().memory);
    bytes_ -= kept_.back().bytes;
    kept_.pop_back();
  }

  std::mutex mutex_;
  std::list<Block> kept_;  ///< the newest first
  std::uint64_t bytes_ = 0;
  std::once_flag sized_;
  std::atomic<std::uint64_t> most_{most_ever};
};

}  // namespace

void on_shortage(void (*release)()) {
  const std::lock_guard lock(keepers().mutex);
  keepers().release.push_back(release);
}

void check(cudaError_t status, const char* doing, Place place) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // a refused call must not be blamed on the next one
  if (status == cudaErrorMemoryAllocation) {
    throw Error(ErrorCode::out_of_resources,
                fmt::format("{}: not enough memory on {}; lower --gpu-memory, or use --device cpu",
                            doing,
                            device_name()),
                place);
  }
  throw Error(ErrorCode::device,
              fmt::format("{}: {} failed: {} ({})",
                          device_name(),
                          doing,
                          cudaGetErrorString(status),
                          cudaGetErrorName(status)),
              place);
}

DeviceScope::DeviceScope(int device) {
  check(cudaGetDevice(&before_), "query the current device");
  check(cudaSetDevice(device), "choose a device");
}

DeviceScope::~DeviceScope() { cudaSetDevice(before_); }

void connect(const std::vector<int>& devices) {
  for (const int from : devices) {
    const DeviceScope scope(from);
    for (const int to : devices) {
      int possible = 0;
      if (to == from || cudaDeviceCanAccessPeer(&possible, from, to) != cudaSuccess) continue;
      // Refused where it is on already; copies then take the way through the host or the same one.
      if (possible != 0 && cudaDeviceEnablePeerAccess(to, 0) != cudaSuccess) cudaGetLastError();
    }
  }
}

std::uint64_t free_device_memory() {
  std::size_t available = 0, total = 0;
  check(cudaMemGetInfo(&available, &total), "query free memory");
  return available + KeptBlocks::instance().bytes();
}

bool was_used() { return has_allocated; }

void keep_at_most(std::uint64_t bytes) { KeptBlocks::instance().limit(bytes); }

void free_device(void* memory, std::uint64_t bytes) noexcept {
  if (!KeptBlocks::instance().keep(memory, bytes)) cudaFree(memory);
}

namespace {

void* allocate_on_current(std::uint64_t bytes) {
  has_allocated = true;
  void* memory = KeptBlocks::instance().take(bytes);
  if (memory != nullptr) return memory;
  const cudaError_t status = with_what_was_kept([&] { return cudaMalloc(&memory, bytes); });
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw Error(ErrorCode::out_of_resources,
                fmt::format("expected {} of memory on {}, got {} free; lower --gpu-memory, or "
                            "use --device cpu",
                            needed_bytes(static_cast<double>(bytes)),
                            device_name(),
                            allowed_bytes(static_cast<double>(free_device_memory()))));
  }
  check(status, "allocate memory");
  return memory;
}

}  // namespace

void* allocate_device(std::uint64_t bytes) {
  void* memory = allocate_on_current(bytes);
  if (is_filled) {
    check(cudaMemset(memory, 0xff, bytes), "fill memory");
    check(cudaStreamSynchronize(nullptr), "fill memory");
  }
  return memory;
}

void* allocate_pinned(std::uint64_t bytes) {
  void* memory = nullptr;
  const cudaError_t status =
      with_what_was_kept([&] { return cudaHostAlloc(&memory, bytes, cudaHostAllocPortable); });
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw Error(ErrorCode::out_of_resources,
                fmt::format("expected {} of page-locked memory, the system refused; lower "
                            "--memory",
                            needed_bytes(static_cast<double>(bytes))));
  }
  check(status, "allocate page-locked memory");
  return memory;
}

void upload_bytes(const char* doing, void* to, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return;
  check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), doing);
  check(cudaStreamSynchronize(nullptr), doing);
}

void copy_rows(const char* doing,
               RowsTo to,
               RowsFrom from,
               std::size_t width,
               std::int64_t rows,
               cudaStream_t stream) {
  if (rows <= 0 || width == 0) return;
  const auto count = static_cast<std::size_t>(rows);
  if (rows == 1 || (to.pitch == width && from.pitch == width)) {
    check(cudaMemcpyAsync(to.data, from.data, width * count, cudaMemcpyDefault, stream), doing);
    return;
  }
  constexpr std::size_t max_pitch = std::numeric_limits<std::int32_t>::max();
  if (std::max({to.pitch, from.pitch, width}) <= max_pitch) {
    check(cudaMemcpy2DAsync(
              to.data, to.pitch, from.data, from.pitch, width, count, cudaMemcpyDefault, stream),
          doing);
    return;
  }
  for (std::size_t row = 0; row < count; ++row) {
    check(cudaMemcpyAsync(static_cast<unsigned char*>(to.data) + row * to.pitch,
                          static_cast<const unsigned char*>(from.data) + row * from.pitch,
                          width,
                          cudaMemcpyDefault,
                          stream),
          doing);
  }
}

double seconds_between(const Event& first, const Event& second) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, first, second), "read a clock");
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace yupana::cuda
