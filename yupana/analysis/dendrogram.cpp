// What is read off a tree of merges: leaf order, cut, Newick text.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "yupana/analysis/clustering.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::analysis {
namespace {

std::int64_t leaf_count(const std::vector<Merge>& merges) {
  return static_cast<std::int64_t>(merges.size()) + 1;
}

const Merge& merge_of(const std::vector<Merge>& merges, std::int64_t cluster) {
  return merges[static_cast<std::size_t>(cluster - leaf_count(merges))];
}

double height_of(const std::vector<Merge>& merges, std::int64_t cluster) {
  return cluster < leaf_count(merges) ? 0 : merge_of(merges, cluster).height;
}

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
  if (merges.empty() && names.empty()) return ";";
  const std::int64_t n = leaf_count(merges);
  if (static_cast<std::int64_t>(names.size()) != n) {
    throw usage_error("newick: expected {} names, one a leaf, got {}", n, names.size());
  }
  enum class Step { enter, between, leave };
  struct Visit {
    std::int64_t cluster;
    Step step;
    double parent_height;
  };
  std::string text;
  const auto append_length = [&](const Visit& visit) {
    const double length = (visit.parent_height - height_of(merges, visit.cluster)) / 2;
    if (std::isfinite(length)) {
      fmt::format_to(std::back_inserter(text), ":{}", std::max(length, 0.0));
    }
  };
  // The root has no branch: an infinite parent height says so.
  std::vector<Visit> stack{{2 * n - 2, Step::enter, INFINITY}};
  while (!stack.empty()) {
    Visit& visit = stack.back();
    if (visit.cluster < n || visit.step == Step::leave) {
      if (visit.cluster < n) {
        append_label(text, names[static_cast<std::size_t>(visit.cluster)]);
      } else {
        text += ')';
      }
      append_length(visit);
      stack.pop_back();
      continue;
    }
    const Merge& merge = merge_of(merges, visit.cluster);
    const bool first = visit.step == Step::enter;
    text += first ? '(' : ',';
    visit.step = first ? Step::between : Step::leave;
    stack.push_back({first ? merge.left : merge.right, Step::enter, merge.height});
  }
  return text + ";";
}

}  // namespace yupana::analysis
