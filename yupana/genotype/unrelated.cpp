#include "yupana/genotype/unrelated.hpp"

#include <algorithm>
#include <bit>
#include <set>

namespace yupana::genotype {
namespace {

/// The pairs of every sample that are left.
using Neighbors = std::vector<std::set<std::int64_t>>;

/// Samples by the number of their pairs, those with the most first.
class ByPairs {
 public:
  explicit ByPairs(const Neighbors& neighbors) {
    for (std::int64_t i = 0; i < std::ssize(neighbors); ++i) change(i, 0, size_of(neighbors[i]));
  }
  void change(std::int64_t sample, std::int64_t from, std::int64_t to) {
    if (from > 0) order_.erase({-from, sample});
    if (to > 0) order_.insert({-to, sample});
  }
  bool empty() const { return order_.empty(); }
  /// The first sample with one pair alone; that with the most where there is none.
  std::int64_t first_with_one() const {
    const auto at = order_.lower_bound({-1, -1});
    return at == order_.end() ? -1 : at->second;
  }
  std::int64_t first_with_most() const { return order_.begin()->second; }
  template <class Set>
  static std::int64_t size_of(const Set& set) {
    return static_cast<std::int64_t>(set.size());
  }

 private:
  std::set<std::pair<std::int64_t, std::int64_t>> order_;
};

void leave_out_greedily(Neighbors& neighbors, std::vector<bool>& left_out) {
  ByPairs order(neighbors);
  while (!order.empty()) {
    const std::int64_t one = order.first_with_one();
    const std::int64_t out = one < 0 ? order.first_with_most() : *neighbors[one].begin();
    left_out[out] = true;
    order.change(out, ByPairs::size_of(neighbors[out]), 0);
    for (const std::int64_t other : neighbors[out]) {
      const std::int64_t pairs = ByPairs::size_of(neighbors[other]);
      neighbors[other].erase(out);
      order.change(other, pairs, pairs - 1);
    }
    neighbors[out].clear();
  }
}

/// Largest sets without a pair in a group of at most 64 samples, a bit each.
class LargestSet {
 public:
  explicit LargestSet(std::vector<std::uint64_t> neighbors) : neighbors_(std::move(neighbors)) {
    const int size = static_cast<int>(neighbors_.size());
    search(size == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1, 0);
  }
  std::uint64_t best() const { return best_; }

 private:
  /// The sets that hold `taken` and samples of `open`, none of which is a neighbor of a taken one.
  void search(std::uint64_t open, std::uint64_t taken) {
    if (std::popcount(taken | open) <= std::popcount(best_)) return;
    int most = -1, pairs = 1;
    for (std::uint64_t left = open; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      const int count = std::popcount(neighbors_[i] & open);
      // A sample with one pair at most is in some largest set.
      if (count <= 1) return search(open & ~neighbors_[i] & ~bit(i), taken | bit(i));
      if (count > pairs) {
        most = i;
        pairs = count;
      }
    }
    if (most < 0) {
      best_ = taken;
      return;
    }
    search(open & ~bit(most), taken);
    search(open & ~neighbors_[most] & ~bit(most), taken | bit(most));
  }
  static std::uint64_t bit(int i) { return std::uint64_t{1} << i; }

  std::vector<std::uint64_t> neighbors_;
  std::uint64_t best_ = 0;
};

/// The samples that pairs connect with `first`, in order.
std::vector<std::int64_t> group_of(const Neighbors& neighbors,
                                   std::int64_t first,
                                   std::vector<bool>& seen) {
  std::vector<std::int64_t> group = {first};
  seen[first] = true;
  for (std::size_t k = 0; k < group.size(); ++k) {
    for (const std::int64_t other : neighbors[group[k]]) {
      if (seen[other]) continue;
      seen[other] = true;
      group.push_back(other);
    }
  }
  std::sort(group.begin(), group.end());
  return group;
}

/// Solves the groups that are small enough, whose pairs are then taken out of `neighbors`.
void leave_out_fewest(Neighbors& neighbors, std::vector<bool>& left_out) {
  std::vector<bool> seen(neighbors.size());
  for (std::int64_t first = 0; first < std::ssize(neighbors); ++first) {
    if (seen[first] || neighbors[first].empty()) continue;
    const std::vector<std::int64_t> group = group_of(neighbors, first, seen);
    if (group.size() > 64) continue;
    std::vector<std::uint64_t> bits(group.size());
    for (std::size_t k = 0; k < group.size(); ++k) {
      for (const std::int64_t other : neighbors[group[k]]) {
        const auto at = std::lower_bound(group.begin(), group.end(), other) - group.begin();
        bits[k] |= std::uint64_t{1} << at;
      }
    }
    const std::uint64_t stays = LargestSet(bits).best();
    for (std::size_t k = 0; k < group.size(); ++k) {
      left_out[group[k]] = (stays >> k & 1) == 0;
      neighbors[group[k]].clear();
    }
  }
}

}  // namespace

std::vector<bool> related_samples(std::int64_t samples, const RelatedPairs& pairs, bool largest) {
  Neighbors neighbors(static_cast<std::size_t>(samples));
  for (const auto& [i, j] : pairs) {
    neighbors[i].insert(j);
    neighbors[j].insert(i);
  }
  std::vector<bool> left_out(static_cast<std::size_t>(samples));
  if (largest) leave_out_fewest(neighbors, left_out);
  leave_out_greedily(neighbors, left_out);
  return left_out;
}

}  // namespace yupana::genotype
