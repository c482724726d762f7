#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

namespace yupana::spectral::cpu {

/// Plans of the calls without one, kept from call to call: the last used, up to `max_bytes` of
/// tables and scratch memory together. For any number of threads.
///
/// The family holds one for each kind of plan in the process, not in a Context, which is where
/// state belongs otherwise. A Context may live for a single call, as those of the Python package
/// do, and would keep nothing, where a plan of 2^10 floats takes 12 us to make and its transform
/// 0.8. It is no state that a caller can see: what a plan computes depends on its length alone, so
/// that a kept plan differs from a new one in time alone, and Contexts on several threads
/// share it as they share the code (FftPlans.ThreadsShareAPlanAndTheCallsCache). Nor does it grow:
/// 64 plans and max_plan_bytes at most, whatever lengths come (the tests of PlanCache).
template <class Plan>
class PlanCache {
 public:
  explicit PlanCache(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}

  /// use(plan of this length); afterwards the plan is kept if it is small enough.
  template <class Use>
  void with(std::int64_t length, const Use& use) {
    const std::shared_ptr<Plan> plan = take(length);
    use(*plan);
    keep(length, plan);
  }
  std::uint64_t bytes() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return bytes_;
  }

 private:
  struct Kept {
    std::int64_t length;
    std::uint64_t bytes;
    std::shared_ptr<Plan> plan;
  };

  std::shared_ptr<Plan> take(std::int64_t length) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (const Kept& kept : kept_) {
        if (kept.length == length) return kept.plan;
      }
    }
    return std::make_shared<Plan>(length);
  }

  void keep(std::int64_t length, const std::shared_ptr<Plan>& plan) {
    const std::uint64_t bytes = plan->bytes();
    std::list<Kept> dropped;  // memory is given back after the lock
    const std::lock_guard<std::mutex> lock(mutex_);
    auto at = kept_.begin();
    while (at != kept_.end() && at->length != length) ++at;
    if (at == kept_.end()) {
      kept_.push_front({length, 0, plan});
    } else {
      kept_.splice(kept_.begin(), kept_, at);
    }
    // Of two that were made at once, one stays. Scratch memory may have grown.
    Kept& first = kept_.front();
    if (first.plan == plan) {
      bytes_ += bytes - first.bytes;
      first.bytes = bytes;
    }
    for (auto last = kept_.end();
         (bytes_ > max_bytes_ || kept_.size() > max_plans) && last != kept_.begin();) {
      --last;
      bytes_ -= last->bytes;
      const auto drop = last++;
      dropped.splice(dropped.end(), kept_, drop);
    }
  }

  static constexpr std::size_t max_plans = 64;  // looked through one by one
  const std::uint64_t max_bytes_;
  mutable std::mutex mutex_;
  std::list<Kept> kept_;
  std::uint64_t bytes_ = 0;
};

/// What one cache may hold: a transform of 2^21 floats, say.
inline constexpr std::uint64_t max_plan_bytes = std::uint64_t{32} << 20;

}  // namespace yupana::spectral::cpu
