#include <gtest/gtest.h>

#include <cmath>

#include "yupana/core/error.hpp"
#include "yupana/som/nearest.hpp"

namespace yupana::som {
namespace {

/// Three neurons in a row at 0, 1 and 10; samples at 0.2, 0.9, 6, 9.
struct Line {
  Grid grid{1, 3};
  Matrix<float> codebook{3, 1}, samples{4, 1};
  Context context{{.device = "cpu"}};
  Line() {
    codebook(0, 0) = 0, codebook(1, 0) = 1, codebook(2, 0) = 10;
    samples(0, 0) = 0.25f, samples(1, 0) = 0.75f, samples(2, 0) = 6, samples(3, 0) = 9;
  }
  NearestNeurons nearest() { return nearest_neurons(context, samples.view(), codebook.view()); }
};

TEST(SomQuality, ErrorsAreThoseWorkedOutByHand) {
  Line line;
  const Quality found = quality(line.nearest(), line.grid);
  EXPECT_DOUBLE_EQ(found.quantization_error, (0.25 + 0.25 + 4 + 1) / 4);
  EXPECT_EQ(found.topographic_error, 0);
  EXPECT_EQ(found.empty, 0);
  std::swap(line.codebook(1, 0), line.codebook(2, 0));  // 0, 10, 1: the ends are nearest
  EXPECT_DOUBLE_EQ(quality(line.nearest(), line.grid).topographic_error, 0.5);
  EXPECT_EQ(hits(line.nearest(), 3), (std::vector<std::int64_t>{1, 2, 1}));
}

TEST(SomQuality, OneNeuronHasNoTopography) {
  Line line;
  const Matrix<float> one(1, 1);
  const auto nearest = nearest_neurons(line.context, line.samples.view(), line.samples.view());
  EXPECT_EQ(quality(nearest, {2, 2}).quantization_error, 0);
  Matrix<float> single(1, 1);
  single(0, 0) = 0;
  const auto alone = nearest_neurons(line.context, line.samples.view(), single.view());
  EXPECT_EQ(alone.second[0], -1);
  EXPECT_TRUE(std::isnan(quality(alone, {1, 1}).topographic_error));
}

TEST(SomQuality, NeighborsMustBeThoseOfTheLattice) {
  Line line;
  EXPECT_THROW(quality(line.nearest(), line.grid, 6), Error);
  EXPECT_THROW(quality(line.nearest(), {1, 3, Lattice::hexagonal}, 8), Error);
  EXPECT_NO_THROW(quality(line.nearest(), line.grid, 4));
}

TEST(SomQuality, UMatrixIsTheMeanDistanceToNeighbors) {
  Line line;
  EXPECT_EQ(u_matrix(line.codebook.view(), line.grid), (std::vector<double>{1, 5, 9}));
  EXPECT_EQ(u_matrix(line.codebook.view(), {1, 1}), (std::vector<double>{0}));
}

TEST(SomQuality, PMatrixCountsSamplesWithinTheRadius) {
  Line line;
  EXPECT_EQ(p_matrix(line.context, line.samples.view(), line.codebook.view(), 1),
            (std::vector<std::int64_t>{2, 2, 1}));
  const double radius = pareto_radius(line.samples.view(), 1);
  EXPECT_GE(radius, 0.5);
  EXPECT_LE(radius, 3);
}

TEST(SomQuality, LabelsAreMajoritiesWithTiesToTheSmallerClass) {
  Line line;
  EXPECT_EQ(neuron_labels(line.nearest(), 3, std::vector<std::int32_t>{4, 2, 7, 2}),
            (std::vector<std::int64_t>{4, 2, 2}));
  EXPECT_EQ(neuron_labels(line.nearest(), 3, std::vector<std::int32_t>{4, 3, -1, -1}),
            (std::vector<std::int64_t>{4, 3, -1}));
  EXPECT_THROW(neuron_labels(line.nearest(), 3, std::vector<std::int32_t>{1}), Error);
}

TEST(SomQuality, SamplesOfNeuronsWithoutALabelTakeTheNearestOne) {
  Line line;
  const Array<std::int32_t> classes =
      classified(line.context, line.samples.view(), line.codebook.view(), {4, 2, -1});
  EXPECT_EQ(std::vector<std::int32_t>(classes.begin(), classes.end()),
            (std::vector<std::int32_t>{4, 2, 2, 2}));
  EXPECT_THROW(classified(line.context, line.samples.view(), line.codebook.view(), {-1, -1, -1}),
               Error);
}

}  // namespace
}  // namespace yupana::som
