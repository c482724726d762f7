#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "yupana/core/cuda/runtime.hpp"

namespace yupana::cuda {

/// What calls leave on their devices for the next ones, such as plans and scratch memory: to make
/// it takes many times as long as to use it. At most four of a type, of 1 GiB together, given back
/// where memory is short. Only for CUDA builds.
template <class T>
class Kept {
 public:
  using Key = std::array<std::int64_t, 2>;

  /// use(thing) queues work on the stream and returns the bytes that the thing holds: one of the
  /// current device with this key, the last work on which comes first, or else make()'s.
  template <class Make, class Use>
  static void with(cudaStream_t stream, const Key& key, const Make& make, const Use& use) {
    int device = 0;
    check(cudaGetDevice(&device), "ask for the current device");
    std::list<One> mine = instance().take(device, key);
    if (mine.empty()) {
      mine.push_back({device, key, 0, make(), Event(), stream});
    } else {
      mine.front().come_first(stream);
    }
    One& one = mine.front();
    one.bytes = use(*one.thing);
    one.used_on(stream);
    instance().keep(std::move(mine));
  }

 private:
  struct One {
    int device;
    Key key;
    std::uint64_t bytes;
    std::unique_ptr<T> thing;
    Event used;           ///< after the last work, but for that on the default stream
    cudaStream_t stream;  ///< of the last work

    /// The default stream is in order with itself and always there: what is last on it is recorded
    /// once another one needs it, for an event recorded and held takes a quarter of a short call.
    void used_on(cudaStream_t now) {
      stream = now;
      if (now != nullptr) used.record(now);
    }
    void come_first(cudaStream_t next) {
      if (stream == nullptr && next == nullptr) return;
      if (stream == nullptr) used.record(nullptr);
      used.hold(next);
    }
  };
  static constexpr std::size_t most = 4;
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

  Kept() {
    on_shortage([] { instance().release(); });
  }
  static Kept& instance() {
    // Never destroyed: at the end of a process the driver may be gone before it.
    static Kept& one = *new Kept;
    return one;
  }

  /// Taken away, as a thing serves one call at a time.
  std::list<One> take(int device, const Key& key) {
    std::list<One> taken;
    const std::lock_guard lock(mutex_);
    for (auto at = kept_.begin(); at != kept_.end(); ++at) {
      if (at->device != device || at->key != key) continue;
      bytes_ -= at->bytes;
      taken.splice(taken.end(), kept_, at);
      break;
    }
    return taken;
  }

  void keep(std::list<One> one) {
    std::list<One> dropped;  // memory is given back after the lock
    const std::lock_guard lock(mutex_);
    bytes_ += one.front().bytes;
    kept_.splice(kept_.begin(), one);
    while (kept_.size() > most || bytes_ > most_bytes) {
      bytes_ -= kept_.back().bytes;
      dropped.splice(dropped.end(), kept_, std::prev(kept_.end()));
    }
  }

  void release() {
    std::list<One> dropped;
    const std::lock_guard lock(mutex_);
    dropped.swap(kept_);
    bytes_ = 0;
  }

  std::mutex mutex_;
  std::list<One> kept_;
  std::uint64_t bytes_ = 0;
};

}  // namespace yupana::cuda
