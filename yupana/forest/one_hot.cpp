#include "yupana/forest/one_hot.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::forest {
namespace {

template <class T>
void check_categories(const T* column, std::int64_t rows, std::int32_t categories) {
  for (std::int64_t i = 0; i < rows; ++i) {
    const T x = column[i];
    if (x != x) continue;
    if (x >= 0 && x < static_cast<T>(categories) &&
        static_cast<T>(static_cast<std::int32_t>(x)) == x) {
      continue;
    }
    throw input_error("row {}: expected a category, a whole number from 0 to {}, got {}",
                      i + 1,
                      categories - 1,
                      static_cast<double>(x));
  }
}

}  // namespace

FeatureColumns::FeatureColumns(std::int64_t columns, const std::vector<std::int32_t>& one_hot)
    : one_hot_(one_hot), count_(columns) {
  if (one_hot.empty()) return;
  if (std::ssize(one_hot) != columns) {
    throw usage_error(
        "one_hot: expected an entry for each of {} columns, got {}", columns, one_hot.size());
  }
  count_ = 0;
  for (const std::int32_t categories : one_hot) {
    firsts_.push_back(static_cast<std::int32_t>(count_));
    count_ += std::max(1, categories);
    columns_.resize(static_cast<std::size_t>(count_),
                    static_cast<std::int32_t>(firsts_.size()) - 1);
  }
}

template <class T>
void sort_by_category(const T* column,
                      std::int64_t rows,
                      std::int32_t categories,
                      std::uint32_t* order,
                      std::uint32_t* ranks) {
  check_categories(column, rows, categories);
  const auto missing = static_cast<std::size_t>(categories);
  const auto category = [&](std::int64_t i) {
    return column[i] == column[i] ? static_cast<std::size_t>(column[i]) : missing;
  };
  std::vector<std::int64_t> next(missing + 2, 0);
  for (std::int64_t i = 0; i < rows; ++i) ++next[category(i) + 1];
  for (std::size_t k = 0; k <= missing; ++k) {
    const std::uint32_t rank = k < missing ? static_cast<std::uint32_t>(k) : missing_rank;
    std::fill_n(ranks + next[k], next[k + 1], rank);
    next[k + 1] += next[k];
  }
  for (std::int64_t i = 0; i < rows; ++i)
    order[next[category(i)]++] = static_cast<std::uint32_t>(i);
}

template <class T>
Table<T> with_features(TableView<T> table, const std::vector<std::int32_t>& one_hot) {
  const FeatureColumns features(table.columns, one_hot);
  Table<T> result(table.rows, std::vector<std::string>(features.count()));
  for (std::int64_t c = 0; c < table.columns; ++c) {
    const T* const column = table.column(c);
    if (!features.is_one_hot(c)) {
      std::copy_n(column, table.rows, result.column(features.first(c)));
      continue;
    }
    check_categories(column, table.rows, one_hot[c]);
    for (std::int32_t k = 0; k < one_hot[c]; ++k) {
      T* const feature = result.column(features.first(c) + k);
      for (std::int64_t i = 0; i < table.rows; ++i) {
        feature[i] = column[i] != column[i] ? column[i] : static_cast<T>(column[i] == k);
      }
    }
  }
  return result;
}

std::vector<Tree> on_columns(std::vector<Tree> trees,
                             std::int64_t columns,
                             const std::vector<std::int32_t>& one_hot) {
  const FeatureColumns features(columns, one_hot);
  if (!features.has_one_hot()) return trees;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto read_column = [&](Node& node) {
    const std::int32_t column = features.column(node.feature);
    const std::int32_t category = node.feature - features.first(column);
    node.feature = column;
    if (!features.is_one_hot(column)) return;
    const bool parts = node.threshold >= 0 && node.threshold < 1;
    node.set = parts ? Node::one_category : -1;
    node.threshold = parts ? category : node.threshold < 0 ? -infinity : infinity;
  };
  for (Tree& tree : trees) {
    for (Node& node : tree.nodes) {
      if (!node.is_leaf()) read_column(node);
    }
  }
  return trees;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, sort_by_category, with_features)

}  // namespace yupana::forest
