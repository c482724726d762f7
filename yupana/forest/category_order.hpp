#pragma once

#include <cstdint>
#include <vector>

#include "yupana/forest/problem.hpp"
#include "yupana/forest/scan.hpp"

/// Private to the family.
namespace yupana::forest {

// A node's categories are brought into an order, and its split is the best cut of that order, as if
// their places were numbers; missing values go to either side. The order has a best parting of the
// categories in two among its cuts (unless min_samples_leaf or min_weight_fraction_leaf forbid
// some) where
//   numbers are predicted, or two classes are in the node: by the mean, or the share of the second
//     class; equal ones by number (Breiman, Friedman, Olshen, Stone 1984, theorem 4.5);
//   more classes, and at most max_tried categories are in the node: all partings are tried, missing
//     values as a category more. The first category goes left; of equal gains the parting is taken
//     whose other categories on the left are the least binary number. Left ones come first, each
//     side by number.
// For more categories of more classes it is the best of the orders by the share of one class, of
// equal ones that of the first class: not always the best of all partings.

/// Categories of a node that are parted in every way.
inline constexpr std::int64_t max_tried = 10;

/// What is known of the rows of each category of a node, by its number, and of missing values.
struct CategoryTotals {
  std::vector<Totals> known;
  Totals missing;  ///< rows 0: none are
};

/// The categories, as places in `known`, in order.
std::vector<std::int32_t> category_order(const Problem& problem,
                                         const Totals& node,
                                         const CategoryTotals& categories,
                                         const LeafLimits& least);

namespace reference {
std::vector<std::int32_t> category_order(const Problem& problem,
                                         const Totals& node,
                                         const CategoryTotals& categories,
                                         const LeafLimits& least);
}  // namespace reference

/// Brings the entries of a node, of which equal keys are adjacent and missing values the last, into
/// the order of their categories. keys, rows: those of `range`.
void order_entries(const Problem& problem,
                   const Totals& node,
                   const NodeRange& range,
                   std::uint32_t* keys,
                   std::uint32_t* rows);

/// order_entries() of nodes whose entries are contiguous, of rows that are numbered otherwise than
/// in the table. rows: these numbers; table_rows: the table's
struct NodeEntries {
  std::uint32_t* keys;
  std::uint32_t* rows;
  const std::uint32_t* table_rows;
  int class_bits;
  std::uint32_t missing_key;
};
void order_nodes(Context& context,
                 const Problem& problem,
                 const std::vector<const Totals*>& nodes,
                 const std::vector<LeafLimits>& least,
                 const NodeEntries& entries);

/// Sums over entries [begin, end) of a node.
Totals totals_in(const Problem& problem,
                 const NodeRange& range,
                 std::int64_t begin,
                 std::int64_t end);

/// The set of a node whose first known_left entries go left. value_at(i): the category of entry i.
template <class ValueAt>
CategorySet set_of(const NodeRange& range,
                   std::int64_t categories,
                   std::int64_t known_left,
                   bool missing_left,
                   const ValueAt& value_at) {
  CategorySet set(static_cast<std::size_t>(categories), missing_left);
  for (std::int64_t i = 0; i < range.known; ++i) {
    if (i > 0 && !range.changes_after(i - 1)) continue;
    set[static_cast<std::size_t>(value_at(i))] = i < known_left;
  }
  return set;
}

/// How many categories each feature has; 0: it is not categorical. bad_input for a value that is
/// none.
template <class T>
std::vector<std::int64_t> count_categories(TableView<T> table, const TreeParams& params);

}  // namespace yupana::forest
