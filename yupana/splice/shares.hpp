#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/tiles.hpp"

/// Private to alignments: which case is whose, and when.
namespace yupana::splice {

/// Places of all cases, the most work first; equal ones stay as they are.
inline std::vector<std::size_t> by_work(const std::vector<double>& work) {
  auto order = first_integers<std::size_t>(std::ssize(work));
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t a) { return work[a]; });
  return order;
}

/// Each case of `order` to the device or rank with the least work so far.
inline std::vector<std::vector<std::size_t>> deal(const std::vector<std::size_t>& order,
                                                  const std::vector<double>& work,
                                                  std::size_t parts) {
  std::vector<std::vector<std::size_t>> dealt(parts);
  std::vector<double> load(parts);
  for (const std::size_t p : order) {
    const auto least = std::min_element(load.begin(), load.end());
    dealt[static_cast<std::size_t>(least - load.begin())].push_back(p);
    *least += work[p];
  }
  return dealt;
}

/// solve(p) for the cases in this order, one after the other in each of so many lanes.
template <class Solve>
void solve_in_lanes(Context& context,
                    int lanes,
                    std::span<const std::size_t> order,
                    const Solve& solve) {
  std::atomic<std::size_t> taken{0};
  context.parallel_for(lanes, 1, [&](std::int64_t) {
    for (std::size_t i = taken++; i < order.size(); i = taken++) solve(order[i]);
  });
}

}  // namespace yupana::splice
