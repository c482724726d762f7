#include "yupana/forest/row_bits.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/forest/samples.hpp"
#include "tests/support/instruction_sets.hpp"
#include "yupana/core/random.hpp"

namespace yupana::forest {
namespace {

TEST(RowBits, AreCountedInWordsOfAnyRows) {
  on_each_instruction_set([&] {
    constexpr std::int64_t words = 3;
    for (const std::int64_t n : {1, 2, 254, 255, 256, 510, 511, 1000}) {
      std::vector<std::uint64_t> bits(n * words);
      std::vector<std::uint32_t> rows(n), counts(64 * words, 7), expected = counts;
      for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = Random(n).word(i);
      for (std::int64_t i = 0; i < n; ++i) bits[i * words] |= 1;  // all rows have it
      for (std::int64_t i = 0; i < n; ++i) {
        rows[i] = static_cast<std::uint32_t>(Random(2).word(i) % n);
        for (const std::int64_t word : {2, 0}) {
          for (int b = 0; b < 64; ++b) {
            expected[64 * word + b] += bits[rows[i] * words + word] >> b & 1;
          }
        }
      }
      cpu::count_bits(bits.data(), words, rows.data(), n, {2, 0}, counts.data());
      EXPECT_EQ(counts, expected) << n << " rows";
    }
  });
}

/// Columns of two values, and `numbers` others of more.
Sample<float> make_two_values(const SampleParams& params, std::int64_t numbers) {
  auto sample = make_sample<float>(params);
  for (std::int64_t f = numbers; f < params.features; ++f) {
    float* const column = sample.table.column(f);
    for (std::int64_t i = 0; i < params.rows; ++i) {
      if (column[i] == column[i]) column[i] = column[i] < 0.1F ? -2.5F : static_cast<float>(f);
    }
  }
  std::fill_n(sample.table.column(numbers), params.rows, 1.0F);
  return sample;
}

class ForestsOfBits : public testing::Test {
 protected:
  void agree(const Sample<float>& sample, const ForestParams& params) {
    const TableView<float> table = sample.table.view();
    const auto expected = fit_forest(reference_, table, sample.target(), params);
    for (Context* context : {&one_, &seven_}) {
      const auto got = fit_forest(*context, table, sample.target(), params);
      for (std::size_t t = 0; t < expected.size(); ++t) {
        ASSERT_EQ(difference(expected[t], got[t]), "") << "tree " << t;
        nodes_ += std::ssize(got[t].nodes);
      }
    }
  }
  Context one_{{.device = "cpu", .threads = 1}}, seven_{{.device = "cpu", .threads = 7}};
  Context reference_{{.device = "reference"}};
  std::int64_t nodes_ = 0;
};

TEST_F(ForestsOfBits, AreThoseOfTheReference) {
  std::uint64_t seed = 1;
  for (const std::int32_t classes : {2, 3, 7}) {
    for (const std::int64_t numbers : {0, 30, 40, 60}) {
      for (const Criterion criterion : {Criterion::gini, Criterion::entropy}) {
        for (const double missing : {0.0, 0.002}) {
          for (const int weights : {0, 1}) {
            const SampleParams shape{400, 80, classes, 0, missing, weights, seed++};
            SCOPED_TRACE(text_of(shape));
            ForestParams params{.trees = 2, .sampling = Sampling::bootstrap};
            params.tree.criterion = criterion;
            params.tree.min_samples_leaf = seed % 2 == 0 ? 1 : 3;
            agree(make_two_values(shape, numbers), params);
          }
        }
      }
    }
  }
  EXPECT_GT(nodes_, 10'000);
}

TEST_F(ForestsOfBits, HaveNodesOfMoreRowsThanAByteCounts) {
  for (const std::int32_t classes : {2, 3}) {
    ForestParams params{.trees = 2, .max_features = 9};
    params.tree.max_depth = 4;
    agree(make_two_values({3000, 200, classes, 0, 0, 0, 9}, 3), params);
  }
}

TEST_F(ForestsOfBits, KeepToRulesAndToBestLeaves) {
  const auto sample = make_two_values({300, 40, 2, 0, 0, 0, 4}, 2);
  ForestParams params{.trees = 2};
  params.tree.random_splits = true;
  agree(sample, params);
  params.tree.random_splits = false;
  params.tree.max_leaf_nodes = 12;
  agree(sample, params);
  params.tree.monotonic.assign(40, 1);
  agree(sample, params);
}

TEST(RowBits, AreOfTablesThatAreHalfOfTwoValuesAtLeast) {
  Context context({.device = "cpu", .threads = 1});
  for (const std::int64_t numbers : {0, 5, 6}) {
    const auto sample = make_two_values({50, 10, 2, 0, 0, 0, 1}, numbers);
    const Problem problem = make_problem(50, sample.target(), Criterion::gini);
    const auto bits = row_bits(context, sample.table.view(), problem, {});
    EXPECT_EQ(bits.empty(), numbers == 6);
    if (bits.empty()) continue;
    EXPECT_EQ(std::ssize(bits.values), 10 - numbers);
    for (std::int32_t f = 0; f < 10; ++f) {
      const std::int32_t bit = bits.number(f);
      ASSERT_EQ(bit, f < numbers ? -1 : f - numbers);
      for (std::uint32_t i = 0; i < 50 && bit >= 0; ++i) {
        const auto [low, high] = bits.values[bit];
        EXPECT_EQ(sample.table.view()(i, f), bits.at(i, bit) != 0 ? high : low);
      }
    }
  }
}

}  // namespace
}  // namespace yupana::forest
