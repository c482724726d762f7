#include "yupana/forest/validate.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/forest/row_samples.hpp"

namespace yupana::forest {

std::vector<std::int32_t> folds_of(std::int64_t rows,
                                   const Target& target,
                                   std::int64_t folds,
                                   bool stratified,
                                   std::uint64_t seed) {
  if (folds < 2) throw usage_error("cv: expected at least 2 folds, got {}", folds);
  if (rows < folds) {
    throw input_error("{} fewer than {} folds; {}",
                      rows == 1 ? "1 row is" : fmt::format("{} rows are", rows),
                      folds,
                      rows == 1 ? "take a table of more rows" : "give fewer folds");
  }
  std::vector<std::int64_t> order(rows);
  std::iota(order.begin(), order.end(), 0);
  const Random random(seed, 0x666f6c64);
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    std::swap(order[i], order[random.word(i) % (i + 1)]);
  }
  if (stratified && target.is_class()) {
    std::ranges::stable_sort(order, {}, [&](std::int64_t a) { return target.codes[a]; });
  }
  std::vector<std::int32_t> fold(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    fold[order[i]] = static_cast<std::int32_t>(static_cast<std::int64_t>(i) % folds);
  }
  return fold;
}

template <class T>
Target Part<T>::target() const {
  Target target;
  if (classes > 0) {
    target.codes = codes.data();
    target.classes = classes;
  } else {
    target.values = values.data();
  }
  if (!weights.empty()) target.weights = weights.data();
  return target;
}

template <class T>
Part<T> part_of(TableView<T> table,
                const std::vector<std::string>& names,
                const Target& target,
                const std::function<bool(std::int64_t)>& in) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < table.rows; ++i) {
    if (in(i)) rows.push_back(i);
  }
  Part<T> part;
  part.table = Table<T>(std::ssize(rows), names);
  part.classes = target.is_class() ? target.classes : 0;
  for (std::int64_t f = 0; f < table.columns; ++f) {
    const T* from = table.column(f);
    T* to = part.table.column(f);
    for (const std::int64_t row : rows) *to++ = from[row];
  }
  for (const std::int64_t row : rows) {
    if (target.is_class()) {
      part.codes.push_back(target.codes[row]);
    } else {
      part.values.push_back(target.values[row]);
    }
    if (target.weights != nullptr) part.weights.push_back(target.weights[row]);
  }
  return part;
}

double r2_of(std::int64_t rows, double errors, double spread) {
  if (rows < 2) return std::numeric_limits<double>::quiet_NaN();
  return spread > 0 ? 1 - errors / spread : errors == 0;
}

template <class T>
double score(Context& context, const Model& model, TableView<T> table, const Target& target) {
  const double count = static_cast<double>(std::max<std::int64_t>(1, table.rows));
  if (target.is_class()) {
    const Array<std::int32_t> codes = predict_classes(context, model, table);
    std::int64_t right = 0;
    for (std::int64_t i = 0; i < table.rows; ++i) right += codes[i] == target.codes[i];
    return static_cast<double>(right) / count;
  }
  const Matrix<double> means = predict_shares(context, model, table);
  const double mean = std::accumulate(target.values, target.values + table.rows, 0.0) / count;
  double errors = 0, spread = 0;
  for (std::int64_t i = 0; i < table.rows; ++i) {
    const double error = means(i, 0) - target.values[i], distance = target.values[i] - mean;
    errors += error * error;
    spread += distance * distance;
  }
  return r2_of(table.rows, errors, spread);
}

template struct Part<float>;
template struct Part<double>;
YUPANA_FUNCTIONS(YUPANA_FLOATS, part_of, score)

template <class T>
OutOfBag out_of_bag(Context& context,
                    const std::vector<Tree>& trees,
                    TableView<T> table,
                    const Target& target,
                    const ForestParams& params) {
  OutOfBag result;
  if (params.sampling == Sampling::all) return result;
  Stage stage(context, "score out of bag");
  const RowSamples draws(table.rows, params, true);
  const std::int64_t outputs = trees[0].outputs;
  auto sums = Array<double>::zeros(table.rows * outputs);
  auto voters = Array<std::int32_t>::zeros(table.rows);
  Array<std::uint8_t> repeats(table.rows);
  for (std::int64_t t = 0; t < std::ssize(trees); ++t) {
    const Tree& tree = trees[t];
    draws.of_tree(params.first_tree + t, repeats.data());
    context.parallel_for(table.rows, 1 << 12, [&](std::int64_t begin, std::int64_t end) {
      context.check_cancelled();
      for (std::int64_t i = begin; i < end; ++i) {
        if (repeats[i] > 0) continue;
        const double* value =
            tree.value(leaf_of(tree, [&](std::int64_t f) { return table(i, f); }));
        double* sum = sums.data() + i * outputs;
        ++voters[i];
        const double weight = std::accumulate(value, value + outputs, 0.0);
        if (!target.is_class()) {
          *sum += *value;
        } else if (params.voting == Voting::hard) {
          ++sum[std::max_element(value, value + outputs) - value];
        } else {
          for (std::int64_t c = 0; c < outputs; ++c) sum[c] += value[c] / weight;
        }
      }
    });
  }
  double right = 0, mean = 0, errors = 0, spread = 0;
  for (std::int64_t i = 0; i < table.rows; ++i) {
    if (voters[i] == 0) continue;
    ++result.rows;
    const double* sum = sums.data() + i * outputs;
    if (target.is_class()) right += std::max_element(sum, sum + outputs) - sum == target.codes[i];
    if (!target.is_class()) mean += target.values[i];
  }
  for (std::int64_t i = 0; i < table.rows; ++i) {
    double* sum = sums.data() + i * outputs;
    for (std::int64_t c = 0; c < outputs; ++c) {
      sum[c] = voters[i] > 0 ? sum[c] / voters[i] : std::numeric_limits<double>::quiet_NaN();
    }
  }
  const double count = static_cast<double>(std::max<std::int64_t>(1, result.rows));
  result.score = right / count;
  result.values = std::move(sums);
  if (target.is_class()) return result;
  for (std::int64_t i = 0; i < table.rows; ++i) {
    if (voters[i] == 0) continue;
    const double error = result.values[i] - target.values[i];
    const double distance = target.values[i] - mean / count;
    errors += error * error;
    spread += distance * distance;
  }
  result.score = r2_of(result.rows, errors, spread);
  return result;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, out_of_bag)

}  // namespace yupana::forest
