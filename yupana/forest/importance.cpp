#include "yupana/forest/importance.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/forest/validate.hpp"

namespace yupana::forest {

std::vector<double> importance_deviations(const std::vector<Tree>& trees,
                                          const std::vector<double>& means) {
  std::vector<double> deviations(means.size(), 0);
  for (const Tree& tree : trees) {
    const std::vector<double> own = importances({tree}, std::ssize(means));
    for (std::size_t f = 0; f < own.size(); ++f) {
      deviations[f] += (own[f] - means[f]) * (own[f] - means[f]);
    }
  }
  for (double& own : deviations) own = std::sqrt(own / static_cast<double>(trees.size()));
  return deviations;
}

template <class T>
PermutationImportance permutation_importances(Context& context,
                                              const Model& model,
                                              TableView<T> table,
                                              const Target& target,
                                              std::int64_t repeats,
                                              std::uint64_t seed) {
  if (repeats < 1) throw usage_error("repeats: expected at least 1, got {}", repeats);
  if (table.rows < 2) {
    throw input_error("expected at least two rows to shuffle features among, got {}", table.rows);
  }
  PermutationImportance result;
  result.score = score(context, model, table, target);
  const std::int64_t n = table.rows;
  Table<T> copy(n, model.features);
  for (std::int64_t f = 0; f < table.columns; ++f) std::copy_n(table.column(f), n, copy.column(f));
  Stage stage(
      context, "shuffle features", static_cast<double>(table.columns * repeats), "shuffles");
  for (std::int64_t f = 0; f < table.columns; ++f) {
    T* column = copy.column(f);
    double sum = 0, squares = 0;
    for (std::int64_t repeat = 0; repeat < repeats; ++repeat) {
      std::copy_n(table.column(f), n, column);
      const Random random(seed, static_cast<std::uint64_t>(f * repeats + repeat) + 1);
      for (std::int64_t i = n - 1; i > 0; --i) {
        const std::uint64_t word = random.word(static_cast<std::uint64_t>(i));
        std::swap(column[i], column[word % static_cast<std::uint64_t>(i + 1)]);
      }
      const double loss = result.score - score(context, model, copy.view(), target);
      sum += loss;
      squares += loss * loss;
      stage.advance(1);
    }
    std::copy_n(table.column(f), n, column);
    const double count = static_cast<double>(repeats);
    const double mean = sum / count;
    result.means.push_back(mean);
    result.deviations.push_back(std::sqrt(std::max(0.0, squares / count - mean * mean)));
  }
  return result;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, permutation_importances)

}  // namespace yupana::forest
