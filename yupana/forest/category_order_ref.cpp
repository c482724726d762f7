#include <algorithm>
#include <cstdint>
#include <vector>

#include "yupana/core/tiles.hpp"
#include "yupana/forest/category_order.hpp"
#include "yupana/forest/growth_rules.hpp"

namespace yupana::forest::reference {
namespace {

using Order = std::vector<std::int32_t>;

/// Sums over some categories.
Totals sum_of(const std::vector<Totals>& all, const Order& some) {
  Totals sum;
  sum.classes.resize(all[0].classes.size());
  for (const std::int32_t i : some) {
    sum.rows += all[i].rows;
    sum.weight += all[i].weight;
    sum.moment += all[i].moment;
    for (std::size_t c = 0; c < sum.classes.size(); ++c) sum.classes[c] += all[i].classes[c];
  }
  return sum;
}

/// Places of all, by the mean or the share of a class, then by number.
Order by_mean(const std::vector<Totals>& all, std::int32_t own_class) {
  auto order = first_integers<std::int32_t>(std::ssize(all));
  const auto sum = [&](std::int32_t i) {
    return own_class < 0 ? all[i].moment : all[i].classes[static_cast<std::size_t>(own_class)];
  };
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return static_cast<__int128>(sum(a)) * all[b].weight <
           static_cast<__int128>(sum(b)) * all[a].weight;
  });
  return order;
}

struct Best {
  bool found = false;
  Gain gain;
  Order order;
};

/// Keeps the order if its first `left` places on one side gain more than the best so far.
void try_cut(const Problem& problem,
             const Totals& node,
             const std::vector<Totals>& all,
             const LeafLimits& least,
             const Order& order,
             std::size_t left,
             Best& best) {
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(left);
  const Totals l = sum_of(all, {order.begin(), middle}), r = sum_of(all, {middle, order.end()});
  if (!are_large_enough(least, l, r)) return;
  const Gain gain = gain_of(problem, node, l, r);
  if (!best.found || gain > best.gain) best = {true, gain, order};
}

}  // namespace

std::vector<std::int32_t> category_order(const Problem& problem,
                                         const Totals& node,
                                         const CategoryTotals& categories,
                                         const LeafLimits& least) {
  std::vector<Totals> all = categories.known;
  std::vector<std::int32_t> present;
  for (std::int32_t c = 0; c < problem.classes; ++c) {
    if (node.classes[static_cast<std::size_t>(c)] > 0) present.push_back(c);
  }
  if (present.empty()) return by_mean(all, -1);
  if (present.size() <= 2) return by_mean(all, present.back());
  const auto known = std::ssize(all);
  if (categories.missing.rows > 0) all.push_back(categories.missing);
  Best best;
  if (known <= max_tried) {
    const std::uint32_t end = (std::uint32_t{1} << (all.size() - 1)) - 1;
    for (std::uint32_t mask = 0; mask < end; ++mask) {
      Order left{0}, right;
      for (std::int32_t i = 1; i < std::ssize(all); ++i) {
        ((mask >> (i - 1) & 1) != 0 ? left : right).push_back(i);
      }
      const std::size_t count = left.size();
      left.insert(left.end(), right.begin(), right.end());
      try_cut(problem, node, all, least, left, count, best);
    }
  } else {
    for (const std::int32_t c : present) {
      const Order order = by_mean(all, c);
      for (std::size_t left = 1; left < order.size(); ++left) {
        try_cut(problem, node, all, least, order, left, best);
      }
    }
  }
  if (!best.found) {
    best.order = first_integers<std::int32_t>(std::ssize(all));
  }
  std::erase(best.order, static_cast<std::int32_t>(known));
  return best.order;
}

}  // namespace yupana::forest::reference
