#include "yupana/forest/lists.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <utility>

#include "yupana/arrays/sort.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/forest/tree_backends.hpp"

namespace yupana::forest {
namespace {

/// How many low bits of a key can hold the class: all classes, or none.
int class_bits_of(const SortedTable& sorted, const Problem& problem) {
  if (problem.classes < 2) return problem.classes;
  const int bits = std::bit_width(static_cast<std::uint32_t>(problem.classes - 1));
  // The largest rank that fits means missing values.
  return sorted.max_rank < (missing_rank >> bits) ? bits : 0;
}

std::uint32_t packed(std::uint32_t rank, std::uint32_t row, int bits, const Problem& problem) {
  if (bits == 0) return rank;
  return rank << bits | static_cast<std::uint32_t>(problem.codes[row]);
}

/// The entries of a tree, see copy_lists().
SortedEntries copy_entries(const SortedEntries& all,
                           int class_bits,
                           const Problem& problem,
                           const std::uint8_t* repeats) {
  const auto times = [&](std::int64_t e) {
    return problem.weight(all.rows[e]) > 0 ? repeats[all.rows[e]] : 0;
  };
  SortedEntries own;
  for (std::int64_t e = 0; e < all.size; ++e) own.size += times(e);
  own.numbers = Array<std::uint32_t>(own.size);
  own.rows = Array<std::uint32_t>(own.size);
  std::int64_t to = 0;
  for (std::int64_t e = 0; e < all.size; ++e) {
    const std::uint32_t key = packed(all.numbers[e], all.rows[e], class_bits, problem);
    for (int time = 0; time < times(e); ++time, ++to) {
      own.numbers[to] = key;
      own.rows[to] = all.rows[e];
    }
  }
  own.values = all.values;
  own.firsts = all.firsts;
  own.positives = all.positives;
  return own;
}

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
SortedTable sort_table(Context& context,
                       TableView<T> table,
                       const std::vector<std::int32_t>& one_hot) {
  const FeatureColumns features(table.columns, one_hot);
  SortedTable sorted{table.rows, table.columns, {}, {}, 0, {}};
  const std::int64_t n = table.rows;
  sorted.ranks = Array<std::uint32_t>(n * table.columns);
  sorted.order = Array<std::uint32_t>(n * table.columns);
  Array<T> values(n);
  for (std::int64_t f = 0; f < table.columns; ++f) {
    context.check_cancelled();
    std::uint32_t* order = sorted.order.data() + f * n;
    std::uint32_t* ranks = sorted.ranks.data() + f * n;
    const T* column = table.column(f);
    if (features.is_one_hot(f)) {
      sort_by_category(column, n, one_hot[f], order, ranks);
      sorted.max_rank = std::max(sorted.max_rank, static_cast<std::uint32_t>(one_hot[f] - 1));
      continue;
    }
    context.parallel_for(n, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        values[i] = column[i];
        order[i] = static_cast<std::uint32_t>(i);
      }
    });
    arrays::sort_by_key(context, values.data(), order, n);
    std::uint32_t rank = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      if (values[i] != values[i]) {
        std::fill(ranks + i, ranks + n, missing_rank);
        break;
      }
      rank += i > 0 && values[i] != values[i - 1];
      ranks[i] = rank;
    }
    sorted.max_rank = std::max(sorted.max_rank, rank);
  }
  return sorted;
}

Lists take_lists(Context& context, SortedTable&& sorted, const Problem& problem) {
  const bool copies =
      !sorted.entries.firsts.empty() ||
      std::find(problem.weights.begin(), problem.weights.end(), 0) != problem.weights.end();
  if (copies) {
    Array<std::uint8_t> once(sorted.rows);
    std::fill(once.begin(), once.end(), std::uint8_t{1});
    return copy_lists(sorted, problem, once.data());
  }
  Lists lists{sorted.rows, sorted.features, class_bits_of(sorted, problem), {}, {}, {}};
  lists.keys = std::move(sorted.ranks);
  lists.rows = std::move(sorted.order);
  if (lists.class_bits == 0) return lists;
  context.parallel_for(lists.keys.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      lists.keys[i] = packed(lists.keys[i], lists.rows[i], lists.class_bits, problem);
    }
  });
  return lists;
}

Lists copy_lists(const SortedTable& sorted, const Problem& problem, const std::uint8_t* repeats) {
  std::int64_t size = 0;
  for (std::int64_t i = 0; i < sorted.rows; ++i) size += problem.weight(i) > 0 ? repeats[i] : 0;
  Lists lists{size, sorted.features, class_bits_of(sorted, problem), {}, {}, {}};
  lists.entries = copy_entries(sorted.entries, lists.class_bits, problem, repeats);
  lists.keys = Array<std::uint32_t>(size * sorted.features);
  lists.rows = Array<std::uint32_t>(size * sorted.features);
  for (std::int64_t f = 0; f < sorted.features; ++f) {
    const std::uint32_t* ranks = sorted.ranks.data() + f * sorted.rows;
    const std::uint32_t* order = sorted.order.data() + f * sorted.rows;
    std::uint32_t* key = lists.key(f);
    std::uint32_t* row = lists.row(f);
    for (std::int64_t i = 0; i < sorted.rows; ++i) {
      const std::uint32_t r = order[i];
      if (problem.weight(r) == 0) continue;
      const std::uint32_t k = packed(ranks[i], r, lists.class_bits, problem);
      for (std::uint8_t time = 0; time < repeats[r]; ++time) {
        *key++ = k;
        *row++ = r;
      }
    }
  }
  return lists;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, sort_table)

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
