#include "yupana/forest/prune.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/forest/validate.hpp"

namespace yupana::forest {

Tree compacted(const Tree& tree, const std::vector<char>& is_leaf) {
  Tree result;
  result.outputs = tree.outputs;
  struct Step {
    std::int32_t node, parent;
    bool is_right;
  };
  std::vector<Step> stack{{0, -1, false}};
  while (!stack.empty()) {
    const Step step = stack.back();
    stack.pop_back();
    const auto index = static_cast<std::int32_t>(result.nodes.size());
    result.set_child(step.parent, step.is_right, index);
    Node node = tree.nodes[step.node];
    result.values.insert(
        result.values.end(), tree.value(step.node), tree.value(step.node) + tree.outputs);
    if (!node.is_leaf() && is_leaf[step.node] == 0) {
      stack.push_back({node.right, index, true});
      stack.push_back({node.left, index, false});
      result.take_set(node, tree);
    } else {
      node.feature = node.left = node.right = node.set = -1;
      node.threshold = 0;
      node.missing_left = false;
    }
    result.nodes.push_back(node);
  }
  return result;
}

std::optional<Tree> best_first(const Tree& tree, std::int64_t leaves, std::int64_t depth) {
  const auto spread = [&](std::int32_t i) { return tree.nodes[i].weight * tree.nodes[i].impurity; };
  struct Leaf {
    double decrease;
    std::int32_t node;
    std::int64_t depth;
    bool operator<(const Leaf& other) const {
      return std::pair(decrease, other.node) < std::pair(other.decrease, node);
    }
  };
  std::priority_queue<Leaf> open;
  bool too_shallow = false;
  const auto reach = [&](std::int32_t i, std::int64_t at) {
    const Node& node = tree.nodes[i];
    too_shallow = too_shallow || (at == depth && node.impurity > 0);
    if (node.is_leaf()) return;
    open.push({spread(i) - spread(node.left) - spread(node.right), i, at});
  };
  std::vector<char> is_leaf(tree.nodes.size(), 1);
  reach(0, 0);
  for (std::int64_t count = 1; count < leaves && !open.empty(); ++count) {
    const Leaf best = open.top();
    open.pop();
    is_leaf[best.node] = 0;
    if (count + 1 == leaves) break;
    reach(tree.nodes[best.node].left, best.depth + 1);
    reach(tree.nodes[best.node].right, best.depth + 1);
  }
  if (too_shallow) return std::nullopt;
  return compacted(tree, is_leaf);
}

namespace {

/// Prunes the weakest link again and again.
class Links {
 public:
  explicit Links(const Tree& tree)
      : tree_(tree),
        parents_(tree.nodes.size(), -1),
        leaves_(tree.nodes.size(), 1),
        risks_(tree.nodes.size()),
        is_leaf_(tree.nodes.size(), 0) {
    // Children follow their parents.
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
      risks_[i] = own_risk(i);
      if (tree.nodes[i].is_leaf()) continue;
      parents_[left(i)] = parents_[right(i)] = static_cast<std::int64_t>(i);
      add_up(i);
      links_.emplace(weakness(i), i);
    }
  }

  bool empty() const { return links_.empty(); }
  double weakest() const { return links_.begin()->first; }
  double impurity() const { return risks_[0]; }
  std::int64_t leaves() const { return leaves_[0]; }
  const std::vector<char>& pruned() const { return is_leaf_; }

  /// Returns the nodes that are links no more.
  std::vector<std::size_t> prune_weakest() {
    const std::size_t node = links_.begin()->second;
    std::vector<std::size_t> gone;
    std::vector<std::size_t> below{node};
    while (!below.empty()) {
      const std::size_t i = below.back();
      below.pop_back();
      if (tree_.nodes[i].is_leaf() || is_leaf_[i] != 0) continue;
      links_.erase({weakness(i), i});
      gone.push_back(i);
      below.push_back(left(i));
      below.push_back(right(i));
    }
    is_leaf_[node] = 1;
    // Above, links are as weak as what is now below them.
    std::vector<std::pair<std::size_t, double>> above;
    for (std::int64_t i = parents_[node]; i >= 0; i = parents_[i]) {
      above.emplace_back(static_cast<std::size_t>(i), weakness(i));
    }
    risks_[node] = own_risk(node);
    leaves_[node] = 1;
    for (const auto& [i, old] : above) {
      links_.erase({old, i});
      add_up(i);
      links_.emplace(weakness(i), i);
    }
    return gone;
  }

 private:
  std::size_t left(std::size_t i) const { return static_cast<std::size_t>(tree_.nodes[i].left); }
  std::size_t right(std::size_t i) const { return static_cast<std::size_t>(tree_.nodes[i].right); }
  double own_risk(std::size_t i) const {
    return tree_.nodes[i].impurity * tree_.nodes[i].weight / tree_.nodes[0].weight;
  }
  void add_up(std::size_t i) {
    risks_[i] = risks_[left(i)] + risks_[right(i)];
    leaves_[i] = leaves_[left(i)] + leaves_[right(i)];
  }
  double weakness(std::size_t i) const {
    return (own_risk(i) - risks_[i]) / static_cast<double>(leaves_[i] - 1);
  }

  const Tree& tree_;
  std::vector<std::int64_t> parents_;
  std::vector<std::int64_t> leaves_;
  std::vector<double> risks_;
  std::vector<char> is_leaf_;
  std::set<std::pair<double, std::size_t>> links_;
};

std::vector<double> candidates(const std::vector<PathPoint>& path) {
  std::vector<double> alphas;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const bool last = k + 1 == path.size();
    alphas.push_back(last ? path[k].alpha
                          : std::sqrt(path[k].alpha) * std::sqrt(path[k + 1].alpha));
  }
  return alphas;
}

/// Adds what a fold's rows score under each alpha, ascending.
template <class T>
void score_fold(const Tree& tree,
                TableView<T> table,
                const Target& target,
                const std::vector<double>& alphas,
                std::vector<double>& scores) {
  const std::vector<double> collapse = collapse_alphas(tree);
  // What changes at each alpha; sums of them are the scores.
  std::vector<double> changes(alphas.size() + 1, 0);
  const auto first_at = [&](double alpha) {
    // As prune_cost_complexity has it: a link goes at alphas of its own and above.
    return static_cast<std::size_t>(std::lower_bound(alphas.begin(),
                                                     alphas.end(),
                                                     alpha,
                                                     [](double a, double c) {
                                                       return a * (1 + 0x1p-40) < c ||
                                                              (a == 0 && c >= 0);
                                                     }) -
                                    alphas.begin());
  };
  std::vector<std::size_t> begins(collapse.size());
  for (std::size_t i = 0; i < collapse.size(); ++i) {
    begins[i] = tree.nodes[i].is_leaf() ? 0 : first_at(collapse[i]);
  }
  double weight = 0;
  for (std::int64_t row = 0; row < table.rows; ++row) {
    const double own = target.weights != nullptr ? target.weights[row] : 1;
    weight += own;
    std::size_t end = alphas.size();
    std::int32_t at = 0;
    while (true) {
      const Node& node = tree.nodes[at];
      const std::size_t begin = begins[at];
      if (begin < end) {
        const double* value = tree.value(at);
        double score = 0;
        if (target.is_class()) {
          score = std::max_element(value, value + tree.outputs) - value == target.codes[row];
        } else {
          score = -(*value - target.values[row]) * (*value - target.values[row]);
        }
        changes[begin] += own * score;
        changes[end] -= own * score;
        end = begin;
      }
      if (node.is_leaf()) break;
      at = tree.child_of(node, static_cast<double>(table(row, node.feature)));
    }
  }
  double sum = 0;
  for (std::size_t k = 0; k < alphas.size(); ++k) {
    sum += changes[k];
    scores[k] = weight > 0 ? sum / weight : 0;
  }
}

}  // namespace

std::vector<PathPoint> cost_complexity_path(const Tree& tree) {
  Links links(tree);
  std::vector<PathPoint> path{{0, links.impurity(), links.leaves()}};
  while (!links.empty()) {
    // Rounding may make a weakness fall below the one before, or below 0.
    const double alpha = std::max(links.weakest(), path.back().alpha);
    links.prune_weakest();
    const double before = path.back().alpha;
    const bool same = alpha - before <= std::ldexp(std::max(alpha, 1e-12), -40);
    if (!same) path.push_back({});
    path.back() = {same ? before : alpha, links.impurity(), links.leaves()};
  }
  return path;
}

std::vector<double> collapse_alphas(const Tree& tree) {
  std::vector<double> alphas(tree.nodes.size(), 0);
  Links links(tree);
  double alpha = 0;
  while (!links.empty()) {
    alpha = std::max(alpha, links.weakest());
    for (const std::size_t node : links.prune_weakest()) alphas[node] = alpha;
  }
  return alphas;
}

Tree prune_cost_complexity(const Tree& tree, double alpha) {
  if (!(alpha >= 0)) throw usage_error("alpha: expected 0 or more, got {}", alpha);
  Links links(tree);
  while (alpha > 0 && !links.empty() && links.weakest() <= alpha * (1 + 0x1p-40)) {
    links.prune_weakest();
  }
  return compacted(tree, links.pruned());
}

template <class T>
Tree prune_reduced_error(Context& context,
                         const Tree& tree,
                         TableView<T> table,
                         const Target& target) {
  std::vector<double> as_leaf(tree.nodes.size(), 0), below(tree.nodes.size(), 0);
  for (std::int64_t i = 0; i < table.rows; ++i) {
    if (i % 4096 == 0) context.check_cancelled();
    const double weight = target.weights != nullptr ? target.weights[i] : 1;
    std::int32_t at = 0;
    while (true) {
      const Node& node = tree.nodes[at];
      const double* value = tree.value(at);
      if (target.is_class()) {
        const auto best = std::max_element(value, value + tree.outputs) - value;
        as_leaf[at] += weight * (best != target.codes[i]);
      } else {
        const double error = *value - target.values[i];
        as_leaf[at] += weight * error * error;
      }
      if (node.is_leaf()) break;
      at = tree.child_of(node, static_cast<double>(table(i, node.feature)));
    }
  }
  std::vector<char> is_leaf(tree.nodes.size(), 0);
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    const Node& node = tree.nodes[i];
    if (!node.is_leaf()) {
      below[i] = below[node.left] + below[node.right];
      is_leaf[i] = as_leaf[i] <= below[i];
    }
    if (node.is_leaf() || is_leaf[i] != 0) below[i] = as_leaf[i];
  }
  return compacted(tree, is_leaf);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, prune_reduced_error)

template <class T>
AlphaChoice choose_alpha(Context& context,
                         TableView<T> table,
                         const Target& target,
                         const TreeParams& params,
                         const std::vector<std::int32_t>& fold_of,
                         std::int64_t folds) {
  AlphaChoice choice;
  choice.alphas = candidates(cost_complexity_path(fit_tree(context, table, target, params)));
  const std::size_t count = choice.alphas.size();
  const std::vector<std::string> names(table.columns);
  std::vector<double> squares(count, 0), own(count);
  choice.scores.assign(count, 0);
  const double n = static_cast<double>(folds);
  for (std::int64_t k = 0; k < folds; ++k) {
    context.check_cancelled();
    const auto in = [&](std::int64_t i) { return fold_of[i] == k; };
    const auto rest = part_of(table, names, target, [&](std::int64_t i) { return !in(i); });
    const auto held = part_of(table, names, target, in);
    const Tree grown = fit_tree(context, rest.table.view(), rest.target(), params);
    const Tree tree = on_columns({grown}, table.columns, params.one_hot)[0];
    score_fold(tree, held.table.view(), held.target(), choice.alphas, own);
    for (std::size_t a = 0; a < count; ++a) {
      choice.scores[a] += own[a] / n;
      squares[a] += own[a] * own[a] / n;
    }
  }
  for (std::size_t a = 0; a < count; ++a) {
    const double variance = std::max(0.0, squares[a] - choice.scores[a] * choice.scores[a]);
    choice.deviations.push_back(std::sqrt(variance / n));
    if (choice.scores[a] >= choice.scores[choice.best]) choice.best = a;
  }
  for (std::size_t a = choice.best; a < count; ++a) {
    if (choice.scores[a] >= choice.scores[choice.best] - choice.deviations[choice.best]) {
      choice.sparest = a;
    }
  }
  return choice;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, choose_alpha)

}  // namespace yupana::forest
