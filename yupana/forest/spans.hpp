#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace yupana::forest {

/// Which parts of a range of `size` are taken. Each goes to the first gap that has room for it.
class Spans {
 public:
  explicit Spans(std::uint64_t size) : gaps_{{0, size}} {}

  /// Where a part of `size` > 0 begins that is taken now; none: no gap is large enough.
  std::optional<std::uint64_t> take(std::uint64_t size) {
    const auto gap =
        std::find_if(gaps_.begin(), gaps_.end(), [&](const auto& g) { return g.second >= size; });
    if (gap == gaps_.end()) return std::nullopt;
    const auto [begin, room] = *gap;
    gaps_.erase(gap);
    if (room > size) gaps_.emplace(begin + size, room - size);
    taken_.emplace(begin, size);
    return begin;
  }

  /// The part that take() said begins there is free again; neighbouring gaps become one.
  void give_back(std::uint64_t begin) {
    const auto part = taken_.find(begin);
    auto gap = gaps_.emplace(begin, part->second).first;
    taken_.erase(part);
    const auto after = std::next(gap);
    if (after != gaps_.end() && gap->first + gap->second == after->first) {
      gap->second += after->second;
      gaps_.erase(after);
    }
    if (gap == gaps_.begin()) return;
    const auto before = std::prev(gap);
    if (before->first + before->second != gap->first) return;
    before->second += gap->second;
    gaps_.erase(gap);
  }

 private:
  std::map<std::uint64_t, std::uint64_t> gaps_, taken_;  ///< begin, size
};

}  // namespace yupana::forest
