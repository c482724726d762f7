#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"

/// Private to the family: memory that calls use one after the other, since taking a gigabyte from
/// the driver and giving it back takes milliseconds. Only files of the CUDA build include this.
namespace yupana::splice::cuda {

/// Arrays that are to share one piece of memory.
class Places {
 public:
  /// `array` points to room for `count` values once a piece is given.
  template <class T>
  void add(T*& array, std::int64_t count) {
    puts_.push_back(
        [&array, at = bytes_](std::uint8_t* piece) { array = reinterpret_cast<T*>(piece + at); });
    bytes_ = round_up(bytes_ + count * static_cast<std::int64_t>(sizeof(T)), 256);
  }
  std::int64_t bytes() const { return bytes_; }
  void put_into(std::uint8_t* piece) const {
    for (const auto& put : puts_) put(piece);
  }

 private:
  std::vector<std::function<void(std::uint8_t*)>> puts_;
  std::int64_t bytes_ = 0;
};

/// One piece on a device and one on the host, from which copies are fast. Contents are undefined;
/// a pointer is good until more is asked for.
class DeviceMemory {
 public:
  std::uint8_t* on_device(std::int64_t bytes) { return grown(device_, bytes); }
  std::uint8_t* on_host(std::int64_t bytes) {
    // Locking pages takes them from everyone: large uploads are copied twice instead.
    if (bytes <= most_locked) return grown(locked_, bytes);
    if (std::ssize(plain_) < bytes) plain_ = std::vector<std::uint8_t>(bytes);
    return plain_.data();
  }
  std::uint64_t device_bytes() const { return device_.bytes(); }
  std::uint64_t locked_bytes() const { return locked_.bytes(); }
  /// Keeps what fits into so many bytes on the device and page-locked ones.
  void shrink(std::uint64_t most_on_device, std::uint64_t most_on_host) {
    if (device_.bytes() > most_on_device) device_ = {};
    if (locked_.bytes() > most_on_host) locked_ = {};
    plain_ = {};
  }

  static constexpr std::int64_t most_locked = std::int64_t{256} << 20;

 private:
  template <class Array>
  static std::uint8_t* grown(Array& array, std::int64_t bytes) {
    if (array.size() < bytes) {
      array = {};  // first, so that both are never held
      array = Array(bytes);
    }
    return array.data();
  }
  yupana::cuda::DeviceArray<std::uint8_t> device_;
  yupana::cuda::PinnedArray<std::uint8_t> locked_;
  std::vector<std::uint8_t> plain_;
};

/// What calls used on each device and do not use now, for the next call of any context. It is the
/// process's and no Context's: Python, and most programs that align in a loop, make a context for
/// each call, and what ended with it would be of no use. So it is bounded, by what the last call
/// was allowed, and given back where any allocation of the process finds memory short. No result
/// depends on it.
class SpareMemory {
 public:
  static SpareMemory& instance();
  /// The piece with the most memory on the device, or an empty one.
  DeviceMemory take(int device);
  /// Keeps of it what passes, with the others kept, neither `most` bytes of the device nor
  /// DeviceMemory::most_locked page-locked ones.
  void give_back(int device, DeviceMemory&& memory, std::uint64_t most);
  /// Gives all of it back to the driver.
  void release();
  /// Kept on a device now.
  std::uint64_t bytes(int device);

 private:
  SpareMemory();

  std::mutex mutex_;
  std::map<int, std::vector<DeviceMemory>> spare_;
};

/// Of what a caller may hold on a device so much stays at most for the next call, so that other
/// algorithms find theirs.
inline std::uint64_t most_kept(std::uint64_t allowed) { return allowed / 20; }

/// Memory of a device while a stream works in it.
class MemoryLease {
 public:
  MemoryLease(int device, std::uint64_t allowed, cudaStream_t stream)
      : memory_(SpareMemory::instance().take(device)),
        device_(device),
        most_(most_kept(allowed)),
        stream_(stream) {}
  ~MemoryLease() {
    cudaStreamSynchronize(stream_);  // where an error left work behind
    SpareMemory::instance().give_back(device_, std::move(memory_), most_);
  }
  MemoryLease(const MemoryLease&) = delete;
  MemoryLease& operator=(const MemoryLease&) = delete;
  std::uint8_t* on_device(std::int64_t bytes) { return memory_.on_device(bytes); }
  std::uint8_t* on_host(std::int64_t bytes) { return memory_.on_host(bytes); }

 private:
  DeviceMemory memory_;
  const int device_;
  const std::uint64_t most_;
  const cudaStream_t stream_;
};

/// What a device made, in the host's piece, where nothing else may be on its way: good until more
/// is asked for. Waits for the stream.
template <class T>
std::span<const T> read_back(MemoryLease& memory,
                             const T* from,
                             std::size_t count,
                             const yupana::cuda::Stream& stream,
                             const char* doing) {
  if (count == 0) return {};
  const std::size_t bytes = count * sizeof(T);
  std::uint8_t* to = memory.on_host(static_cast<std::int64_t>(bytes));
  yupana::cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), doing);
  stream.wait();
  return {reinterpret_cast<const T*>(to), count};
}

}  // namespace yupana::splice::cuda
