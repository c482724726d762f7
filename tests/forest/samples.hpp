#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "yupana/core/random.hpp"
#include "yupana/core/table.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/tree.hpp"

namespace yupana::forest {

/// A table with labels made from a seed.
template <class T>
struct Sample {
  Table<T> table;
  std::vector<std::int32_t> codes;
  std::vector<double> values;
  std::vector<double> weights;
  std::int32_t classes = 0;

  Target target() const {
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
};

struct SampleParams {
  std::int64_t rows = 100;
  std::int64_t features = 3;
  std::int32_t classes = 2;  ///< 0: numbers
  std::int64_t levels = 0;   ///< different values of a feature; 0: as many as rows
  double missing = 0;        ///< share of missing cells
  int weights = 0;           ///< 0: none, 1: whole, 2: fractions; some are zero
  std::uint64_t seed = 1;
};

inline std::string text_of(const SampleParams& sample) {
  return fmt::format("{} rows, {} features, {} classes, {} levels, missing {}, weights {}, seed {}",
                     sample.rows,
                     sample.features,
                     sample.classes,
                     sample.levels,
                     sample.missing,
                     sample.weights,
                     sample.seed);
}

/// What samples vary in, besides their weights.
struct SampleRanges {
  std::int64_t features = 3;
  std::vector<std::int64_t> rows;
  std::vector<std::int32_t> classes;
  std::vector<std::int64_t> levels;
  std::vector<double> missing = {0.0, 0.2};
  std::int64_t weighted_rows = 0;  ///< samples of fewer rows have no weights
};

/// Calls attempt(params) for each of the samples, each with a seed of its own.
template <class Attempt>
void for_each_sample(const SampleRanges& ranges, const Attempt& attempt) {
  std::uint64_t seed = 1;
  for (const std::int64_t rows : ranges.rows) {
    for (const std::int32_t classes : ranges.classes) {
      for (const std::int64_t levels : ranges.levels) {
        for (const double missing : ranges.missing) {
          for (const int weights : {0, 1, 2}) {
            if (weights > 0 && rows < ranges.weighted_rows) continue;
            attempt(SampleParams{rows, ranges.features, classes, levels, missing, weights, seed++});
            if (testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

template <class T>
Sample<T> make_sample(const SampleParams& params) {
  RandomSequence random(params.seed);
  Sample<T> sample;
  std::vector<std::string> names;
  for (std::int64_t f = 0; f < params.features; ++f) names.push_back("f" + std::to_string(f));
  sample.table = Table<T>(params.rows, names);
  sample.classes = params.classes;
  for (std::int64_t i = 0; i < params.rows; ++i) {
    double sum = 0;
    for (std::int64_t f = 0; f < params.features; ++f) {
      double x = random.uniform() - 0.5;
      if (params.levels > 0) x = std::floor(x * static_cast<double>(params.levels));
      sum += std::isnan(x) ? 0 : x * static_cast<double>(f + 1);
      if (random.uniform() < params.missing) x = std::numeric_limits<double>::quiet_NaN();
      sample.table.column(f)[i] = static_cast<T>(x);
    }
    const double noise = random.uniform();
    if (params.classes > 0) {
      const double scaled = 3 * sum + 2 * noise + 10'000.0 * params.classes;
      const std::int32_t rest = static_cast<std::int32_t>(scaled) % params.classes;
      sample.codes.push_back(rest < 0 ? rest + params.classes : rest);  // sums of many levels
    } else {
      sample.values.push_back(params.levels > 0 ? std::floor(4 * (sum + noise)) : sum + noise);
    }
    if (params.weights == 1) sample.weights.push_back(std::floor(4 * random.uniform()));
    if (params.weights == 2) sample.weights.push_back(std::max(0.0, random.uniform() - 0.1));
  }
  return sample;
}

/// Columns of categories, the last column of numbers; the label depends on which categories meet.
template <class T>
Sample<T> make_categories(const SampleParams& params) {
  Sample<T> sample = make_sample<T>(params);
  const auto shift = static_cast<T>((params.levels + 1) / 2);
  for (std::int64_t f = 0; f + 1 < params.features; ++f) {
    T* column = sample.table.column(f);
    for (std::int64_t i = 0; i < params.rows; ++i) column[i] += shift;
  }
  return sample;
}

inline TreeParams with_categories(TreeParams params, std::int64_t features) {
  params.categorical.assign(static_cast<std::size_t>(features), true);
  params.categorical.back() = false;
  return params;
}

/// Of two trees: empty if equal, otherwise the first difference.
inline std::string difference(const Tree& a, const Tree& b) {
  for (std::size_t i = 0; i < std::min(a.nodes.size(), b.nodes.size()); ++i) {
    const Node &x = a.nodes[i], &y = b.nodes[i];
    if (x == y) continue;
    return fmt::format(
        "node {}: feature {} {}, threshold {} {}, missing {} {}, rows {} {}, weight {} {}, "
        "impurity {} {}",
        i,
        x.feature,
        y.feature,
        x.threshold,
        y.threshold,
        x.missing_left,
        y.missing_left,
        x.rows,
        y.rows,
        x.weight,
        y.weight,
        x.impurity,
        y.impurity);
  }
  if (a.nodes.size() != b.nodes.size()) {
    return fmt::format("{} nodes and {}", a.nodes.size(), b.nodes.size());
  }
  return a.values == b.values ? "" : "other values";
}

/// A model of these trees: its classes are named by their numbers.
template <class T>
Model model_of(const Sample<T>& sample, std::vector<Tree> trees, Voting voting = Voting::soft) {
  Model model;
  model.features = sample.table.names();
  for (std::int32_t c = 0; c < sample.classes; ++c) model.classes.push_back(std::to_string(c));
  model.voting = voting;
  model.trees = std::move(trees);
  return model;
}

}  // namespace yupana::forest
