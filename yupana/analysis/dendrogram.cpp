// What is read off a tree of merges: leaf order, cut, Newick text.
#include <numeric>

#include "yupana/analysis/phylogeny.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::analysis {
namespace {

std::int64_t leaf_count(const std::vector<Merge>& merges) {
  return static_cast<std::int64_t>(merges.size()) + 1;
}

const Merge& merge_of(const std::vector<Merge>& merges, std::int64_t cluster) {
  return merges[static_cast<std::size_t>(cluster - leaf_count(merges))];
}

}  // namespace

std::vector<std::int64_t> leaf_order(const std::vector<Merge>& merges) {
  const std::int64_t n = leaf_count(merges);
  std::vector<std::int64_t> order;
  // A stack of its own: a chain of 100,000 merges would overflow the program's.
  std::vector<std::int64_t> stack{2 * n - 2};
  while (!stack.empty()) {
    const std::int64_t cluster = stack.back();
    stack.pop_back();
    if (cluster < n) {
      order.push_back(cluster);
      continue;
    }
    stack.push_back(merge_of(merges, cluster).right);
    stack.push_back(merge_of(merges, cluster).left);
  }
  return order;
}

std::vector<std::int64_t> cut_tree(const std::vector<Merge>& merges, std::int64_t clusters) {
  const std::int64_t n = leaf_count(merges);
  if (clusters < 1 || clusters > n) {
    throw usage_error("cut_tree: expected 1 to {} clusters, got {}", n, clusters);
  }
  // From the root down: a cluster that the cut keeps hands its root to its children. Roots of the
  // cut are the clusters whose parent merge comes after the first n - clusters.
  std::vector<std::int64_t> root(static_cast<std::size_t>(2 * n - 1));
  std::iota(root.begin(), root.end(), 0);
  for (std::int64_t m = n - clusters - 1; m >= 0; --m) {
    const Merge& merge = merges[static_cast<std::size_t>(m)];
    root[static_cast<std::size_t>(merge.left)] = root[static_cast<std::size_t>(n + m)];
    root[static_cast<std::size_t>(merge.right)] = root[static_cast<std::size_t>(n + m)];
  }
  std::vector<std::int64_t> number(root.size(), -1), result;
  std::int64_t used = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t& mine = number[static_cast<std::size_t>(root[static_cast<std::size_t>(i)])];
    if (mine < 0) mine = used++;
    result.push_back(mine);
  }
  return result;
}

std::string newick(const std::vector<Merge>& merges, const std::vector<std::string>& names) {
  return merges.empty() && names.empty() ? ";" : newick(phylogeny_of(merges), names);
}

}  // namespace yupana::analysis
