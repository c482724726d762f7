#include "yupana/analysis/phylogeny.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::analysis {
namespace {

constexpr double no_length = std::numeric_limits<double>::quiet_NaN();

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

void append_label(std::string& text, const std::string& name) {
  const bool plain = !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
    const unsigned char byte = static_cast<unsigned char>(c);
    return byte <= ' ' || byte == 127 ||
           std::string_view("()[]{}'\":;,_").find(c) != std::string_view::npos;
  });
  if (plain) {
    text += name;
    return;
  }
  text += '\'';
  for (const char c : name) text.append(c == '\'' ? 2 : 1, c);
  text += '\'';
}

/// A reader of the tree could not tell leaves of one name apart.
void check_apart(const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, std::size_t> first;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [other, is_new] = first.emplace(names[i], i + 1);
    if (is_new) continue;
    throw usage_error(
        "newick: names {} and {} are both '{}'; name leaves apart", other->second, i + 1, names[i]);
  }
}

/// First child and next sibling of every node, in the order of their numbers; -1: none.
struct Children {
  std::vector<std::int64_t> first, next;

  explicit Children(const Phylogeny& tree)
      : first(tree.parent.size(), -1), next(tree.parent.size(), -1) {
    for (std::int64_t node = tree.nodes() - 2; node >= 0; --node) {
      std::int64_t& eldest = first[at(tree.parent[at(node)])];
      next[at(node)] = eldest;
      eldest = node;
    }
  }
};

std::int64_t leaf_count(const std::vector<Merge>& merges) {
  return static_cast<std::int64_t>(merges.size()) + 1;
}

const Merge& merge_of(const std::vector<Merge>& merges, std::int64_t cluster) {
  return merges[static_cast<std::size_t>(cluster - leaf_count(merges))];
}

}  // namespace

std::int64_t Phylogeny::add_node() {
  parent.push_back(-1);
  length.push_back(no_length);
  return nodes() - 1;
}

void Phylogeny::attach(std::int64_t child, std::int64_t to, double branch) {
  parent[at(child)] = to;
  length[at(child)] = branch;
}

Phylogeny leaves_alone(std::int64_t leaves) {
  return {leaves,
          std::vector<std::int64_t>(at(leaves), -1),
          std::vector<double>(at(leaves), no_length)};
}

Phylogeny phylogeny_of(const std::vector<Merge>& merges) {
  const std::int64_t n = std::ssize(merges) + 1;
  Phylogeny tree = leaves_alone(n);
  for (const Merge& merge : merges) {
    const std::int64_t node = tree.add_node();
    for (const std::int64_t child : {merge.left, merge.right}) {
      const double below = child < n ? 0 : merges[at(child - n)].height;
      const double branch = (merge.height - below) / 2;
      tree.attach(child, node, std::isfinite(branch) ? std::max(branch, 0.0) : no_length);
    }
  }
  return tree;
}

std::string newick(const Phylogeny& tree,
                   const std::vector<std::string>& names,
                   const std::vector<double>& support) {
  if (std::ssize(names) != tree.leaves) {
    throw usage_error("newick: expected {} names, one a leaf, got {}", tree.leaves, names.size());
  }
  check_apart(names);
  if (tree.leaves == 0) return ";";
  const Children children(tree);
  std::string text;
  // A walk without a stack: a chain of 100,000 nodes would overflow the program's.
  std::int64_t node = tree.nodes() - 1;
  const auto descend = [&] {
    for (; children.first[at(node)] >= 0; node = children.first[at(node)]) text += '(';
    append_label(text, names[at(node)]);
  };
  descend();
  for (;;) {
    if (node >= tree.leaves && !support.empty() && !std::isnan(support[at(node)])) {
      append_formatted(text, "{}", std::round(support[at(node)] * 100) / 100);
    }
    if (!std::isnan(tree.length[at(node)])) {
      append_formatted(text, ":{}", tree.length[at(node)]);
    }
    if (tree.parent[at(node)] < 0) return text + ";";
    if (children.next[at(node)] >= 0) {
      node = children.next[at(node)];
      text += ',';
      descend();
    } else {
      node = tree.parent[at(node)];
      text += ')';
    }
  }
}

SplitCounts::SplitCounts(const Phylogeny& tree)
    : leaves_(tree.leaves), rank_(at(tree.leaves)), split_(tree.parent.size(), -1) {
  std::vector<std::int64_t> size(tree.parent.size(), 0), next(tree.parent.size(), 0);
  std::fill_n(size.begin(), leaves_, 1);
  for (std::int64_t node = 0; node + 1 < tree.nodes(); ++node) {
    size[at(tree.parent[at(node)])] += size[at(node)];
  }
  // Leaves below a node have ranks that follow on each other; next: the first not yet given.
  for (std::int64_t node = tree.nodes() - 2; node >= 0; --node) {
    std::int64_t& of_parent = next[at(tree.parent[at(node)])];
    const std::int64_t first = of_parent;
    of_parent += size[at(node)];
    if (node < leaves_) {
      rank_[at(node)] = first;
      continue;
    }
    next[at(node)] = first;
    if (size[at(node)] + 1 >= leaves_) continue;  // one leaf against all others: in every tree
    const std::int64_t end = first + size[at(node)];
    split_[at(node)] = key(first == 0 ? Side{end, leaves_ - 1} : Side{first, end - 1});
    counts_.try_emplace(split_[at(node)]);
  }
}

void SplitCounts::add(const Phylogeny& other) {
  if (other.leaves != leaves_) {
    throw usage_error("support: expected trees of {} leaves, got {}", leaves_, other.leaves);
  }
  struct Set {
    std::int64_t first, last, size;
    void take(const Set& more) {
      first = std::min(first, more.first);
      last = std::max(last, more.last);
      size += more.size;
    }
  };
  const std::int64_t root = other.nodes() - 1;
  std::vector<Set> below(other.parent.size(), Set{leaves_, -1, 0});
  std::vector<bool> has_first(other.parent.size());  // above the leaf of rank 0, or that leaf
  for (std::int64_t leaf = 0; leaf < leaves_; ++leaf) {
    below[at(leaf)] = {rank_[at(leaf)], rank_[at(leaf)], 1};
    if (rank_[at(leaf)] == 0) has_first[at(leaf)] = true;
  }
  for (std::int64_t node = 0; node < root; ++node) {
    const std::int64_t parent = other.parent[at(node)];
    below[at(parent)].take(below[at(node)]);
    if (has_first[at(node)]) has_first[at(parent)] = true;
  }
  // Of the nodes above that leaf, the leaves that are not below them.
  std::vector<Set> beside(other.parent.size(), Set{leaves_, -1, 0});
  for (std::int64_t node = 0; node < root; ++node) {
    if (!has_first[at(node)]) beside[at(other.parent[at(node)])].take(below[at(node)]);
  }
  Set outside{leaves_, -1, 0};  // of the last node seen above that leaf
  for (std::int64_t node = root - 1; node >= leaves_; --node) {
    if (has_first[at(node)]) outside.take(beside[at(other.parent[at(node)])]);
    const Set& side = has_first[at(node)] ? outside : below[at(node)];
    if (side.size == 0 || side.last - side.first + 1 != side.size) continue;
    const auto found = counts_.find(key({side.first, side.last}));
    if (found == counts_.end() || found->second.last == trees_) continue;
    found->second.last = trees_;
    ++found->second.trees;
  }
  ++trees_;
}

std::vector<double> SplitCounts::percent() const {
  std::vector<double> percent(split_.size(), no_length);
  for (std::size_t node = 0; node < split_.size(); ++node) {
    if (split_[node] < 0 || trees_ == 0) continue;
    percent[node] =
        100 * static_cast<double>(counts_.at(split_[node]).trees) / static_cast<double>(trees_);
  }
  return percent;
}

// What is read off a tree of merges: leaf order, cut, Newick text.

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
  auto root = first_integers<std::int64_t>(2 * n - 1);
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
