#pragma once

#include <mutex>

#include "yupana/geometry/pair_distance.hpp"

namespace yupana::geometry::cpu {

/// The least candidate that several threads found.
class SharedMinimum {
 public:
  explicit SharedMinimum(const Candidate& bound) : best_(bound) {}
  void update(const Candidate& found) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (found < best_) best_ = found;
  }
  const Candidate& get() const { return best_; }

 private:
  std::mutex mutex_;
  Candidate best_;
};

}  // namespace yupana::geometry::cpu
