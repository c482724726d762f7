#include "yupana/forest/leaf_quantiles.hpp"

#include <algorithm>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/forest/problem.hpp"

namespace yupana::forest {
namespace {

using Rows = std::vector<std::uint32_t>;

/// The quantile of the labels of [first, last), in order of the labels; some weight is not 0.
double quantile_of(const Problem& problem,
                   const std::uint32_t* first,
                   const std::uint32_t* last,
                   double quantile) {
  std::int64_t all = 0;
  for (const std::uint32_t* row = first; row < last; ++row) all += problem.weight(*row);
  const double enough = quantile * static_cast<double>(all);
  std::int64_t weight = 0;
  for (const std::uint32_t* row = first; row + 1 < last; ++row) {
    weight += problem.weight(*row);
    if (weight > 0 && static_cast<double>(weight) >= enough) return problem.values[*row];
  }
  return problem.values[last[-1]];
}

/// Puts the quantile of each node of a tree. `columns`: the same tree, as it reads the table; rows:
/// of the tree, in order of their labels.
template <class T>
void put_quantiles(TableView<T> table,
                   const Problem& problem,
                   const Tree& columns,
                   double quantile,
                   Rows& rows,
                   Tree& tree) {
  struct Part {
    std::int32_t node;
    std::size_t begin, end;
  };
  std::vector<Part> stack{{0, 0, rows.size()}};
  while (!stack.empty()) {
    const Part part = stack.back();
    stack.pop_back();
    tree.values[static_cast<std::size_t>(part.node)] =
        quantile_of(problem, rows.data() + part.begin, rows.data() + part.end, quantile);
    const Node& node = columns.nodes[part.node];
    if (node.is_leaf()) continue;
    const T* const column = table.column(node.feature);
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(part.begin);
    const auto end = rows.begin() + static_cast<std::ptrdiff_t>(part.end);
    const auto middle = std::stable_partition(begin, end, [&](std::uint32_t row) {
      return columns.goes_left(node, static_cast<double>(column[row]));
    });
    const auto at = static_cast<std::size_t>(middle - rows.begin());
    stack.push_back({node.left, part.begin, at});
    stack.push_back({node.right, at, part.end});
  }
}

}  // namespace

template <class T>
void put_leaf_quantiles(Context& context,
                        TableView<T> table,
                        const Target& target,
                        const TreeParams& tree_params,
                        const ForestParams* params,
                        double quantile,
                        std::vector<Tree>& trees) {
  if (!(quantile > 0 && quantile <= 1)) {
    throw usage_error("quantile: expected above 0, at most 1, got {}", quantile);
  }
  if (target.is_class()) throw usage_error("quantile: expected numbers to predict, got classes");
  const Problem problem = make_problem(table.rows, target, Criterion::variance);
  std::vector<std::uint32_t> places(static_cast<std::size_t>(table.rows));
  {
    auto order = first_integers<std::uint32_t>(std::ssize(places));
    std::ranges::stable_sort(order, {}, [&](std::uint32_t a) { return target.values[a]; });
    for (std::size_t k = 0; k < order.size(); ++k) {
      places[order[k]] = static_cast<std::uint32_t>(k);
    }
  }
  const std::vector<Tree> columns = on_columns(trees, table.columns, tree_params.one_hot);
  context.parallel_for(std::ssize(trees), 1, [&](std::int64_t t) {
    context.check_cancelled();
    Rows rows;
    if (params != nullptr) {
      rows = rows_of_tree(*params, table.rows, t);
    } else {
      rows = first_integers<std::uint32_t>(table.rows);
    }
    std::erase_if(rows, [&](std::uint32_t row) { return problem.weight(row) == 0; });
    std::ranges::sort(rows, {}, [&](std::uint32_t a) { return places[a]; });
    put_quantiles(table, problem, columns[t], quantile, rows, trees[t]);
  });
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, put_leaf_quantiles)

}  // namespace yupana::forest
