#include "yupana/forest/importance.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/forest/validate.hpp"

namespace yupana::forest {
namespace {

bool splits_sets_of(const Model& model, std::int64_t feature) {
  for (const Tree& tree : model.trees) {
    for (const Node& node : tree.nodes) {
      if (node.feature == feature && node.set >= 0) return true;
    }
  }
  return false;
}

/// The values of a column that are drawn, ascending.
template <class T>
std::vector<double> values_of(TableView<T> table, std::int64_t feature, bool categories) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < table.rows; ++i) {
    const T x = table(i, feature);
    if (x == x) all.push_back(static_cast<double>(x));
  }
  std::sort(all.begin(), all.end());
  std::vector<std::pair<std::int64_t, double>> counts;  // minus rows, value
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || all[i] != all[i - 1]) counts.emplace_back(0, all[i]);
    --counts.back().first;
  }
  std::vector<double> values;
  if (std::ssize(counts) <= max_dependence_values || categories) {
    std::sort(counts.begin(), counts.end());
    for (const auto& [rows, value] : counts) values.push_back(value);
    values.resize(std::min<std::size_t>(values.size(), max_dependence_values));
    std::sort(values.begin(), values.end());
    return values;
  }
  for (std::int64_t k = 0; k < max_dependence_values; ++k) {
    values.push_back(all[(all.size() - 1) * static_cast<std::size_t>(k) /
                         static_cast<std::size_t>(max_dependence_values - 1)]);
  }
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

std::vector<double> importance_deviations(const std::vector<Tree>& trees,
                                          const std::vector<double>& means) {
  std::vector<double> deviations(means.size(), 0);
  for (const Tree& tree : trees) {
    const std::vector<double> own = importances({&tree, 1}, std::ssize(means));
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

template <class T>
PartialDependence partial_dependence(Context& context,
                                     const Model& model,
                                     TableView<T> table,
                                     std::int64_t feature) {
  PartialDependence result;
  result.feature = feature;
  result.rows = std::min(table.rows, max_dependence_rows);
  result.of_rows = table.rows;
  result.values = values_of(table, feature, splits_sets_of(model, feature));
  const auto count = std::ssize(result.values);
  const std::int64_t outputs = model.is_class() ? std::ssize(model.classes) : 1;
  result.means = Matrix<double>(count, outputs);
  if (count == 0) return result;
  const std::int64_t rows = result.rows;
  const auto a_value =
      static_cast<std::uint64_t>(rows * (table.columns * std::int64_t{sizeof(T)} + 8 * outputs));
  const auto values_at_a_time =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(context.memory() / 8 / a_value), 1, count);
  Table<T> copies(values_at_a_time * rows, model.features);
  for (std::int64_t f = 0; f < table.columns; ++f) {
    for (std::int64_t i = 0; i < copies.rows(); ++i) {
      copies.column(f)[i] = table(i % rows * table.rows / rows, f);
    }
  }
  for (std::int64_t first = 0; first < count; first += values_at_a_time) {
    const std::int64_t values = std::min(values_at_a_time, count - first);
    for (std::int64_t v = 0; v < values; ++v) {
      std::fill_n(
          copies.column(feature) + v * rows, rows, static_cast<T>(result.values[first + v]));
    }
    TableView<T> asked = std::as_const(copies).view();
    asked.rows = values * rows;
    const Matrix<double> shares = predict_shares(context, model, asked);
    for (std::int64_t v = 0; v < values; ++v) {
      for (std::int64_t c = 0; c < outputs; ++c) {
        double sum = 0;
        for (std::int64_t i = 0; i < rows; ++i) sum += shares(v * rows + i, c);
        result.means(first + v, c) = sum / static_cast<double>(rows);
      }
    }
  }
  return result;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, partial_dependence)

}  // namespace yupana::forest
