#include "yupana/som/nearest.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/som/samples.hpp"
#include "yupana/som/train.hpp"

namespace yupana::som {
namespace {

// Far from the origin float scores cannot tell neurons apart, and double must.
TEST(NearestNeurons, AreExactWhereFloatsCannotDecide) {
  for (const double offset : {0.0, 1e3, 1e6}) {
    const Matrix<float> samples = clouds(400, 6, 11, offset);
    Context reference({.device = "reference"}), cpu({.device = "cpu"});
    SomParams params;
    params.grid = {7, 9};
    const Matrix<float> codebook = initial_codebook(cpu, samples.view(), params);
    const auto a = nearest_neurons(reference, samples.view(), codebook.view());
    const auto b = nearest_neurons(cpu, samples.view(), codebook.view());
    for (std::int64_t s = 0; s < samples.rows(); ++s) {
      EXPECT_EQ(a.best[s], b.best[s]);
      EXPECT_EQ(a.second[s], b.second[s]);
      EXPECT_EQ(a.best_distance[s], b.best_distance[s]);
      EXPECT_EQ(a.second_distance[s], b.second_distance[s]);
    }
  }
}

TEST(NearestNeurons, TiesGoToTheSmallerNeuron) {
  Matrix<float> codebook(40, 2), samples(1, 2);
  std::fill_n(codebook.data(), 80, 1.0f);
  codebook(0, 0) = 5;
  samples(0, 0) = samples(0, 1) = 1;
  for (const char* device : {"reference", "cpu"}) {
    Context context({.device = device});
    const auto nearest = nearest_neurons(context, samples.view(), codebook.view());
    EXPECT_EQ(nearest.best[0], 1) << device;
    EXPECT_EQ(nearest.second[0], 2) << device;
    EXPECT_EQ(nearest.best_distance[0], 0) << device;
  }
}

}  // namespace
}  // namespace yupana::som
