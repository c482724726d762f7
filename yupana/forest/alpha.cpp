#include "yupana/forest/alpha.hpp"

#include <algorithm>
#include <cmath>

#include "yupana/core/instantiate.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/forest/validate.hpp"

namespace yupana::forest {
namespace {

std::vector<double> candidates(const std::vector<PathPoint>& path) {
  std::vector<double> alphas;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const bool last = k + 1 == path.size();
    alphas.push_back(last ? path[k].alpha
                          : std::sqrt(path[k].alpha) * std::sqrt(path[k + 1].alpha));
  }
  return alphas;
}

/// Adds what a fold's rows score under each alpha, ascending.
template <class T>
void score_fold(const Tree& tree,
                TableView<T> table,
                const Target& target,
                const std::vector<double>& alphas,
                std::vector<double>& scores) {
  const std::vector<double> collapse = collapse_alphas(tree);
  // What changes at each alpha; sums of them are the scores.
  std::vector<double> changes(alphas.size() + 1, 0);
  const auto first_at = [&](double alpha) {
    // As prune_cost_complexity has it: a link goes at alphas of its own and above.
    return static_cast<std::size_t>(std::lower_bound(alphas.begin(),
                                                     alphas.end(),
                                                     alpha,
                                                     [](double a, double c) {
                                                       return a * (1 + 0x1p-40) < c ||
                                                              (a == 0 && c >= 0);
                                                     }) -
                                    alphas.begin());
  };
  std::vector<std::size_t> begins(collapse.size());
  for (std::size_t i = 0; i < collapse.size(); ++i) {
    begins[i] = tree.nodes[i].is_leaf() ? 0 : first_at(collapse[i]);
  }
  double weight = 0;
  for (std::int64_t row = 0; row < table.rows; ++row) {
    const double own = target.weights != nullptr ? target.weights[row] : 1;
    weight += own;
    std::size_t end = alphas.size();
    std::int32_t at = 0;
    while (true) {
      const Node& node = tree.nodes[at];
      const std::size_t begin = begins[at];
      if (begin < end) {
        const double* value = tree.value(at);
        double score = 0;
        if (target.is_class()) {
          score = std::max_element(value, value + tree.outputs) - value == target.codes[row];
        } else {
          score = -(*value - target.values[row]) * (*value - target.values[row]);
        }
        changes[begin] += own * score;
        changes[end] -= own * score;
        end = begin;
      }
      if (node.is_leaf()) break;
      at = tree.child_of(node, static_cast<double>(table(row, node.feature)));
    }
  }
  double sum = 0;
  for (std::size_t k = 0; k < alphas.size(); ++k) {
    sum += changes[k];
    scores[k] = weight > 0 ? sum / weight : 0;
  }
}

}  // namespace

template <class T>
AlphaChoice choose_alpha(Context& context,
                         TableView<T> table,
                         const Target& target,
                         const TreeParams& params,
                         const std::vector<std::int32_t>& fold_of,
                         std::int64_t folds) {
  AlphaChoice choice;
  choice.alphas = candidates(cost_complexity_path(fit_tree(context, table, target, params)));
  const std::size_t count = choice.alphas.size();
  const std::vector<std::string> names(table.columns);
  std::vector<double> squares(count, 0), own(count);
  choice.scores.assign(count, 0);
  const double n = static_cast<double>(folds);
  for (std::int64_t k = 0; k < folds; ++k) {
    context.check_cancelled();
    const auto in = [&](std::int64_t i) { return fold_of[i] == k; };
    const auto rest = part_of(table, names, target, [&](std::int64_t i) { return !in(i); });
    const auto held = part_of(table, names, target, in);
    const Tree grown = fit_tree(context, rest.table.view(), rest.target(), params);
    const Tree tree = on_columns({grown}, table.columns, params.one_hot)[0];
    score_fold(tree, held.table.view(), held.target(), choice.alphas, own);
    for (std::size_t a = 0; a < count; ++a) {
      choice.scores[a] += own[a] / n;
      squares[a] += own[a] * own[a] / n;
    }
  }
  for (std::size_t a = 0; a < count; ++a) {
    const double variance = std::max(0.0, squares[a] - choice.scores[a] * choice.scores[a]);
    choice.deviations.push_back(std::sqrt(variance / n));
    if (choice.scores[a] >= choice.scores[choice.best]) choice.best = a;
  }
  for (std::size_t a = choice.best; a < count; ++a) {
    if (choice.scores[a] >= choice.scores[choice.best] - choice.deviations[choice.best]) {
      choice.sparest = a;
    }
  }
  return choice;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, choose_alpha)

}  // namespace yupana::forest
