#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/cuda/shortage.hpp"

namespace yupana::spectral::cuda {

/// Plans of two numbers, kept on their devices for the next call with the same: memory for one is
/// asked for and its tables are made in several times the time of its transform. At most four of a
/// type, of 256 MiB together, given back where memory is short. Only for CUDA builds.
template <class Plan>
class KeptPlans {
 public:
  /// use(Plan(a, b)) on the current device; bytes: the most that the plan holds.
  template <class Use>
  static void with(std::int64_t a, std::int64_t b, std::uint64_t bytes, const Use& use) {
    int device = 0;
    yupana::cuda::check(cudaGetDevice(&device), "ask for the current device");
    Kept kept{device, a, b, bytes, instance().take(device, a, b)};
    if (kept.plan == nullptr) kept.plan = std::make_unique<Plan>(a, b);
    use(*kept.plan);
    instance().keep(std::move(kept));
  }

 private:
  struct Kept {
    int device;
    std::int64_t a, b;
    std::uint64_t bytes;
    std::unique_ptr<Plan> plan;
  };
  static constexpr std::size_t most = 4;
  static constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;

  KeptPlans() {
    yupana::cuda::on_shortage([] { instance().release(); });
  }
  static KeptPlans& instance() {
    // Never destroyed: at the end of a process the driver may be gone before it.
    static KeptPlans& one = *new KeptPlans;
    return one;
  }

  /// Taken away, as a plan serves one call at a time.
  std::unique_ptr<Plan> take(int device, std::int64_t a, std::int64_t b) {
    const std::lock_guard lock(mutex_);
    for (auto at = kept_.begin(); at != kept_.end(); ++at) {
      if (at->device != device || at->a != a || at->b != b) continue;
      std::unique_ptr<Plan> plan = std::move(at->plan);
      bytes_ -= at->bytes;
      kept_.erase(at);
      return plan;
    }
    return nullptr;
  }

  void keep(Kept&& kept) {
    std::list<Kept> dropped;  // memory is given back after the lock
    const std::lock_guard lock(mutex_);
    bytes_ += kept.bytes;
    kept_.push_front(std::move(kept));
    while (kept_.size() > most || bytes_ > most_bytes) {
      bytes_ -= kept_.back().bytes;
      dropped.splice(dropped.end(), kept_, std::prev(kept_.end()));
    }
  }

  void release() {
    std::list<Kept> dropped;
    const std::lock_guard lock(mutex_);
    dropped.swap(kept_);
    bytes_ = 0;
  }

  std::mutex mutex_;
  std::list<Kept> kept_;
  std::uint64_t bytes_ = 0;
};

}  // namespace yupana::spectral::cuda
