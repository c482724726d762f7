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
  /// A drawn feature's values at the node at work, sorted.
  struct Column {
    Array<std::uint32_t> keys, rows;
    NodeRange range;
    bool is_summed = false;  ///< of a bit, or a category, `ones` is all that is known
    Totals ones;             ///< sums of the rows that have it
  };

  /// max_rows: of a node. parted: where the rows' keys are, if not null. needs_rows: the scans look
  /// up what keys do not hold.
  SampledColumns(const RowRanks<T>& ranks,
                 const std::vector<std::int32_t>& one_hot,
                 std::int32_t classes,
                 std::int64_t max_rows,
                 const PartedKeys* parted,
                 bool needs_rows)
      : ranks_(ranks),
        features_(std::ssize(ranks.places), one_hot),
        max_rows_(max_rows),
        parted_(parted),
        needs_rows_(needs_rows),
        sort_(ranks.class_bits, ranks.key_bits),
        bits_(ranks.bits, classes) {}

  const FeatureColumns& features() const { return features_; }
  /// The features drawn at the node, in the order of the draws.
  const std::vector<std::int32_t>& sampled() const { return sampled_; }
  /// slot: a place in sampled().
  Column& operator[](std::size_t slot) { return columns_[slot]; }

  /// Whether keys of so many rows may be brought together, see bring_near().
  bool can_bring_near(std::int64_t n) const {
    return parted_ == nullptr && !needs_rows_ && !ranks_.short_keys.empty() &&
           ranks_.bits.empty() && n * ranks_.columns <= near_keys;
  }
  /// Copies the keys of some rows, and numbers the rows from 0: from then on, until far(), keys of
  /// rows so numbered are read. A node's branch below is grown from the first cache.
  void bring_near(std::uint32_t* rows, std::int64_t n) {
    if (near_.empty()) near_ = Array<std::uint16_t>(near_keys);
    std::uint16_t* to = near_.data();
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint16_t* const own = ranks_.short_keys.data() + rows[i] * ranks_.columns;
      to = std::copy_n(own, ranks_.columns, to);
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

  /// Of the next node.
  void clear() {
    sampled_.clear();
    bits_.clear();
  }
  void push_back(std::int32_t feature) { sampled_.push_back(feature); }

  std::size_t slot_of(std::int32_t feature) const {
    return static_cast<std::size_t>(std::find(sampled_.begin(), sampled_.end(), feature) -
                                    sampled_.begin());
  }

  /// Keys of the features drawn from number `first` on, of the rows at work: `begin` and on of
  /// those that are parted, or else rows[0] and on. Of a category, those of the rows that have it,
  /// and then of those whose category is missing; or sums of the rows that have it.
  void gather(const std::uint32_t* rows,
              std::int64_t begin,
              const Totals& totals,
              std::size_t first) {
    if (columns_.size() < sampled_.size()) add_columns();
    const std::int64_t n = totals.rows;
    passes_.clear();
    for (std::size_t j = first; j < sampled_.size(); ++j) {
      begin_column(j, totals.classes.size());
      bit_of(j) >= 0 ? bits_.list(bit_of(j)) : passes_.push_back(j);
    }
    bits_.count(rows, totals.classes);
    for (std::size_t j = first; j < sampled_.size(); ++j) {
      if (bit_of(j) >= 0) bits_.put(bit_of(j), totals.classes, columns_[j].ones);
    }
    if (parted_ != nullptr) {
      for (const std::size_t j : passes_) {
        read(parted_->column(place_of(j)) + begin, rows, n, 0, n, j);
      }
    } else if (!passes_.empty()) {
      with_keys([&](const auto* keys) { gather_rows(keys, rows, n); });
    }
    if (!needs_rows_) return;
    for (const std::size_t j : passes_) {
      if (!columns_[j].range.is_sparse) std::copy_n(rows, n, columns_[j].rows.data());
    }
  }

  /// Makes a gathered column's range for the scans: its values in order, or a category's rows.
  void finish(std::int64_t n, std::size_t slot, const LeafLimits& least) {
    Column& column = columns_[slot];
    NodeRange& range = column.range;
    if (column.is_summed) {
      range = {nullptr, nullptr, 0, n, n, least};
      range.is_sparse = true;
      range.last = column.ones.rows;
      range.missing_at = n;
      range.together = &column.ones;
      return;
    }
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
  }

 private:
  // Rows whose lines of keys stay in the first cache while one feature after the other is read.
  static constexpr std::int64_t near_rows = 128;
  static constexpr std::int64_t near_keys = 1 << 14;
  static constexpr std::size_t max_counted_classes = 16;  ///< each is compared with every key

  /// Row after row: a row's keys are adjacent.
  template <class K>
  void gather_rows(const K* keys, const std::uint32_t* rows, std::int64_t n) {
    const std::int64_t stride = ranks_.columns;
    for (std::int64_t begin = 0; begin < n; begin += near_rows) {
      const std::int64_t end = std::min(n, begin + near_rows);
      for (std::int64_t i = end; i < std::min(n, end + near_rows); ++i) {
        __builtin_prefetch(keys + rows[i] * stride);
      }
      for (const std::size_t j : passes_) {
        const KeysOfRows<K> own{keys + place_of(j), rows, stride};
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

  /// Of few classes a category without missing values is counted as a bit is: scans of its rows
  /// would tell no more.
  void begin_column(std::size_t slot, std::size_t classes) {
    Column& own = columns_[slot];
    const std::int32_t column = features_.column(sampled_[slot]);
    own.range.is_sparse = features_.is_one_hot(column);  // finish() makes the rest of it
    own.range.last = own.range.missing_at = 0;
    const bool counts = own.range.is_sparse && !needs_rows_ && classes <= max_counted_classes;
    own.is_summed = bit_of(slot) >= 0 || (counts && ranks_.has_missing[column] == 0);
    if (!own.is_summed) return;
    own.ones.classes.resize(classes);
    own.ones.rows = own.ones.weight = 0;
  }

  std::int32_t bit_of(std::size_t slot) const { return ranks_.bits.number(sampled_[slot]); }
  std::int32_t place_of(std::size_t slot) const {
    return ranks_.places[features_.column(sampled_[slot])];
  }

  void add_columns() {
    while (columns_.size() < sampled_.size()) {
      columns_.emplace_back().keys = Array<std::uint32_t>(max_rows_);
      if (needs_rows_) columns_.back().rows = Array<std::uint32_t>(max_rows_);
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
    if (to.is_summed) return count_ones(keys, begin, end, sampled_[slot], to);
    if (to.range.is_sparse) return gather_ones(keys, rows, n, begin, end, sampled_[slot], to);
    std::uint32_t* const to_keys = to.keys.data();
    for (std::int64_t i = begin; i < end; ++i) to_keys[i] = keys[i];
  }

  /// Adds what rows [begin, end) of a node have of a category.
  template <class Keys>
  void count_ones(const Keys& keys,
                  std::int64_t begin,
                  std::int64_t end,
                  std::int32_t feature,
                  Column& to) const {
    const std::int32_t first = features_.first(features_.column(feature));
    const auto own = static_cast<std::uint32_t>(feature - first) << ranks_.class_bits;
    if constexpr (std::is_pointer_v<Keys>) {
      for (std::uint32_t c = 0; c < to.ones.classes.size(); c += 2) {
        const auto [even, odd] = cpu::count_pair(keys + begin, end - begin, own + c);
        to.ones.classes[c] += even;
        if (odd > 0) to.ones.classes[c + 1] += odd;
        to.ones.rows = to.ones.weight += even + odd;
      }
    } else {
      std::remove_cvref_t<decltype(keys[begin])> near[2 * near_rows];
      for (std::int64_t i = begin; i < end; ++i) near[i - begin] = keys[i];
      count_ones(static_cast<const std::remove_extent_t<decltype(near)>*>(near),
                 0,
                 end - begin,
                 feature,
                 to);
    }
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
  FeatureColumns features_;
  std::int64_t max_rows_;
  const PartedKeys* parted_;
  bool needs_rows_;
  RankSort sort_;
  BitCounts<T> bits_;
  std::vector<std::size_t> passes_;  ///< slots whose keys are gathered
  std::vector<std::int32_t> sampled_;
  std::vector<Column> columns_;  ///< of each of sampled_
  Array<std::uint16_t> near_;    ///< keys of the rows brought together
  bool is_near_ = false;         ///< rows are numbers of these
};

}  // namespace yupana::forest
