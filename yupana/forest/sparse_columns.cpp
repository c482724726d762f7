#include "yupana/forest/sparse_columns.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/forest/rounded_weights.hpp"
#include "yupana/forest/tree_backends.hpp"

namespace yupana::forest {
namespace {

template <class T>
void check_entries(const SparseColumns<T>& table) {
  bool right = table.starts[0] == 0;
  for (std::int64_t f = 0; f < table.features; ++f) {
    right = right && table.starts[f] <= table.starts[f + 1];
  }
  for (std::int64_t e = 0; right && e < table.entries(); ++e) {
    right = table.entry_rows[e] < table.rows && table.values[e] == table.values[e];
  }
  if (!right) {
    throw input_error("expected a sparse table of {} rows, ascending starts and no NaN",
                      table.rows);
  }
}

}  // namespace

template <class T>
SortedTable sort_sparse(Context& context, const SparseColumns<T>& table) {
  check_entries(table);
  SortedTable result{table.rows, 1, {}, {}, 0, {}};
  result.ranks = Array<std::uint32_t>::zeros(table.rows);
  result.order = Array<std::uint32_t>(table.rows);
  std::iota(result.order.begin(), result.order.end(), 0u);
  SortedEntries& sorted = result.entries;
  sorted.numbers = Array<std::uint32_t>(table.entries());
  sorted.rows = Array<std::uint32_t>(table.entries());
  std::vector<std::pair<T, std::uint32_t>> column;
  for (std::int64_t f = 0; f < table.features; ++f) {
    context.check_cancelled();
    column.clear();
    for (std::int64_t e = table.starts[f]; e < table.starts[f + 1]; ++e) {
      if (table.values[e] != 0) column.emplace_back(table.values[e], table.entry_rows[e]);
    }
    std::sort(column.begin(), column.end());
    sorted.firsts.push_back(static_cast<std::uint32_t>(sorted.values.size()));
    std::size_t negative = 0;
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (i == 0 || column[i].first != column[i - 1].first) {
        sorted.values.push_back(static_cast<double>(column[i].first));
        negative += column[i].first < 0 ? 1 : 0;
      }
      sorted.numbers[sorted.size] = static_cast<std::uint32_t>(sorted.values.size() - 1);
      sorted.rows[sorted.size++] = column[i].second;
    }
    sorted.positives.push_back(sorted.firsts.back() + static_cast<std::uint32_t>(negative));
  }
  sorted.firsts.push_back(static_cast<std::uint32_t>(sorted.values.size()));
  result.max_rank = sorted.firsts.back();
  return result;
}

template <class T>
Table<T> with_zeros(const SparseColumns<T>& table) {
  check_entries(table);
  Table<T> result(table.rows, std::vector<std::string>(table.features));
  for (std::int64_t f = 0; f < table.features; ++f) {
    T* const column = result.column(f);
    std::fill_n(column, table.rows, T{0});
    for (std::int64_t e = table.starts[f]; e < table.starts[f + 1]; ++e) {
      column[table.entry_rows[e]] = table.values[e];
    }
  }
  return result;
}

template <class T>
Tree fit_sparse_tree(Context& context,
                     const SparseColumns<T>& table,
                     const Target& target,
                     const TreeParams& params) {
  if (makes_features(context, params)) {
    return fit_tree(context, with_zeros(table).view(), target, params);
  }
  check_tree_params(params, table.rows, table.features);
  const Problem problem = make_problem(table.rows, target, params.criterion);
  note_rounded_weights(context, table.rows, target, problem);
  const TreeParams entries = on_entries(table, params);
  return grow_best_first(entries, [&](const TreeParams& own) {
    SortedTable sorted = sort_sparse(context, table);
    Lists lists = take_lists(context, std::move(sorted), problem);
    return grow(context, column_of_zeros(table), problem, lists, own, true);
  });
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, sort_sparse, with_zeros, fit_sparse_tree)

}  // namespace yupana::forest
