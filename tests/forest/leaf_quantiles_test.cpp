#include "yupana/forest/leaf_quantiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/forest/samples.hpp"
#include "tests/support/text_files.hpp"

namespace yupana::forest {
namespace {

using test::refusal;

class Quantiles : public testing::Test {
 protected:
  Context cpu_{{.device = "cpu", .threads = 2}};
};

/// The least label that, with those below it, has the share; weights are whole.
double expected_quantile(std::vector<std::pair<double, double>> labels, double quantile) {
  std::sort(labels.begin(), labels.end());
  double all = 0, sum = 0;
  for (const auto& [label, weight] : labels) all += weight;
  for (const auto& [label, weight] : labels) {
    sum += weight;
    if (weight > 0 && sum >= quantile * all) return label;
  }
  return labels.back().first;
}

TEST_F(Quantiles, OfEveryNodeAreThoseOfItsRows) {
  for (const int weights : {0, 1}) {
    for (const double missing : {0.0, 0.2}) {
      const auto sample = make_sample<double>({300, 3, 0, 0, missing, weights, 4});
      const TreeParams params{.min_samples_leaf = 5};
      const Tree grown = fit_tree(cpu_, sample.table.view(), sample.target(), params);
      for (const double quantile : {0.05, 0.5, 0.9, 1.0}) {
        std::vector<Tree> trees{grown};
        put_leaf_quantiles(
            cpu_, sample.table.view(), sample.target(), params, nullptr, quantile, trees);
        EXPECT_EQ(trees[0].nodes, grown.nodes);
        std::map<std::int32_t, std::vector<std::pair<double, double>>> rows;
        for (std::int64_t i = 0; i < 300; ++i) {
          const double weight = weights == 0 ? 1 : sample.weights[i];
          if (weight == 0) continue;
          std::int32_t node = 0;
          while (true) {
            rows[node].emplace_back(sample.values[i], weight);
            const Node& split = grown.nodes[node];
            if (split.is_leaf()) break;
            node = grown.child_of(split, sample.table.column(split.feature)[i]);
          }
        }
        ASSERT_EQ(rows.size(), grown.nodes.size());
        for (const auto& [node, labels] : rows) {
          EXPECT_EQ(trees[0].values[node], expected_quantile(labels, quantile)) << node;
        }
      }
    }
  }
}

TEST_F(Quantiles, OfForestsAreOfTheRowsThatTreesDrew) {
  const auto sample = make_sample<float>({200, 4, 0, 0, 0, 0, 6});
  for (const Sampling sampling : {Sampling::bootstrap, Sampling::partition, Sampling::all}) {
    const ForestParams params{.trees = 5, .sampling = sampling, .tree = {.max_depth = 3}};
    const auto grown = fit_forest(cpu_, sample.table.view(), sample.target(), params);
    std::vector<std::vector<Tree>> found;
    for (const int threads : {1, 3}) {
      Context context({.device = "cpu", .threads = threads});
      put_leaf_quantiles(context,
                         sample.table.view(),
                         sample.target(),
                         params.tree,
                         &params,
                         0.8,
                         found.emplace_back(grown));
    }
    EXPECT_TRUE(found[0] == found[1]);
    for (std::int64_t t = 0; t < 5; ++t) {
      std::vector<std::pair<double, double>> labels;
      for (const std::uint32_t row : rows_of_tree(params, 200, t)) {
        labels.emplace_back(sample.values[row], 1);
      }
      EXPECT_EQ(found[0][t].values[0], expected_quantile(labels, 0.8));
    }
  }
}

TEST_F(Quantiles, WithoutSenseAreRefused) {
  const auto sample = make_sample<float>({20, 2, 0, 0, 0, 0, 1});
  const auto says = [&](double quantile, const Target& target) {
    std::vector<Tree> trees;
    return refusal(
        [&] {
          put_leaf_quantiles(cpu_, sample.table.view(), target, {}, nullptr, quantile, trees);
        },
        ErrorCode::usage);
  };
  EXPECT_EQ(says(0, sample.target()), "quantile: expected above 0, at most 1, got 0");
  const std::vector<std::int32_t> codes(20, 0);
  EXPECT_EQ(says(0.5, Target{.codes = codes.data(), .classes = 1}),
            "quantile: expected numbers to predict, got classes");
}

}  // namespace
}  // namespace yupana::forest
