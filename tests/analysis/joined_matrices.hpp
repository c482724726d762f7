#pragma once

#include <cstring>
#include <vector>

#include "tests/analysis/matrices.hpp"
#include "yupana/analysis/phylogeny.hpp"

/// Matrices that neighbour joining is tested with on every backend.
namespace yupana::analysis::test {

/// A tree of random joins with whole branches in [low, low + spread), as matrix and as tree.
struct Additive {
  SquareMatrix<double> d;
  Phylogeny tree;
};

inline Additive additive(std::int64_t n,
                         std::uint64_t seed,
                         std::uint64_t low,
                         std::uint64_t spread) {
  RandomSequence random(seed);
  Phylogeny tree = leaves_alone(n);
  std::vector<std::int64_t> open;
  for (std::int64_t i = 0; i < n; ++i) open.push_back(i);
  const auto attach_one = [&](std::int64_t node) {
    const std::size_t at = random.word() % open.size();
    tree.attach(open[at], node, static_cast<double>(low + random.word() % spread));
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
  };
  while (open.size() > 3) {
    const std::int64_t node = tree.add_node();
    attach_one(node);
    attach_one(node);
    open.push_back(node);
  }
  const std::int64_t root = tree.add_node();
  while (!open.empty()) attach_one(root);
  const auto path = [&](std::int64_t i, std::int64_t j) {
    double length = 0;
    while (i != j) {
      std::int64_t& lower = i < j ? i : j;  // parents have larger numbers
      length += tree.length[static_cast<std::size_t>(lower)];
      lower = tree.parent[static_cast<std::size_t>(lower)];
    }
    return length;
  };
  return {symmetric<double>(n, path), tree};
}

inline bool same_bits(const Phylogeny& a, const Phylogeny& b) {
  return a.leaves == b.leaves && a.parent == b.parent && a.length.size() == b.length.size() &&
         std::memcmp(a.length.data(), b.length.data(), a.length.size() * sizeof(double)) == 0;
}

/// Calls check(matrix) with matrices of n points in which many pairs have the same Q.
template <class Check>
void for_distances_with_ties(std::int64_t n, const Check& check) {
  const Random random(static_cast<std::uint64_t>(n));
  check(grid_squares<std::int32_t>(n, 2));
  check(symmetric<float>(n, [&](auto i, auto j) {
    return static_cast<double>(random.word(static_cast<std::uint64_t>(i * n + j)) % 3);
  }));
  check(symmetric<double>(n, [](auto, auto) { return 1; }));
  check(additive(std::max<std::int64_t>(n, 4), 3, 0, 2).d);
}

/// Calls check(matrix) with matrices of n points whose sums are rounded.
template <class Check>
void for_rounded_distances(std::int64_t n, const Check& check) {
  check(random_distances<double>(n, 0, 1));
  check(random_distances<float>(n, 1, 1.001));
  check(random_distances<double>(n, 0, 1e-300));
  // Outliers, whose sums are far above all others.
  check(symmetric<double>(n, [&](auto i, auto j) {
    return random_distances<double>(2, 0, 1, static_cast<std::uint64_t>(i * n + j))(0, 1) +
           (i % 9 == 0 ? 50.0 : 0.0) + (j % 9 == 0 ? 50.0 : 0.0);
  }));
}

}  // namespace yupana::analysis::test
