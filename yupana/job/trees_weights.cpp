#include <algorithm>

#include "yupana/core/messages.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/job/tree_steps.hpp"

namespace yupana::job {
namespace {

using forest::Target;

/// Weights that make all classes weigh alike.
std::vector<double> balanced(std::int64_t rows, const Target& target) {
  std::vector<double> counts(static_cast<std::size_t>(target.classes), 0);
  const auto weight = [&](std::int64_t i) {
    return target.weights != nullptr ? target.weights[i] : 1.0;
  };
  for (std::int64_t i = 0; i < rows; ++i) counts[static_cast<std::size_t>(target.codes[i])] += 1;
  std::vector<double> weights(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i) {
    weights[static_cast<std::size_t>(i)] =
        weight(i) * static_cast<double>(rows) /
        (target.classes * counts[static_cast<std::size_t>(target.codes[i])]);
  }
  return weights;
}

}  // namespace

std::vector<double> class_weights(const std::vector<std::string>& classes,
                                  std::int64_t rows,
                                  const Target& target,
                                  const FitTreesParams& params) {
  std::vector<double> weights;
  if (params.balanced) weights = balanced(rows, target);
  if (params.class_weights.empty()) return weights;
  std::vector<double> factors(classes.size(), 1);
  std::vector<bool> given(classes.size(), false);
  for (const auto& [name, factor] : params.class_weights) {
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end()) {
      throw input_error("--class-weight {}: no row has that class", io::printable(name));
    }
    const auto at = static_cast<std::size_t>(found - classes.begin());
    if (given[at]) throw usage_error("--class-weight: '{}' is given twice", io::printable(name));
    given[at] = true;
    factors[at] = factor;
  }
  if (weights.empty()) weights.assign(static_cast<std::size_t>(rows), 1);
  for (std::int64_t i = 0; i < rows; ++i) {
    double& weight = weights[static_cast<std::size_t>(i)];
    if (!params.balanced && target.weights != nullptr) weight = target.weights[i];
    weight *= factors[static_cast<std::size_t>(target.codes[i])];
  }
  return weights;
}

}  // namespace yupana::job
