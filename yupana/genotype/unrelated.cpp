#include "yupana/genotype/unrelated.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <optional>
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

constexpr std::int64_t largest_solved_group = 200;
/// Steps after which a search ends without a proof: a second, about.
constexpr std::int64_t search_steps = 50'000;

/// Samples of a group, a bit each.
class Members {
 public:
  bool has(int i) const { return (words_[word(i)] >> (i % 64) & 1) != 0; }
  void add(int i) { words_[word(i)] |= std::uint64_t{1} << (i % 64); }
  void remove(int i) { words_[word(i)] &= ~(std::uint64_t{1} << (i % 64)); }
  bool empty() const { return first() < 0; }
  int size() const {
    int size = 0;
    for (const std::uint64_t w : words_) size += std::popcount(w);
    return size;
  }
  /// The first member from `begin` on; -1: none.
  int first(int begin = 0) const {
    for (std::size_t k = word(begin); k < words_.size(); ++k) {
      const std::uint64_t low =
          k == word(begin) ? ~std::uint64_t{0} << (begin % 64) : ~std::uint64_t{0};
      if ((words_[k] & low) != 0)
        return static_cast<int>(64 * k) + std::countr_zero(words_[k] & low);
    }
    return -1;
  }
  Members operator&(const Members& other) const { return combined(other, std::bit_and<>()); }
  Members operator|(const Members& other) const { return combined(other, std::bit_or<>()); }
  Members without(const Members& other) const {
    return combined(other, [](std::uint64_t a, std::uint64_t b) { return a & ~b; });
  }
  bool operator==(const Members&) const = default;

 private:
  static std::size_t word(int i) { return static_cast<std::size_t>(i) / 64; }
  template <class Operation>
  Members combined(const Members& other, const Operation& operation) const {
    Members result;
    for (std::size_t k = 0; k < words_.size(); ++k) {
      result.words_[k] = operation(words_[k], other.words_[k]);
    }
    return result;
  }
  std::array<std::uint64_t, (largest_solved_group + 63) / 64> words_{};
};

/// A largest set without a pair in a group.
///   method  branch and bound: samples with one pair, and those all of whose relatives another has,
///           are decided at once; parts that no pair joins are searched apart; the bound is a cover
///           of cliques
class LargestSet {
 public:
  explicit LargestSet(std::vector<Members> neighbors) : neighbors_(std::move(neighbors)) {
    Members all;
    for (int i = 0; i < static_cast<int>(neighbors_.size()); ++i) all.add(i);
    best_ = search(all, 0);
  }
  /// None where the search ended before it had a proof.
  std::optional<Members> best() const {
    if (steps_ > search_steps) return {};
    return best_;
  }

 private:
  Members search(Members open, int least) {
    Members taken;
    reduce(open, taken);
    const int missing = least - taken.size();
    if (open.empty()) return taken;
    if (++steps_ > search_steps || cliques(open) < missing) return {};
    const Members part = connected(open, open.first());
    const Members rest = open.without(part);
    if (!rest.empty()) {
      const Members of_part = search(part, missing - cliques(rest));
      return taken | of_part | search(rest, missing - of_part.size());
    }
    int most = open.first();
    for (int i = most; i >= 0; i = open.first(i + 1)) {
      if (pairs_of(i, open) > pairs_of(most, open)) most = i;
    }
    open.remove(most);
    Members with = search(open.without(neighbors(most)), missing - 1);
    with.add(most);
    const Members without = search(open, std::max(missing, with.size() + 1));
    return taken | (without.size() > with.size() ? without : with);
  }

  /// Takes samples of `open` that are in some largest set, and leaves out those that one can do
  /// without.
  void reduce(Members& open, Members& taken) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (int i = open.first(); i >= 0; i = open.first(i + 1)) {
        const Members near = neighbors(i) & open;
        if (near.size() <= 1) {
          taken.add(i);
          open = open.without(near);
          open.remove(i);
          changed = true;
          continue;
        }
        // If the closed neighbourhood of a sample includes that of i, i can replace it.
        for (int k = near.first(); k >= 0; k = near.first(k + 1)) {
          Members others = near;
          others.remove(k);
          if (!others.without(neighbors(k)).empty()) continue;
          open.remove(k);
          changed = true;
          break;
        }
      }
    }
  }

  /// Cliques that together hold `open`: no set without a pair has more samples.
  int cliques(Members open) const {
    int count = 0;
    for (int i = open.first(); i >= 0; i = open.first()) {
      open.remove(i);
      Members near = neighbors(i) & open;
      for (int k = near.first(); k >= 0; k = near.first(k + 1)) {
        open.remove(k);
        near = near & neighbors(k);
      }
      ++count;
    }
    return count;
  }

  /// The samples of `open` that pairs connect with `first`.
  Members connected(const Members& open, int first) const {
    Members part, next;
    next.add(first);
    while (!next.empty()) {
      part = part | next;
      Members near;
      for (int i = next.first(); i >= 0; i = next.first(i + 1)) near = near | neighbors(i);
      next = (near & open).without(part);
    }
    return part;
  }

  const Members& neighbors(int i) const { return neighbors_[static_cast<std::size_t>(i)]; }
  int pairs_of(int i, const Members& open) const { return (neighbors(i) & open).size(); }

  std::vector<Members> neighbors_;
  std::int64_t steps_ = 0;
  Members best_;
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

/// Solves the groups that are small enough, whose pairs are then taken out of `neighbors`. Returns
/// the groups that are left.
std::int64_t leave_out_fewest(Neighbors& neighbors, std::vector<bool>& left_out) {
  std::int64_t unsolved = 0;
  std::vector<bool> seen(neighbors.size());
  for (std::int64_t first = 0; first < std::ssize(neighbors); ++first) {
    if (seen[first] || neighbors[first].empty()) continue;
    const std::vector<std::int64_t> group = group_of(neighbors, first, seen);
    if (std::ssize(group) > largest_solved_group) {
      ++unsolved;
      continue;
    }
    std::vector<Members> members(group.size());
    for (std::size_t k = 0; k < group.size(); ++k) {
      for (const std::int64_t other : neighbors[group[k]]) {
        const auto at = std::lower_bound(group.begin(), group.end(), other) - group.begin();
        members[k].add(static_cast<int>(at));
      }
    }
    const std::optional<Members> stays = LargestSet(std::move(members)).best();
    if (!stays) {
      ++unsolved;
      continue;
    }
    for (std::size_t k = 0; k < group.size(); ++k) {
      left_out[group[k]] = !stays->has(static_cast<int>(k));
      neighbors[group[k]].clear();
    }
  }
  return unsolved;
}

}  // namespace

RelatedSamples related_samples(std::int64_t samples, const RelatedPairs& pairs, bool largest) {
  Neighbors neighbors(static_cast<std::size_t>(samples));
  for (const auto& [i, j] : pairs) {
    neighbors[i].insert(j);
    neighbors[j].insert(i);
  }
  RelatedSamples result;
  result.left_out.resize(static_cast<std::size_t>(samples));
  if (largest) result.unsolved = leave_out_fewest(neighbors, result.left_out);
  leave_out_greedily(neighbors, result.left_out);
  return result;
}

}  // namespace yupana::genotype
