#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "tests/forest/samples.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/forest/lists.hpp"

namespace yupana::forest {
namespace {

using test::refusal;

/// A sample some of whose values are entries, 0 some of them, and the others 0.
template <class T>
struct SparseSample {
  Sample<T> sample;
  std::vector<std::int64_t> starts{0};
  std::vector<std::uint32_t> rows;
  std::vector<T> values;

  SparseSample(const SampleParams& params, double share) : sample(make_sample<T>(params)) {
    RandomSequence random(params.seed + 100);
    for (std::int64_t f = 0; f < params.features; ++f) {
      T* column = sample.table.column(f);
      for (std::int64_t i = 0; i < params.rows; ++i) {
        // Of the first features nearly all, of the last none.
        if (random.uniform() <
            share * 2 * (1 - (static_cast<double>(f) + 1) / static_cast<double>(params.features))) {
          rows.push_back(static_cast<std::uint32_t>(i));
          values.push_back(f % 3 == 1 ? T{1} : column[i]);
          column[i] = values.back();
        } else {
          column[i] = 0;
        }
      }
      starts.push_back(std::ssize(rows));
    }
  }
  SparseColumns<T> view() const {
    return {sample.table.rows(), sample.table.columns(), starts.data(), rows.data(), values.data()};
  }
};

class SparseTrees : public testing::Test {
 protected:
  template <class T>
  void agree(const SampleParams& shape, double share, const TreeParams& params) {
    const SparseSample<T> sparse(shape, share);
    const Sample<T>& sample = sparse.sample;
    const Tree expected = fit_tree(cpu_, sample.table.view(), sample.target(), params);
    for (Context* context : {&one_, &cpu_, &seven_, &reference_}) {
      if (context == &reference_ && shape.rows > 1000) continue;
      const Tree got = fit_sparse_tree(*context, sparse.view(), sample.target(), params);
      ASSERT_EQ(difference(expected, got), "") << text_of(shape) << ", share " << share;
    }
    nodes_ += std::ssize(expected.nodes);
  }
  Context one_{{.device = "cpu", .threads = 1}};
  Context cpu_{{.device = "cpu", .threads = 2}};
  Context seven_{{.device = "cpu", .threads = 7}};
  Context reference_{{.device = "reference"}};
  std::int64_t nodes_ = 0;
};

TEST_F(SparseTrees, AreThoseOfTheTableWithItsZeros) {
  const SampleRanges ranges{.features = 7,
                            .rows = {1, 2, 9, 33, 150},
                            .classes = {0, 2, 3, 5},
                            .levels = {0, 2, 6},
                            .missing = {0.0},
                            .weighted_rows = 9};
  for (const double share : {0.05, 0.4, 1.0}) {
    for_each_sample(ranges, [&](const SampleParams& shape) {
      agree<float>(shape, share, {});
      agree<double>(shape, share, {.criterion = Criterion::entropy, .min_samples_leaf = 3});
      agree<double>(shape, share, {.min_weight_fraction_leaf = 0.1});
      agree<double>(shape, share, {.max_leaf_nodes = 5, .max_features = 2, .seed = shape.seed});
    });
  }
  EXPECT_GT(nodes_, 10'000);
}

TEST_F(SparseTrees, AreThoseOfTheTableWithItsZerosWhereBranchesGrowSideBySide) {
  agree<float>({40'000, 5, 2, 8, 0, 0, 3}, 0.3, {.max_depth = 4});
  agree<double>({40'000, 5, 0, 0, 0, 0, 4}, 0.3, {.max_depth = 3});
}

TEST_F(SparseTrees, OfForestsAreThoseOfTheTableWithItsZeros) {
  std::uint64_t seed = 1;
  for (const std::int32_t classes : {0, 2, 3}) {
    for (const Sampling sampling : {Sampling::bootstrap, Sampling::partition, Sampling::all}) {
      for (const std::int64_t drawn : {root_of_features, std::int64_t{0}, std::int64_t{2}}) {
        for (const int weights : {0, 1}) {
          const SparseSample<double> sparse({200, 12, classes, 6, 0, weights, seed++}, 0.3);
          const Sample<double>& sample = sparse.sample;
          const ForestParams params{.trees = 5, .sampling = sampling, .max_features = drawn};
          const auto expected = fit_forest(cpu_, sample.table.view(), sample.target(), params);
          for (Context* context : {&one_, &seven_, &reference_}) {
            const auto got = fit_sparse_forest(*context, sparse.view(), sample.target(), params);
            for (std::size_t t = 0; t < expected.size(); ++t) {
              ASSERT_EQ(difference(expected[t], got[t]), "") << "tree " << t;
            }
          }
        }
      }
    }
  }
}

TEST_F(SparseTrees, OfABrokenTableAreRefused) {
  const SampleParams shape{20, 3, 2, 5, 0, 0, 1};
  const auto says = [&](const SparseSample<double>& sparse) {
    return refusal([&] { fit_sparse_tree(cpu_, sparse.view(), sparse.sample.target()); });
  };
  const std::string message = "expected a sparse table of 20 rows, ascending starts and no NaN";
  SparseSample<double> rows(shape, 0.5), values(shape, 0.5), starts(shape, 0.5);
  rows.rows[1] = 20;
  values.values[1] = std::numeric_limits<double>::quiet_NaN();
  starts.starts[1] = starts.starts[2] + 1;
  EXPECT_EQ(says(rows), message);
  EXPECT_EQ(says(values), message);
  EXPECT_EQ(says(starts), message);
}

}  // namespace
}  // namespace yupana::forest
