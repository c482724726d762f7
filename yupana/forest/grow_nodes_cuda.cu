// Nodes of a level from the answers of a device: what each left child sums to, children, leaves.
#include <iterator>
#include <limits>
#include <utility>

#include "yupana/forest/grow_cuda.hpp"

namespace yupana::forest::cuda {
namespace {

Totals rest_of(const Totals& node, const Totals& left) {
  Totals right = node;
  right.rows -= left.rows;
  right.weight -= left.weight;
  right.moment -= left.moment;
  right.square -= left.square;
  for (std::size_t c = 0; c < right.classes.size(); ++c) right.classes[c] -= left.classes[c];
  return right;
}

}  // namespace

Totals Grower::left_totals(const Answer& answer, std::size_t i, const Totals& node) const {
  Totals left;
  left.rows = static_cast<std::int64_t>(answer.rows[i]);
  left.least = node.least;
  left.most = node.most;
  if (problem_.classes > 0) {
    const auto* sums = answer.sums.data() + i * static_cast<std::size_t>(problem_.classes);
    left.classes.resize(static_cast<std::size_t>(problem_.classes));
    for (std::int64_t& count : left.classes) {
      count = static_cast<std::int64_t>(*sums++);
      left.weight += count;
    }
    return left;
  }
  left.weight = static_cast<std::int64_t>(answer.sums[3 * i]);
  left.moment = static_cast<std::int64_t>(answer.sums[3 * i + 1]);
  left.square = static_cast<std::int64_t>(answer.sums[3 * i + 2]);
  left.least = from_order(~answer.extremes[4 * i]);
  left.most = from_order(answer.extremes[4 * i + 1]);
  return left;
}

std::int32_t Grower::add_node(std::int32_t tree, const Totals& totals) {
  return add_leaf(problem_, totals, -1, false, trees_[tree]);
}

/// Makes the children of open node i; those that are no leaves are appended to `next`.
void Grower::partition_node(const Answer& answer,
                            std::size_t i,
                            std::int64_t depth,
                            std::vector<Open>& next) {
  const Open& open = open_[i];
  const NodeSplit& found = answer.found[i];
  if (open.is_leaf || found.feature < 0) return;
  const Totals left = left_totals(answer, i, open.totals);
  Totals right = rest_of(open.totals, left);
  if (problem_.classes == 0) {
    right.least = from_order(~answer.extremes[4 * i + 2]);
    right.most = from_order(answer.extremes[4 * i + 3]);
  }
  const std::int64_t all = all_weight_[static_cast<std::size_t>(open.tree)];
  if (!gains_enough(problem_, params_, open.totals, left, right, all)) return;
  const std::int32_t children[2] = {add_node(open.tree, left), add_node(open.tree, right)};
  Tree& tree = trees_[static_cast<std::size_t>(open.tree)];
  Node& node = tree.nodes[static_cast<std::size_t>(open.index)];
  node.feature = found.feature;
  node.missing_left = found.has_missing != 0 ? found.missing_left != 0 : left.rows > right.rows;
  if (categories_.is_categorical(found.feature)) {
    node.set = static_cast<std::int32_t>(tree.sets.size());
    tree.sets.push_back(categories_.set_of(i, found.feature, node.missing_left));
  } else {
    node.threshold = found.row_above == nowhere
                         ? std::numeric_limits<double>::infinity()
                         : threshold_(found.feature, found.row_below, found.row_above);
  }
  node.left = children[0];
  node.right = children[1];
  for (const bool is_right : {false, true}) {
    const Totals& totals = is_right ? right : left;
    if (is_leaf(params_, totals, depth + 1)) continue;
    Open child;
    child.tree = open.tree;
    child.index = children[is_right ? 1 : 0];
    child.key = child_key(open.key, is_right);
    child.row_base = open.row_base;
    child.totals = totals;
    Move& move = moves_[i];
    (is_right ? move.right : move.left) = move.left_before = 0;
    next.push_back(std::move(child));
  }
}

/// The open nodes of the next level; where they go is in moves_. Trees are looked at side by side:
/// their open nodes stand one after the other.
std::vector<Grower::Open> Grower::next_nodes(const Answer& answer, std::int64_t depth) {
  moves_.assign(open_.size(), {nowhere, nowhere, nowhere});
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (i == 0 || open_[i].tree != open_[i - 1].tree) begins.push_back(i);
  }
  begins.push_back(open_.size());
  std::vector<std::vector<Open>> next(begins.size() - 1);
  context_.parallel_for(std::ssize(next), 1, [&](std::size_t t) {
    for (std::size_t i = begins[t]; i < begins[t + 1]; ++i) {
      partition_node(answer, i, depth, next[t]);
    }
  });
  std::vector<Open> all;
  for (auto& own : next) std::move(own.begin(), own.end(), std::back_inserter(all));
  std::uint32_t lefts = 0, begin = 0;
  std::size_t child = 0;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    Move& move = moves_[i];
    if (move.left_before == nowhere) continue;
    move.left_before = lefts;
    lefts += static_cast<std::uint32_t>(answer.rows[i]);
    for (std::uint32_t* target : {&move.left, &move.right}) {
      if (*target == nowhere) continue;
      *target = begin;
      begin += static_cast<std::uint32_t>(all[child++].totals.rows);
    }
  }
  return all;
}

}  // namespace yupana::forest::cuda
