#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/forest/category_order.hpp"
#include "yupana/forest/lists.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/forest/split.hpp"

/// Private to the family.
namespace yupana::forest {

/// The ranges of a node's features in the lists of their columns.
struct NodeRanges {
  const Problem& problem;
  const Lists& lists;
  const FeatureColumns& features;
  LeafLimits least = {};

  NodeRange range_of_column(const Segment& segment, std::int64_t column) const {
    NodeRange range;
    range.keys = lists.key(column) + segment.begin;
    range.rows = lists.row(column) + segment.begin;
    range.class_bits = lists.class_bits;
    range.all = range.known = segment.size();
    range.least = least;
    const std::uint32_t missing = lists.missing_key();
    if (range.keys[range.all - 1] >= missing) {
      range.known = first_from(range, missing >> lists.class_bits);
    }
    range.is_sparse = features.is_one_hot(column);
    range.missing_at = range.known;
    return range;
  }

  /// The first entry of a rank that is not below `rank`.
  static std::int64_t first_from(const NodeRange& range, std::uint32_t rank) {
    const auto below = [&](std::uint32_t key, std::uint32_t own) {
      return key >> range.class_bits < own;
    };
    return std::lower_bound(range.keys, range.keys + range.known, rank, below) - range.keys;
  }

  NodeRange range_of(const Segment& segment, std::int32_t feature) const {
    const std::int32_t column = features.column(feature);
    NodeRange range = range_of_column(segment, column);
    if (!range.is_sparse) return range;
    const auto category = static_cast<std::uint32_t>(feature - features.first(column));
    range.first = range.positive = first_from(range, category);
    range.last = first_from(range, category + 1);
    return range;
  }

  /// visit(feature, range) for each feature of a one-hot column that is not 0 in all of a node. Of
  /// missing values all say the same: the first is visited.
  template <class Visit>
  void each_category(const Segment& segment, std::int64_t column, const Visit& visit) const {
    NodeRange range = range_of_column(segment, column);
    const std::int32_t first = features.first(column);
    Totals missing;
    if (range.known < range.all) {
      missing = totals_in(problem, range, range.known, range.all);
      range.missing = &missing;
      if (range.known == 0 || range.keys[0] >> range.class_bits > 0) visit(first, range);
    }
    for (std::int64_t i = 0; i < range.known; ++i) {
      if (i + 1 < range.known && !range.changes_after(i)) continue;
      range.first = range.positive = range.last;
      range.last = i + 1;
      visit(first + static_cast<std::int32_t>(range.keys[i] >> range.class_bits), range);
    }
  }
};

}  // namespace yupana::forest
