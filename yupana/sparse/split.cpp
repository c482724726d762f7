#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/sparse/arithmetic.hpp"
#include "yupana/sparse/triangular_backends.hpp"

namespace yupana::sparse {
namespace {

constexpr std::int64_t grain = 1 << 14;

constexpr const char* zero_pivot =
    "has a zero on the diagonal, so that the system has no unique solution; pass unit_diagonal "
    "(--unit-diagonal) if 1 is meant";

enum class Fault { none, bounds, range, order, twice, other, missing, zero };

bool on_wrong_side(Triangle triangle, std::int64_t row, std::int64_t column) {
  return triangle == Triangle::lower ? column > row : column < row;
}

/// What is wrong with a row, at a column.
std::string message_of(Fault what, std::int64_t column, std::int64_t columns, Triangle triangle) {
  const bool lower = triangle == Triangle::lower;
  switch (what) {
    case Fault::bounds:
      return "begins after its end or outside the entries; row_begin must ascend";
    case Fault::range:
      return fmt::format("has an entry in column {}; columns are 1 to {}", column + 1, columns);
    case Fault::order:
      return fmt::format(
          "has column {} after a larger one; sort the rows by column, or pass "
          "sort_columns (--add-duplicates)",
          column + 1);
    case Fault::twice:
      return fmt::format(
          "has column {} twice; add the entries, or pass sort_columns "
          "(--add-duplicates), which does",
          column + 1);
    case Fault::other:
      return fmt::format(
          "has an entry in column {}, {} the diagonal; expected {} triangle: choose "
          "the {} one, or pass ignore_other (--ignore-other) to leave such entries out",
          column + 1,
          lower ? "above" : "below",
          lower ? "a lower" : "an upper",
          lower ? "upper" : "lower");
    case Fault::missing:
      return "has no entry on the diagonal; pass unit_diagonal (--unit-diagonal) if 1 is meant";
    default:
      return zero_pivot;
  }
}

template <class Value, class Index>
struct Checker {
  CsrView<Value, Index> matrix;
  const TriangularParams& params;

  /// The first fault of a row and the column where it is.
  std::pair<Fault, std::int64_t> fault(std::int64_t row) const {
    const std::int64_t begin = matrix.row_begin[row], end = matrix.row_begin[row + 1];
    if (end < begin || begin < 0 || end > matrix.entries()) return {Fault::bounds, 0};
    Value pivot{};
    bool found = false;
    for (std::int64_t e = begin; e < end; ++e) {
      const std::int64_t column = matrix.columns[e];
      if (column < 0 || column >= matrix.cols) return {Fault::range, column};
      if (!params.sort_columns && e > begin && column <= matrix.columns[e - 1]) {
        return {column == matrix.columns[e - 1] ? Fault::twice : Fault::order, column};
      }
      if (!params.ignore_other && on_wrong_side(params.triangle, row, column))
        return {Fault::other, column};
      if (column != row) continue;
      pivot = found ? pivot + matrix.values[e] : matrix.values[e];
      found = true;
    }
    if (params.unit_diagonal) return {Fault::none, 0};
    if (!found) return {Fault::missing, row};
    return {pivot == Value{} ? Fault::zero : Fault::none, row};
  }
};

void lower_to(std::atomic<std::int64_t>& least, std::int64_t value) {
  std::int64_t before = least.load();
  while (value < before && !least.compare_exchange_weak(before, value)) continue;
}

constexpr std::int64_t no_row = std::numeric_limits<std::int64_t>::max();

/// The first row for which bad(row), over all threads.
template <class Bad>
std::int64_t first_row(Context& context, std::int64_t rows, const Bad& bad) {
  std::atomic<std::int64_t> first{no_row};
  context.parallel_for(rows, grain, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    if (begin > first.load()) return;
    for (std::int64_t row = begin; row < end; ++row) {
      if (bad(row)) return lower_to(first, row);
    }
  });
  return first.load();
}

template <class Value, class Index>
void check(Context& context, CsrView<Value, Index> matrix, const TriangularParams& params) {
  if (matrix.rows != matrix.cols || matrix.rows < 0) {
    throw input_error("trisolve: expected a square matrix, got {} x {}", matrix.rows, matrix.cols);
  }
  if (matrix.rows == 0) return;
  const Checker<Value, Index> checker{matrix, params};
  const std::int64_t entries = matrix.entries();
  std::int64_t row = 0;
  if (matrix.row_begin[0] == 0 && entries >= 0) {
    row = first_row(context, matrix.rows, [&](std::int64_t i) {
      return checker.fault(i).first != Fault::none;
    });
  }
  if (row == no_row) return;
  const auto [fault, column] = checker.fault(row);
  throw input_error("trisolve: row {} (from 1) {}",
                    row + 1,
                    message_of(fault, column, matrix.cols, params.triangle));
}

/// Every row holds its entries in ascending columns, and its pivot, and nothing else.
template <class Value, class Index>
bool is_plain(Context& context, CsrView<Value, Index> matrix, const TriangularParams& params) {
  if (params.ignore_other || params.unit_diagonal) return false;
  TriangularParams strict = params;
  strict.sort_columns = false;
  const Checker<Value, Index> checker{matrix, strict};
  const auto bad = [&](std::int64_t i) { return checker.fault(i).first != Fault::none; };
  return !params.sort_columns || first_row(context, matrix.rows, bad) == no_row;
}

/// A matrix without its values: what is done with its rows is compiled once for values of every
/// type.
template <class Index>
using Rows = CsrView<Index, Index>;

template <class Index>
void split_plain(Context& context, Rows<Index> matrix, SplitRows<Index>& split) {
  const std::int64_t skip = split.triangle == Triangle::lower ? 0 : 1;
  context.parallel_for(matrix.rows, grain, [&](std::int64_t i) {
    const std::int64_t count = matrix.row_begin[i + 1] - matrix.row_begin[i] - 1;
    const std::int64_t to = matrix.row_begin[i] - i;
    split.begin[i] = static_cast<Index>(to);
    std::copy_n(matrix.columns + matrix.row_begin[i] + skip, count, split.columns.data() + to);
  });
  split.begin[matrix.rows] = static_cast<Index>(matrix.entries() - matrix.rows);
}

/// Rows in any order, with entries that are left out or added. The matrix may be a transpose, whose
/// values are the places of the caller's.
template <class Index>
void split_sorted(Context& context,
                  Rows<Index> matrix,
                  bool unit_diagonal,
                  SplitRows<Index>& split) {
  std::vector<Index> columns, pivot_group, pivot_from, places;
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    if (i % grain == 0) context.check_cancelled();
    split.begin[i] = static_cast<Index>(columns.size());
    pivot_group.push_back(static_cast<Index>(pivot_from.size()));
    places.clear();
    for (Index e = matrix.row_begin[i]; e < matrix.row_begin[i + 1]; ++e) {
      if (matrix.columns[e] == i) {
        if (!unit_diagonal) pivot_from.push_back(e);
      } else if (!on_wrong_side(split.triangle, i, matrix.columns[e])) {
        places.push_back(e);
      }
    }
    std::ranges::stable_sort(places, {}, [&](Index a) { return matrix.columns[a]; });
    for (const Index place : places) {
      const bool again =
          std::ssize(columns) > split.begin[i] && columns.back() == matrix.columns[place];
      if (!again) {
        split.group.push_back(static_cast<Index>(split.from.size()));
        columns.push_back(matrix.columns[place]);
      }
      split.from.push_back(place);
    }
  }
  split.begin[matrix.rows] = static_cast<Index>(columns.size());
  split.columns = Array<Index>(std::ssize(columns));
  std::copy(columns.begin(), columns.end(), split.columns.begin());
  const Index entries = static_cast<Index>(split.from.size());
  for (const Index group : pivot_group) split.group.push_back(entries + group);
  split.from.insert(split.from.end(), pivot_from.begin(), pivot_from.end());
  split.group.push_back(static_cast<Index>(split.from.size()));
}

/// The transpose, from the matrix as it is: the checks name its rows, and new values its places.
template <class Index>
void split_transposed(Context& context,
                      Rows<Index> matrix,
                      const TriangularParams& params,
                      SplitRows<Index>& split) {
  split.triangle = other(params.triangle);
  split.conjugate = params.operation == Operation::conjugate_transpose;
  Array<Index> places(matrix.entries());
  std::iota(places.begin(), places.end(), Index{0});
  const CsrMatrix<Index, Index> turned = transposed(
      Rows<Index>{matrix.rows, matrix.cols, matrix.row_begin, matrix.columns, places.data()});
  places = {};
  split_sorted<Index>(context, turned.view(), params.unit_diagonal, split);
  for (Index& place : split.from) place = turned.values[place];
}

}  // namespace

template <class Value, class Index>
void split_values(Context& context, const Value* values, Split<Value, Index>& split) {
  const std::int64_t rows = split.rows, entries = split.columns.size();
  const bool plain = split.group.empty();
  const bool lower = split.triangle == Triangle::lower;
  const auto sum = [&](std::int64_t group) {
    const Index begin = split.group[static_cast<std::size_t>(group)];
    const Index end = split.group[static_cast<std::size_t>(group) + 1];
    Value total = begin == end ? Value{1} : values[split.from[static_cast<std::size_t>(begin)]];
    for (Index k = begin + 1; k < end; ++k) {
      total += values[split.from[static_cast<std::size_t>(k)]];
    }
    return split.conjugate ? conjugate(total) : total;
  };
  const auto pivot = [&](std::int64_t i) {
    if (!plain) return sum(entries + i);
    return values[lower ? split.begin[i + 1] + i : split.begin[i] + i];
  };
  const std::int64_t zero =
      first_row(context, rows, [&](std::int64_t i) { return pivot(i) == Value{}; });
  if (zero != no_row) throw input_error("trisolve: row {} (from 1) {}", zero + 1, zero_pivot);
  split.ones =
      first_row(context, rows, [&](std::int64_t i) { return pivot(i) != Value{1}; }) == no_row;
  context.parallel_for(rows, grain, [&](std::int64_t i) {
    split.diagonal[i] = pivot(i);
    const std::int64_t shift = lower ? i : i + 1;
    for (std::int64_t e = split.begin[i]; e < split.begin[i + 1]; ++e) {
      split.values[e] = plain ? values[e + shift] : sum(e);
    }
  });
}

template <class Value, class Index>
Split<Value, Index> split(Context& context,
                          CsrView<Value, Index> matrix,
                          const TriangularParams& params) {
  check(context, matrix, params);
  Split<Value, Index> split;
  split.rows = matrix.rows;
  split.triangle = params.triangle;
  split.begin = Array<Index>::zeros(matrix.rows + 1);
  split.diagonal = Array<Value>(matrix.rows);
  const Rows<Index> all{matrix.rows, matrix.cols, matrix.row_begin, matrix.columns};
  if (params.operation != Operation::none) {
    split_transposed<Index>(context, all, params, split);
  } else if (is_plain(context, matrix, params)) {
    split.columns = Array<Index>(matrix.entries() - matrix.rows);
    split_plain<Index>(context, all, split);
  } else {
    split_sorted<Index>(context, all, params.unit_diagonal, split);
  }
  split.values = Array<Value>(split.columns.size());
  split_values(context, matrix.values, split);
  return split;
}

YUPANA_FUNCTIONS(YUPANA_SPARSE, split, split_values)
YUPANA_FUNCTIONS(YUPANA_SPARSE_COMPLEX, split, split_values)

}  // namespace yupana::sparse
