#include "yupana/forest/row_ranks.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "yupana/core/instantiate.hpp"
#include "yupana/forest/lists.hpp"
#include "yupana/forest/one_hot.hpp"

namespace yupana::forest {
namespace {

// Features that are sorted before their ranks are brought to the rows: one line of 64 bytes each.
constexpr std::int64_t batch_features = 16;

/// Ranks of one feature by row, column after column. values: those of the ranks; those of
/// categories are there.
template <class T>
void scatter(TableView<T> table,
             const SortedTable& sorted,
             std::int64_t f,
             std::uint32_t* by_row,
             std::vector<T>& values) {
  const std::uint32_t* ranks = sorted.ranks.data() + f * sorted.rows;
  const std::uint32_t* order = sorted.order.data() + f * sorted.rows;
  for (std::int64_t i = 0; i < sorted.rows; ++i) {
    by_row[order[i]] = ranks[i];
    if (ranks[i] != missing_rank && ranks[i] == values.size()) values.push_back(table(order[i], f));
  }
}

/// Sorts features [first, first + count) and writes their ranks to the rows.
template <class T>
void rank_batch(Context& context,
                TableView<T> table,
                std::int64_t first,
                std::int64_t count,
                const std::vector<std::int32_t>& one_hot,
                std::uint32_t* columns,
                RowRanks<T>& result) {
  const std::int64_t n = table.rows;
  const TableView<T> part{table.column(first), n, count, table.stride};
  std::vector<std::int32_t> own;
  if (!one_hot.empty()) own.assign(one_hot.begin() + first, one_hot.begin() + first + count);
  const SortedTable sorted = sort_table(context, part, own);
  if (!one_hot.empty()) {
    for (std::int64_t f = first; f < first + count; ++f) {
      auto& values = result.values[f];
      values.resize(static_cast<std::size_t>(one_hot[f]));
      std::iota(values.begin(), values.end(), T{0});
    }
  }
  context.parallel_for(count, 1, [&](std::int64_t f) {
    context.check_cancelled();
    auto& values = result.values[first + f];
    result.has_missing[first + f] = sorted.ranks[(f + 1) * n - 1] == missing_rank;
    scatter(part, sorted, f, columns + f * n, values);
  });
  const std::int64_t place = result.places[first];
  context.parallel_for(n, 1 << 12, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::uint32_t* row = result.keys.data() + i * result.columns + place;
      for (std::int64_t f = 0; f < count; ++f) row[f] = columns[f * n + i];
    }
  });
}

/// Makes keys of ranks.
template <class T>
void add_classes(Context& context, const Problem& problem, RowRanks<T>& result) {
  std::size_t most = 1;
  for (const auto& values : result.values) most = std::max(most, values.size());
  result.missing_rank = static_cast<std::uint32_t>(most);
  const int rank_bits = std::bit_width(result.missing_rank);
  const int class_bits =
      problem.classes < 2 ? 0 : std::bit_width(static_cast<std::uint32_t>(problem.classes - 1));
  result.class_bits = rank_bits + class_bits <= 32 ? class_bits : 0;
  result.key_bits = rank_bits + result.class_bits;
  // Of more features both keys would be more than ranking took.
  const bool is_short = result.key_bits <= 16 && result.columns <= 4 * batch_features;
  if (is_short) result.short_keys = Array<std::uint16_t>(result.keys.size());
  context.parallel_for(result.rows, 1 << 12, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::uint32_t* row = result.keys.data() + i * result.columns;
      const std::uint32_t code =
          result.class_bits > 0 ? static_cast<std::uint32_t>(problem.codes[i]) : 0;
      for (std::int64_t f = 0; f < result.columns; ++f) {
        row[f] = std::min(row[f], result.missing_rank) << result.class_bits | code;
      }
      if (!is_short) continue;
      std::uint16_t* const to = result.short_keys.data() + i * result.columns;
      for (std::int64_t f = 0; f < result.columns; ++f) to[f] = static_cast<std::uint16_t>(row[f]);
    }
  });
  if (is_short) result.keys = {};
}

}  // namespace

template <class T>
RowRanks<T> rank_rows(Context& context,
                      TableView<T> table,
                      const Problem& problem,
                      const TreeParams& params) {
  RowRanks<T> result;
  result.rows = table.rows;
  result.bits = row_bits(context, table, problem, params);
  for (std::int64_t c = 0; c < table.columns; ++c) {
    result.places.push_back(static_cast<std::int32_t>(result.columns));
    result.columns += result.bits.number(static_cast<std::int32_t>(c)) >= 0 ? 0 : 1;
  }
  result.keys = Array<std::uint32_t>(table.rows * result.columns);
  result.values.resize(table.columns);
  result.has_missing.resize(table.columns);
  Array<std::uint32_t> columns(table.rows * std::min(batch_features, result.columns));
  for (std::int64_t first = 0, end = 0; first < table.columns; first = std::max(end, first + 1)) {
    for (end = first; end < table.columns && end - first < batch_features; ++end) {
      if (result.bits.number(static_cast<std::int32_t>(end)) >= 0) break;
    }
    if (end == first) continue;
    rank_batch(context, table, first, end - first, params.one_hot, columns.data(), result);
  }
  add_classes(context, problem, result);
  return result;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, rank_rows)

}  // namespace yupana::forest
