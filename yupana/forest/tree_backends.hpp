#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "yupana/core/comm.hpp"
#include "yupana/core/context.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/lists.hpp"
#include "yupana/forest/problem.hpp"
#include "yupana/forest/prune.hpp"
#include "yupana/forest/tree.hpp"

namespace yupana::forest {

namespace reference {
/// One node at a time, every split of it scored from its counts. Row i appears repeats[i] times
/// (null: once).
template <class T>
Tree fit_tree(Context& context,
              TableView<T> table,
              const Problem& problem,
              const TreeParams& params,
              const std::uint8_t* repeats);
}  // namespace reference

namespace cpu {
template <class T>
Tree fit_tree(Context& context,
              TableView<T> table,
              const Problem& problem,
              const TreeParams& params);
}  // namespace cpu

/// Throws usage for parameters without sense, bad_input for an empty table.
void check_tree_params(const TreeParams& params, std::int64_t rows, std::int64_t features);
/// Throws usage for monotonic features or drawn thresholds that do not go with the rest.
void check_rules(const TreeParams& params, const Target& target, std::int64_t features);

/// min_weight_fraction_leaf as min_samples_leaf, for devices, which count rows alone; usage where a
/// tree's rows do not weigh alike. rows: that each tree sees; 0: not the same of all.
TreeParams with_weight_in_rows(TreeParams params, const Problem& problem, std::int64_t rows);

/// grow(params) without a limit of leaves, and best_first() where params have one. A tree that
/// wants few leaves grows to a depth that is likely to suffice, and again where it does not.
template <class Grow>
Tree grow_best_first(TreeParams params, const Grow& grow) {
  const std::int64_t leaves = params.max_leaf_nodes;
  if (leaves == 0) return grow(params);
  const std::int64_t deepest =
      params.max_depth < 0 ? leaves - 1 : std::min(params.max_depth, leaves - 1);
  std::int64_t depth = 2 + 2 * std::bit_width(static_cast<std::uint64_t>(leaves));
  while (true) {
    const bool is_last = depth >= deepest;
    params.max_depth = is_last ? deepest : depth;
    std::optional<Tree> tree =
        best_first(grow(params), leaves, is_last ? unlimited_depth : params.max_depth);
    if (tree) return *std::move(tree);
    depth *= 2;
  }
}

/// Notes that weights lost digits: they are counted in units of 2^-40 of their sum, one at least.
inline void note_rounded_weights(Context& context,
                                 std::int64_t rows,
                                 const Target& target,
                                 const Problem& problem) {
  for (std::int64_t i = 0; i < problem.weights.size() && i < rows; ++i) {
    const double weight = target.weights[i];
    const double kept = static_cast<double>(problem.weights[i]) * problem.weight_unit;
    if (std::fabs(kept - weight) <= weight / 1000) continue;
    context.note(
        "weights are rounded to 2^-40 of their sum, and the least by more than a thousandth of "
        "their own; give weights of fewer magnitudes");
    return;
  }
}

/// Gives every rank the trees of all: trees[t] is that of rank t modulo their number. Collective.
void share_trees(Comm& comm, std::vector<Tree>& trees);

}  // namespace yupana::forest
