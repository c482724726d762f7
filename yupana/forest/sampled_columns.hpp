#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/forest/parted_keys.hpp"
#include "yupana/forest/problem.hpp"
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
    std::int64_t sums[2] = {};          ///< of two classes instead: the category's rows of each
    Totals ones;                        ///< the same for the scans
  };

  /// max_rows: of a node. parted: where the rows' keys are, if not null. needs_rows: the scans look
  /// up what keys do not hold.
  SampledColumns(const RowRanks<T>& ranks,
                 const std::vector<std::int32_t>& one_hot,
                 std::int64_t max_rows,
                 const PartedKeys* parted,
                 bool needs_rows)
      : ranks_(ranks),
        one_hot_(one_hot),
        features_(ranks.features, one_hot),
        max_rows_(max_rows),
        parted_(parted),
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
    return parted_ == nullptr && !needs_rows_ && !ranks_.short_keys.empty() &&
           n * ranks_.features <= near_keys;
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

  /// Keys of the features drawn from number `first` on, of n rows: `begin` and on of those that are
  /// parted, or else rows[0] and on. Of a category, those of the rows that have it, and then of
  /// those whose category is missing.
  void gather(const std::uint32_t* rows, std::int64_t begin, std::int64_t n, std::size_t first) {
    if (columns_.size() < sampled_.size()) add_columns();
    share_counts(n, first);
    if (parted_ != nullptr) {
      for (const std::size_t j : passes_) {
        read(parted_->column(features_.column(sampled_[j])) + begin, rows, n, 0, n, j);
      }
    } else {
      with_keys([&](const auto* keys) { gather_rows(keys, rows, n); });
    }
    for (std::size_t j = first; j < sampled_.size(); ++j) {
      if (columns_[j].range.is_sparse) {
        if (columns_[j].counted != own_list && !is_summed(j))
          list_counted(sampled_[j], columns_[j]);
      } else if (needs_rows_) {
        std::copy_n(rows, n, columns_[j].rows.data());
      }
    }
  }

  /// Whether sums of a category's rows are all that is known of it.
  bool is_summed(std::size_t slot) const {
    return ranks_.class_bits == 1 && columns_[slot].counted != own_list;
  }
  /// Makes a gathered column's range for the scans: its values in order, or a category's rows.
  void finish(std::int64_t n, std::size_t slot, const LeafLimits& least) {
    Column& column = columns_[slot];
    NodeRange& range = column.range;
    const bool is_sparse = range.is_sparse, summed = is_summed(slot);
    if (summed) {
      column.ones.classes.resize(2);
      std::copy_n(column.sums, 2, column.ones.classes.begin());
      column.ones.rows = column.ones.weight = range.last = column.sums[0] + column.sums[1];
    }
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
    if (summed) range.together = &column.ones;
  }

 private:
  // Rows whose lines of keys stay in the first cache while one feature after the other is read.
  static constexpr std::int64_t near_rows = 128;
  static constexpr std::int64_t near_keys = 1 << 14;

  /// Row after row: a row's keys are adjacent.
  template <class K>
  void gather_rows(const K* keys, const std::uint32_t* rows, std::int64_t n) {
    const std::int64_t stride = ranks_.features;
    for (std::int64_t begin = 0; begin < n; begin += near_rows) {
      const std::int64_t end = std::min(n, begin + near_rows);
      for (std::int64_t i = end; i < std::min(n, end + near_rows); ++i) {
        __builtin_prefetch(keys + rows[i] * stride);
      }
      for (const std::size_t j : passes_) {
        const KeysOfRows<K> own{keys + features_.column(sampled_[j]), rows, stride};
        read(own, rows, n, begin, end, j);
      }
    }
  }
  /// Reads as an array of keys does.
  template <class K>
  struct KeysOfRows {
    const K* keys;
    const std::uint32_t* rows;
    std::int64_t stride;
    K operator[](std::int64_t i) const { return keys[rows[i] * stride]; }
  };

  void add_columns() {
    while (columns_.size() < sampled_.size()) {
      columns_.emplace_back().keys = Array<std::uint32_t>(max_rows_);
      if (needs_rows_) columns_.back().rows = Array<std::uint32_t>(max_rows_);
    }
    for (Column& column : columns_) {  // which may have moved
      if (column.range.together != nullptr) column.range.together = &column.ones;
    }
  }

  /// Lists the passes over a node's rows, by the slot each is for. One counts the keys for all
  /// categories drawn of a column, where only classes are wanted: lists of them differ by nothing
  /// else. Of more classes than two there is a count a key: too many for few rows.
  void share_counts(std::int64_t n, std::size_t first) {
    const bool two = ranks_.class_bits == 1;
    passes_.clear();
    for (std::size_t j = first; j < sampled_.size(); ++j) {
      Column& own = columns_[j];
      const std::int32_t column = features_.column(sampled_[j]);
      own.range.is_sparse = features_.is_one_hot(column);  // finish() makes the rest of it
      own.range.last = own.range.missing_at = 0;
      own.counted = own.next = own_list;
      const bool listed = !own.range.is_sparse || needs_rows_ || ranks_.has_missing[column] != 0;
      const auto size =
          listed ? 0 : static_cast<std::size_t>(one_hot_[column]) << ranks_.class_bits;
      if (listed || (!two && n < static_cast<std::int64_t>(size))) {
        passes_.push_back(j);
        continue;
      }
      own.counted = j;
      own.sums[0] = own.sums[1] = 0;
      std::size_t& last = last_slots_[static_cast<std::size_t>(column)];
      if (last != own_list) {
        columns_[last].next = j;
        own.counted = columns_[last].counted;
      } else {
        passes_.push_back(j);
        if (!two) own.counts.assign(2 * size, 0);
      }
      last = j;
    }
    for (const std::size_t j : passes_) {
      last_slots_[static_cast<std::size_t>(features_.column(sampled_[j]))] = own_list;
    }
  }

  /// One pass over rows [begin, end) of n. keys: of the slot's column
  template <class Keys>
  void read(const Keys& keys,
            const std::uint32_t* rows,
            std::int64_t n,
            std::int64_t begin,
            std::int64_t end,
            std::size_t slot) {
    Column& to = columns_[slot];
    if (is_summed(slot)) return count_classes(keys, begin, end, slot);
    if (to.counted == slot) return count_keys(keys, begin, end, to.counts);
    if (to.range.is_sparse) return gather_ones(keys, rows, n, begin, end, sampled_[slot], to);
    std::uint32_t* const to_keys = to.keys.data();
    for (std::int64_t i = begin; i < end; ++i) to_keys[i] = keys[i];
  }

  /// Counts what some rows add to each drawn category of the column of slot `first`.
  template <class Keys>
  void count_classes(const Keys& keys, std::int64_t begin, std::int64_t end, std::size_t first) {
    const std::int32_t zeroth = features_.first(features_.column(sampled_[first]));
    pairs_.clear();
    for (std::size_t j = first; j != own_list; j = columns_[j].next) {
      pairs_.push_back(static_cast<std::uint32_t>(sampled_[j] - zeroth) << 1);
    }
    counts_.resize(2 * pairs_.size());
    if constexpr (std::is_pointer_v<Keys>) {
      cpu::count_pairs(keys + begin, end - begin, pairs_, counts_.data());
    } else {
      std::remove_cvref_t<decltype(keys[begin])> own[2 * near_rows];
      for (std::int64_t i = begin; i < end; ++i) own[i - begin] = keys[i];
      cpu::count_pairs(own, end - begin, pairs_, counts_.data());
    }
    const std::int64_t* from = counts_.data();
    for (std::size_t j = first; j != own_list; j = columns_[j].next) {
      columns_[j].sums[0] += *from++;
      columns_[j].sums[1] += *from++;
    }
  }

  /// In two halves: of neighbours with one key neither waits for the other's count.
  template <class Keys>
  void count_keys(const Keys& keys,
                  std::int64_t begin,
                  std::int64_t end,
                  std::vector<std::uint32_t>& counts) const {
    std::uint32_t *const even = counts.data(), *const odd = even + counts.size() / 2;
    std::int64_t i = begin;
    for (; i + 1 < end; i += 2) {
      ++even[keys[i]];
      ++odd[keys[i + 1]];
    }
    if (i < end) ++even[keys[i]];
  }

  /// The keys of a category's rows, from the counts of its column.
  void list_counted(std::int32_t feature, Column& to) {
    const int class_bits = ranks_.class_bits;
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
  template <class Keys>
  void gather_ones(const Keys& keys,
                   const std::uint32_t* rows,
                   std::int64_t n,
                   std::int64_t begin,
                   std::int64_t end,
                   std::int32_t feature,
                   Column& to) {
    const std::int32_t column = features_.column(feature);
    const auto own = static_cast<std::uint32_t>(feature - features_.first(column));
    std::uint32_t *const to_keys = to.keys.data(), *const to_rows = to.rows.data();
    const std::int64_t most = n - 1;
    const std::uint32_t missing = ranks_.missing_rank;
    const int class_bits = ranks_.class_bits;
    const bool with_rows = needs_rows_, may_miss = ranks_.has_missing[column] != 0;
    std::int64_t ones = to.range.last, missed = to.range.missing_at;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::uint32_t key = keys[i], rank = key >> class_bits;
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
  const PartedKeys* parted_;
  bool needs_rows_;
  RankSort sort_;
  std::vector<std::size_t> last_slots_;  ///< of each column, while share_counts() runs
  std::vector<std::size_t> passes_;      ///< slots, see share_counts()
  std::vector<std::uint32_t> pairs_;     ///< keys of the categories that a pass counts
  std::vector<std::int64_t> counts_;     ///< and of each two classes
  std::vector<std::int32_t> sampled_;
  std::vector<Column> columns_;  ///< of each of sampled_
  Array<std::uint16_t> near_;    ///< keys of the rows brought together
  bool is_near_ = false;         ///< rows are numbers of these
};

}  // namespace yupana::forest
