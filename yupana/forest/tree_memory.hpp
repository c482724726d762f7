#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/forest/forest.hpp"

namespace yupana::forest {

/// Bytes of a node's categories.
inline double bytes_of(const CategorySet& set) {
  return static_cast<double>(sizeof(set)) + static_cast<double>(set.size()) / 8;
}
inline double bytes_of_sets(const Tree& tree) {
  double bytes = 0;
  for (const CategorySet& set : tree.sets) bytes += bytes_of(set);
  return bytes;
}

/// Bytes that a tree takes with the form that rows go through: nodes of 72 and at most 96 more, and
/// a number an output in the first, two in the second.
inline double bytes_of(const Tree& tree) {
  return static_cast<double>(tree.nodes.size()) * (168.0 + 24.0 * tree.outputs) +
         bytes_of_sets(tree);
}

/// Bytes of a tree alone.
inline double bytes_at_rest(const Tree& tree) {
  return static_cast<double>(tree.nodes.size() * sizeof(Node) +
                             tree.values.size() * sizeof(double)) +
         bytes_of_sets(tree);
}

template <class T>
double bytes_of(TableView<T> table) {
  return static_cast<double>(table.rows) * static_cast<double>(table.columns) * sizeof(T);
}

/// Bytes of a node of a tree of so many outputs, as bytes_of(tree) counts.
inline double bytes_of_node(std::int32_t outputs) { return bytes_of(Tree{{Node{}}, outputs, {}}); }

/// The most leaves of a tree grown from so many of a table's rows, one of them several times
/// where they are drawn.
inline double most_leaves(const TreeParams& params, std::int64_t rows, std::int64_t draws) {
  const std::int64_t own =
      std::min(rows, draws / std::max<std::int64_t>(1, params.min_samples_leaf));
  const bool is_shallow = params.max_depth != unlimited_depth && params.max_depth < 60;
  const std::int64_t by_depth = is_shallow ? std::int64_t{1} << params.max_depth : own;
  return static_cast<double>(std::max<std::int64_t>(1, std::min(own, by_depth)));
}

/// Trees, next to the table or alone, pass what the run may hold.
class TreesTooLarge : public Error {
 public:
  TreesTooLarge(const std::string& message, bool alone)
      : Error(ErrorCode::out_of_resources, message), alone_(alone) {}
  /// A smaller part of the table is no help.
  bool alone() const { return alone_; }

 private:
  bool alone_;
};

/// The bytes of trees that grow side by side, next to `held` bytes of their table and lists.
class TreeMemory {
 public:
  /// A single tree counts its nodes as they are made.
  TreeMemory(const Context& context, std::int32_t outputs, double held)
      : node_(bytes_of_node(outputs)), held_(held), most_(static_cast<double>(context.memory())) {}
  TreeMemory(const Context& context, const ForestParams& params, std::int32_t outputs, double held)
      : TreeMemory(context, outputs, held) {
    trees_ = params.trees;
    // One leaf each, before any work.
    check(static_cast<double>(trees_) * node_);
  }

  /// errors: TreesTooLarge where the trees so far and the table pass what the run may hold
  void add(const Tree& tree) { add_bytes(bytes_of(tree)); }
  void add(std::int64_t nodes) { add_bytes(static_cast<double>(nodes) * node_); }
  void add(const CategorySet& set) { add_bytes(bytes_of(set)); }

 private:
  void add_bytes(double bytes) { check(bytes_.fetch_add(bytes) + bytes); }

  void check(double bytes) const {
    if (held_ + bytes <= most_) return;
    const std::string message = fmt::format(
        "{}{} takes more than {}, which is what memory is limited to; give {}--max-depth, "
        "--min-samples-leaf or more --memory",
        trees_ == 0 ? "a tree" : "a forest of " + counted(trees_, "tree"),
        held_ > 0 ? fmt::format(" next to a table and lists of {}", human_bytes(held_)) : "",
        allowed_bytes(most_),
        trees_ > 1 ? "fewer --trees, " : "");
    throw TreesTooLarge(message, bytes > most_);
  }

  std::int64_t trees_ = 0;  ///< of a forest; 0: a single tree
  double node_;
  double held_;
  double most_;
  std::atomic<double> bytes_{0};
};

}  // namespace yupana::forest
