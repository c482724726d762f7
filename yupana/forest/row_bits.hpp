#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/table.hpp"
#include "yupana/forest/problem.hpp"

/// Private to the family.
namespace yupana::forest {

/// Features of at most two values and none missing, a bit a row: 1 where the value is the greater.
/// Where rows of equal weight are classified, a node's split by such a feature depends only on
/// how many of its rows of each class have the bit.
template <class T>
struct RowBits {
  std::int64_t words = 0;               ///< of 64 bits, of a row
  Array<std::uint64_t> of_rows;         ///< row after row
  std::vector<std::int32_t> numbers;    ///< of each feature its bit, -1: it has none; empty: all
  std::vector<std::pair<T, T>> values;  ///< of each bit the feature's

  bool empty() const { return numbers.empty(); }
  std::int32_t number(std::int32_t feature) const { return empty() ? -1 : numbers[feature]; }
  /// 1 or 0.
  std::uint64_t at(std::uint32_t row, std::int32_t bit) const {
    return of_rows[row * words + bit / 64] >> (bit % 64) & 1;
  }
};

/// The bits of a table, if at least half its columns are of two values; else none.
template <class T>
RowBits<T> row_bits(Context& context,
                    TableView<T> table,
                    const Problem& problem,
                    const TreeParams& params);

namespace cpu {

/// Adds to counts[64 w + b] how many of some rows have bit b of word w, for the words listed.
void count_bits(const std::uint64_t* bits,
                std::int64_t words,
                const std::uint32_t* rows,
                std::int64_t count,
                const std::vector<std::int32_t>& listed,
                std::uint32_t* counts);

}  // namespace cpu

/// How many rows of each class have each bit at one node after the other.
template <class T>
class BitCounts {
 public:
  BitCounts(const RowBits<T>& bits, std::int32_t classes)
      : bits_(bits),
        is_counted_(static_cast<std::size_t>(bits.words)),
        counts_(static_cast<std::size_t>(64 * bits.words * (bits.empty() ? 0 : classes))) {}

  /// From here on of another node.
  void clear() {
    for (const std::int32_t word : counted_) is_counted_[word] = 0;
    counted_.clear();
  }
  /// The word of a bit is to be counted, unless it is.
  void list(std::int32_t bit) {
    const std::int32_t word = bit / 64;
    if (is_counted_[word] != 0) return;
    is_counted_[word] = 1;
    counted_.push_back(word);
    listed_.push_back(word);
  }
  /// Counts the words listed. rows: of the node, in order of class
  void count(const std::uint32_t* rows, const ClassCounts& classes) {
    if (listed_.empty()) return;
    std::uint32_t* counts = counts_.data();
    for (const std::int64_t of_class : classes) {
      if (of_class > 0) {
        for (const std::int32_t word : listed_) std::fill_n(counts + 64 * word, 64, 0);
        cpu::count_bits(bits_.of_rows.data(), bits_.words, rows, of_class, listed_, counts);
      }
      rows += of_class;
      counts += 64 * bits_.words;
    }
    listed_.clear();
  }
  /// Sums of the node's rows that have a bit which is counted.
  void put(std::int32_t bit, const ClassCounts& classes, Totals& ones) const {
    ones.classes.resize(classes.size());
    ones.rows = 0;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      if (classes[c] == 0) continue;
      ones.classes[c] = counts_[c * 64 * static_cast<std::size_t>(bits_.words) + bit];
      ones.rows += ones.classes[c];
    }
    ones.weight = ones.rows;
  }

 private:
  const RowBits<T>& bits_;
  std::vector<std::int32_t> listed_, counted_;  ///< words, of those at work
  std::vector<std::uint8_t> is_counted_;        ///< of each word
  std::vector<std::uint32_t> counts_;           ///< of each class and bit
};

}  // namespace yupana::forest
