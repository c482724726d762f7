#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/forest/problem.hpp"
#include "yupana/forest/rank_sort.hpp"
#include "yupana/forest/row_ranks.hpp"
#include "yupana/forest/scan.hpp"

namespace yupana::forest {

/// The sorted keys of the features that were drawn at a node, gathered from all rows' keys. Nodes
/// are many and small: memory is kept from one to the next.
template <class T>
class SampledColumns {
 public:
  static constexpr std::size_t own_list = ~std::size_t{0};  ///< no slot: keys are gathered

  /// A drawn feature's values at the node at work, sorted.
  struct Column {
    Array<std::uint32_t> keys, rows;
    NodeRange range;
    std::vector<std::uint32_t> counts;  ///< of each key, where count_keys() made them
    std::size_t counted = own_list;     ///< the slot that has the counts of the same column
    std::size_t next = own_list;        ///< the next slot that shares them
    Totals ones;                        ///< of two classes instead: of the category's rows
  };

  /// max_rows: of a node. needs_rows: the scans look up what keys do not hold.
  SampledColumns(const RowRanks<T>& ranks,
                 const std::vector<std::int32_t>& one_hot,
                 std::int64_t max_rows,
                 bool needs_rows)
      : ranks_(ranks),
        one_hot_(one_hot),
        features_(ranks.features, one_hot),
        max_rows_(max_rows),
        needs_rows_(needs_rows),
        sort_(ranks.class_bits, ranks.key_bits),
        last_slots_(static_cast<std::size_t>(ranks.features), own_list) {}

  const FeatureColumns& features() const { return features_; }
  /// The features drawn at the node, in the order of the draws.
  const std::vector<std::int32_t>& sampled() const { return sampled_; }
  /// slot: a place in sampled().
  Column& operator[](std::size_t slot) { return columns_[slot]; }

  /// Whether keys of so many rows may be brought together, see bring_near().
  bool can_bring_near(std::int64_t n) const {
    return !needs_rows_ && !ranks_.short_keys.empty() && n * ranks_.features <= near_keys;
  }
  /// Copies the keys of some rows, and numbers the rows from 0: from then on, until far(), keys of
  /// rows so numbered are read. A node's branch below is grown from the first cache.
  void bring_near(std::uint32_t* rows, std::int64_t n) {
    if (near_.empty()) near_ = Array<std::uint16_t>(near_keys);
    std::uint16_t* to = near_.data();
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint16_t* const own = ranks_.short_keys.data() + rows[i] * ranks_.features;
      to = std::copy_n(own, ranks_.features, to);
      rows[i] = static_cast<std::uint32_t>(i);
    }
    is_near_ = true;
  }
  void far() { is_near_ = false; }
  /// body(keys of the rows at work, of either size)
  template <class Body>
  void with_keys(const Body& body) const {
    is_near_ ? body(near_.data()) : ranks_.with_keys(body);
  }

  void clear() { sampled_.clear(); }
  void push_back(std::int32_t feature) { sampled_.push_back(feature); }

  std::size_t slot_of(std::int32_t feature) const {
    return static_cast<std::size_t>(std::find(sampled_.begin(), sampled_.end(), feature) -
                                    sampled_.begin());
  }

  /// Keys of the features drawn from number `first` on, row after row: a row's keys are adjacent.
  /// Of a category, those of the rows that have it, and then of those whose category is missing.
  void gather(const std::uint32_t* rows, std::int64_t n, std::size_t first) {
    if (columns_.size() < sampled_.size()) add_columns();
    for (std::size_t j = first; j < sampled_.size(); ++j) {
      NodeRange& range = columns_[j].range;  // finish() makes the rest of it
      range.is_sparse = is_one_hot(sampled_[j]);
      range.last = range.missing_at = 0;
    }
    share_counts(n, first);
    for (std::int64_t begin = 0; begin < n; begin += gather_rows) {
      const std::int64_t end = std::min(n, begin + gather_rows);
      if (!is_near_) {
        ranks_.with_keys([&](const auto* keys) {
          for (std::int64_t i = end; i < std::min(n, end + gather_rows); ++i) {
            __builtin_prefetch(keys + rows[i] * ranks_.features);
          }
        });
      }
      for (std::size_t j = first; j < sampled_.size(); ++j) {
        if (columns_[j].range.is_sparse) {
          if (columns_[j].counted == own_list) {
            with_keys([&](const auto* keys) {
              gather_ones(keys, rows, n, begin, end, sampled_[j], columns_[j]);
            });
          } else if (columns_[j].counted == j && ranks_.class_bits == 1) {
            with_keys([&](const auto* keys) { count_classes(keys, rows + begin, end - begin, j); });
          } else if (columns_[j].counted == j) {
            with_keys([&](const auto* keys) {
              count_keys(keys, rows + begin, end - begin, sampled_[j], columns_[j].counts);
            });
          }
          continue;
        }
        const std::int32_t column = features_.column(sampled_[j]);
        std::uint32_t* to = columns_[j].keys.data();
        with_keys([&](const auto* keys) {
          const auto* const own = keys + column;
          for (std::int64_t i = begin; i < end; ++i) to[i] = own[rows[i] * ranks_.features];
        });
      }
    }
    for (std::size_t j = first; j < sampled_.size(); ++j) {
      if (columns_[j].range.is_sparse) {
        if (columns_[j].counted != own_list) list_counted(sampled_[j], columns_[j]);
      } else if (needs_rows_) {
        std::copy_n(rows, n, columns_[j].rows.data());
      }
    }
  }

  /// Makes a gathered column's range for the scans: its values in order, or a category's rows.
  void finish(std::int64_t n, std::size_t slot, const LeafLimits& least) {
    Column& column = columns_[slot];
    NodeRange& range = column.range;
    const bool is_sparse = range.is_sparse;
    const std::int64_t ones = range.last;
    std::int64_t known = n - range.missing_at;
    if (!is_sparse) {
      sort_.sort(n, column.keys, needs_rows_ ? &column.rows : nullptr);
      const std::uint32_t *keys = column.keys.data(), *end = keys + n;
      const std::uint32_t missing = ranks_.missing_rank << ranks_.class_bits;
      known = keys[n - 1] < missing ? n : std::lower_bound(keys, end, missing) - keys;
    }
    const std::uint32_t* const rows = needs_rows_ ? column.rows.data() : nullptr;
    range = {column.keys.data(), rows, ranks_.class_bits, known, n, least};
    if (!is_sparse) return;
    range.is_sparse = true;
    range.last = ones;
    range.missing_at = known;
    if (column.counted != own_list && ranks_.class_bits == 1) range.together = &column.ones;
  }

 private:
  // Rows whose lines of keys stay in the first cache while one feature after the other is read.
  static constexpr std::int64_t gather_rows = 128;
  static constexpr std::int64_t near_keys = 1 << 14;

  bool is_one_hot(std::int32_t feature) const {
    return features_.is_one_hot(features_.column(feature));
  }

  void add_columns() {
    while (columns_.size() < sampled_.size()) {
      columns_.emplace_back().keys = Array<std::uint32_t>(max_rows_);
      if (needs_rows_) columns_.back().rows = Array<std::uint32_t>(max_rows_);
    }
    for (Column& column : columns_) {  // which may have moved
      if (column.range.together != nullptr) column.range.together = &column.ones;
    }
  }

  /// Chooses for which columns a pass over a node's rows counts the keys, for all categories drawn
  /// of a column: lists of them differ by nothing else where only classes are wanted. Of more
  /// classes than two there is a count a key: too many for few rows.
  void share_counts(std::int64_t n, std::size_t first) {
    for (std::size_t j = first; j < sampled_.size(); ++j) {
      Column& own = columns_[j];
      own.counted = own_list;
      const std::int32_t column = features_.column(sampled_[j]);
      if (!own.range.is_sparse || needs_rows_ || ranks_.has_missing[column] != 0) continue;
      const auto size = static_cast<std::size_t>(one_hot_[column]) << ranks_.class_bits;
      const bool two = ranks_.class_bits == 1;
      if (!two && n < static_cast<std::int64_t>(size)) continue;
      own.counted = j;
      own.next = own_list;
      std::size_t& last = last_slots_[static_cast<std::size_t>(column)];
      if (last != own_list) {
        columns_[last].next = j;
        own.counted = columns_[last].counted;
      }
      last = j;
      if (two) own.ones.classes.resize(2);
      if (own.counted == j && !two) own.counts.assign(2 * size, 0);
    }
    for (std::size_t j = first; j < sampled_.size(); ++j) {
      last_slots_[static_cast<std::size_t>(features_.column(sampled_[j]))] = own_list;
    }
  }

  /// Counts what some rows add to each drawn category of the column of slot `first`. The keys are
  /// compared with each, some at once: to count all of them in memory each would wait for the last.
  template <class K>
  void count_classes(const K* all, const std::uint32_t* rows, std::int64_t n, std::size_t first) {
    const std::int32_t column = features_.column(sampled_[first]);
    const std::int32_t zeroth = features_.first(column);
    const std::int64_t stride = ranks_.features;
    K keys[gather_rows];
    for (std::int64_t i = 0; i < n; ++i) keys[i] = all[rows[i] * stride + column];
    for (std::size_t j = first; j != own_list; j = columns_[j].next) {
      const auto own = static_cast<K>((sampled_[j] - zeroth) << 1), next = static_cast<K>(own + 1);
      K zeros = 0, ones = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        zeros = static_cast<K>(zeros + (keys[i] == own ? 1 : 0));
        ones = static_cast<K>(ones + (keys[i] == next ? 1 : 0));
      }
      columns_[j].ones.classes[0] += zeros;
      columns_[j].ones.classes[1] += ones;
    }
  }

  /// In two halves: of neighbours with one key neither waits for the other's count.
  template <class K>
  void count_keys(const K* all,
                  const std::uint32_t* rows,
                  std::int64_t n,
                  std::int32_t feature,
                  std::vector<std::uint32_t>& counts) const {
    const K* const keys = all + features_.column(feature);
    const std::int64_t stride = ranks_.features;
    std::uint32_t *const even = counts.data(), *const odd = even + counts.size() / 2;
    std::int64_t i = 0;
    for (; i + 1 < n; i += 2) {
      ++even[keys[rows[i] * stride]];
      ++odd[keys[rows[i + 1] * stride]];
    }
    if (i < n) ++even[keys[rows[i] * stride]];
  }

  /// The keys of a category's rows, from the counts of its column; of two classes their sums.
  void list_counted(std::int32_t feature, Column& to) {
    const int class_bits = ranks_.class_bits;
    if (class_bits == 1) {
      to.ones.rows = to.ones.classes[0] + to.ones.classes[1];
      to.ones.weight = to.range.last = to.ones.rows;
      return;
    }
    const auto own =
        static_cast<std::uint32_t>(feature - features_.first(features_.column(feature)));
    const std::vector<std::uint32_t>& counts = columns_[to.counted].counts;
    std::uint32_t* at = to.keys.data();
    for (std::uint32_t key = own << class_bits; key < (own + 1) << class_bits; ++key) {
      at = std::fill_n(at, counts[key] + counts[counts.size() / 2 + key], key);
    }
    to.range.last = at - to.keys.data();
  }

  /// Appends what rows [begin, end) of a node have of a category; missing values from the end on.
  template <class K>
  void gather_ones(const K* all,
                   const std::uint32_t* rows,
                   std::int64_t n,
                   std::int64_t begin,
                   std::int64_t end,
                   std::int32_t feature,
                   Column& to) {
    const std::int32_t column = features_.column(feature);
    const auto own = static_cast<std::uint32_t>(feature - features_.first(column));
    const K* const keys = all + column;
    std::uint32_t *const to_keys = to.keys.data(), *const to_rows = to.rows.data();
    const std::int64_t stride = ranks_.features, most = n - 1;
    const std::uint32_t missing = ranks_.missing_rank;
    const int class_bits = ranks_.class_bits;
    const bool with_rows = needs_rows_, may_miss = ranks_.has_missing[column] != 0;
    std::int64_t ones = to.range.last, missed = to.range.missing_at;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::uint32_t key = keys[rows[i] * stride], rank = key >> class_bits;
      const bool is_missing = may_miss && rank == missing;
      const std::int64_t at = is_missing ? most - missed : ones;
      to_keys[at] = key;
      if (with_rows) to_rows[at] = rows[i];
      missed += is_missing;
      ones += rank == own;
    }
    to.range.last = ones;
    to.range.missing_at = missed;
  }

  const RowRanks<T>& ranks_;
  const std::vector<std::int32_t>& one_hot_;
  FeatureColumns features_;
  std::int64_t max_rows_;
  bool needs_rows_;
  RankSort sort_;
  std::vector<std::size_t> last_slots_;  ///< of each column, while share_counts() runs
  std::vector<std::int32_t> sampled_;
  std::vector<Column> columns_;  ///< of each of sampled_
  Array<std::uint16_t> near_;    ///< keys of the rows brought together
  bool is_near_ = false;         ///< rows are numbers of these
};

}  // namespace yupana::forest
