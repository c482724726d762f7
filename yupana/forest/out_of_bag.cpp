#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/row_samples.hpp"
#include "yupana/forest/validate.hpp"

namespace yupana::forest {

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
