#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/table.hpp"
#include "yupana/forest/lists.hpp"
#include "yupana/forest/tree.hpp"

/// Columns of categories as features of 0 and 1, which are never made: a list that is sorted by
/// category holds each feature's ones next to each other, and its zeros are all other rows.
namespace yupana::forest {

/// Which features a table's columns are (TreeParams::one_hot).
class FeatureColumns {
 public:
  FeatureColumns(std::int64_t columns, const std::vector<std::int32_t>& one_hot);

  std::int64_t count() const { return count_; }
  bool has_one_hot() const { return !firsts_.empty(); }
  bool is_one_hot(std::int64_t column) const { return has_one_hot() && one_hot_[column] > 0; }
  /// The feature that a column is, or the first of its features.
  std::int32_t first(std::int64_t column) const {
    return has_one_hot() ? firsts_[column] : static_cast<std::int32_t>(column);
  }
  std::int32_t column(std::int32_t feature) const {
    return has_one_hot() ? columns_[feature] : feature;
  }

 private:
  std::vector<std::int32_t> one_hot_, firsts_;  ///< of each column; empty: columns are features
  std::vector<std::int32_t> columns_;           ///< of each feature
  std::int64_t count_;
};

/// Whether trees grow from the features themselves: GPUs and the reference know no others, the
/// median of all rows but some is no difference of sums, and rules are about features.
inline bool makes_features(const Context& context, const TreeParams& params) {
  return context.backend() != Backend::cpu || params.criterion == Criterion::absolute_error ||
         params.has_rules();
}

/// The rows of a column in order of their category, which is their rank, missing ones last.
///   errors: bad_input for values that are no category
template <class T>
void sort_by_category(const T* column,
                      std::int64_t rows,
                      std::int32_t categories,
                      std::uint32_t* order,
                      std::uint32_t* ranks);

/// The table with a feature a category: 0 or 1, missing where the category is.
///   errors: bad_input for values that are no category of their column
template <class T>
Table<T> with_features(TableView<T> table, const std::vector<std::int32_t>& one_hot);

/// Trees of features as trees of the columns that they were made of: what is 0 or 1 by the row's
/// category becomes a comparison with the category (Node::one_category). Nodes keep their numbers.
std::vector<Tree> on_columns(std::vector<Tree> trees,
                             std::int64_t columns,
                             const std::vector<std::int32_t>& one_hot);

}  // namespace yupana::forest
