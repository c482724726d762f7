// k nearest, nearest of two sets and pairs within a radius: trees against all pairs.
#include "yupana/geometry/neighbors.hpp"

#include <algorithm>
#include <cstring>

#include "tests/geometry/points.hpp"
#include "yupana/core/error.hpp"

namespace yupana::geometry {
namespace {

using testing::lattice;
using testing::points_of;
using testing::uniform;

bool equal(const Neighbors& a, const Neighbors& b) {
  const auto cells = static_cast<std::size_t>(a.indices.rows() * a.indices.cols());
  return std::memcmp(a.indices.data(), b.indices.data(), cells * 8) == 0 &&
         std::memcmp(a.distances.data(), b.distances.data(), cells * 8) == 0;
}

/// Every function on both backends and several threads.
template <class T>
void same_answers(const Matrix<T>& a, const Matrix<T>& b, double radius, const std::string& name) {
  Context reference({.device = "reference"});
  const MatrixView<const T> x = a.view(), y = b.view();
  const std::int64_t k = std::min<std::int64_t>(5, a.rows() - 1);
  for (const int threads : {1, 2, 7}) {
    Context cpu({.device = "cpu", .threads = threads});
    EXPECT_TRUE(equal(nearest_neighbors(cpu, x, k), nearest_neighbors(reference, x, k))) << name;
    EXPECT_TRUE(equal(nearest_neighbors(cpu, x, y, k), nearest_neighbors(reference, x, y, k)))
        << name;
    EXPECT_EQ(closest_between(cpu, x, y), closest_between(reference, x, y)) << name;
    EXPECT_EQ(pairs_within(cpu, x, radius), pairs_within(reference, x, radius)) << name;
    EXPECT_EQ(pairs_within(cpu, x, y, radius), pairs_within(reference, x, y, radius)) << name;
  }
}

template <class T>
class NeighborsOf : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NeighborsOf, Floats);

TYPED_TEST(NeighborsOf, EveryDimensionEqualsAllPairs) {
  for (std::int64_t d = 1; d <= max_dimensions; ++d) {
    same_answers(uniform<TypeParam>(700, d), uniform<TypeParam>(90, d, 2), 0.1, "uniform");
  }
}

TYPED_TEST(NeighborsOf, EqualDistancesAndEqualPointsGoByIndex) {
  for (const std::int64_t d : {1, 2, 3, 5}) {
    same_answers(lattice<TypeParam>(600, d, 4), lattice<TypeParam>(100, d, 5, 3), 1.0, "lattice");
  }
}

TYPED_TEST(NeighborsOf, HardCloudsEqualAllPairs) {
  for (const testing::Cloud& cloud : testing::hard_clouds(300)) {
    for (const std::int64_t d : {1, 2, 3}) {
      const auto points = points_of<TypeParam>(300, d, cloud.at);
      const double most = std::abs(static_cast<double>(
          *std::max_element(points.data(), points.data() + 300 * d, [](auto a, auto b) {
            return std::abs(a) < std::abs(b);
          })));
      if (!(most < 0x1p500)) continue;
      same_answers(points, uniform<TypeParam>(40, d), most * 1e-3, cloud.name);
    }
  }
}

TYPED_TEST(NeighborsOf, FewPointsAroundALeafEqualAllPairs) {
  for (const std::int64_t n : {2, 3, 11, 12, 13, 24, 25, 26, 97}) {
    same_answers(lattice<TypeParam>(n, 2, 7), lattice<TypeParam>(1, 2, 7, 5), 2.0, "few");
  }
}

TEST(Neighbors, ManyNeighborsComeInOrder) {
  const Matrix<double> points = lattice<double>(900, 2, 12);
  Context reference({.device = "reference"}), cpu({.device = "cpu"});
  for (const std::int64_t k : {1, 48, 49, 300, 899}) {
    EXPECT_TRUE(equal(nearest_neighbors(cpu, points.view(), points.view(), k),
                      nearest_neighbors(reference, points.view(), points.view(), k)))
        << k;
    EXPECT_TRUE(equal(nearest_neighbors<double>(cpu, points.view(), k),
                      nearest_neighbors<double>(reference, points.view(), k)))
        << k;
  }
}

TEST(Neighbors, TheNearestOfAllIsTheClosestPair) {
  Context cpu({.device = "cpu"});
  for (const double scale : {1.0, 1e-300, 1e140}) {
    const Matrix<double> points = uniform<double>(2000, 3, 9, scale);
    const ClosestPair pair = closest_pair<double>(cpu, points.view());
    const Neighbors nearest = nearest_neighbors<double>(cpu, points.view(), 1);

    EXPECT_EQ(nearest.indices(pair.i, 0), pair.j);
    EXPECT_EQ(nearest.distances(pair.i, 0), pair.distance);
    const auto pairs = pairs_within<double>(cpu, points.view(), pair.distance);
    ASSERT_EQ(pairs.size(), 1u);
    EXPECT_EQ(pairs.front(), pair);
    const double less = std::nextafter(pair.distance, 0.0);
    EXPECT_TRUE(pairs_within<double>(cpu, points.view(), less).empty());
  }
}

TEST(Neighbors, DistancesThatSquaresWouldLoseKeepTheirOrder) {
  // Squares of all but the last vanish in doubles.
  const double x[] = {0, 4.9e-324, 2e-200, 1e-200, 1};
  const Matrix<double> points =
      points_of<double>(5, 1, [&](std::int64_t i, std::int64_t) { return x[i]; });
  Context cpu({.device = "cpu"});
  const Neighbors nearest = nearest_neighbors<double>(cpu, points.view(), 4);

  EXPECT_EQ(nearest.indices(0, 0), 1);
  EXPECT_EQ(nearest.distances(0, 0), 4.9e-324);
  EXPECT_EQ(nearest.indices(0, 1), 3);
  EXPECT_EQ(nearest.indices(0, 2), 2);
  EXPECT_EQ(nearest.indices(0, 3), 4);
  EXPECT_EQ(pairs_within<double>(cpu, points.view(), 1e-200).size(), 4u);
  EXPECT_EQ(pairs_within<double>(cpu, points.view(), 0).size(), 0u);
}

template <class Call>
void refused(ErrorCode code, const char* says, const Call& call) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << says;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
  }
}

TEST(Neighbors, WhatCannotBeAnsweredIsRefused) {
  Context cpu({.device = "cpu"});
  const Matrix<double> points = uniform<double>(10, 2), other = uniform<double>(4, 3);
  Matrix<double> odd = uniform<double>(10, 2);
  const auto bad = ErrorCode::bad_input;
  refused(bad, "k of 1 to 9", [&] { nearest_neighbors<double>(cpu, points.view(), 10); });
  refused(bad, "k of 1 to 10", [&] {
    nearest_neighbors<double>(cpu, points.view(), points.view(), 0);
  });
  refused(bad, "queries: expected 2 coordinates", [&] {
    closest_between<double>(cpu, points.view(), other.view());
  });
  refused(ErrorCode::usage, "radius", [&] { pairs_within<double>(cpu, points.view(), -1); });
  odd(3, 1) = std::nan("");
  refused(bad, "row 4", [&] { pairs_within<double>(cpu, odd.view(), 1); });
  odd(3, 1) = 1e200;
  refused(bad, "scale them", [&] { pairs_within<double>(cpu, odd.view(), 1); });
  const Matrix<double> many = uniform<double>(1000, 2);
  for (const char* device : {"cpu", "reference"}) {
    Context little({.device = device, .memory = 1 << 21});
    refused(ErrorCode::out_of_resources, ": 499500, which need 24.1 MB with the points", [&] {
      pairs_within<double>(little, many.view(), 2);
    });
    Context less({.device = device, .memory = 1 << 16});
    refused(ErrorCode::out_of_resources, ": more than ", [&] {
      pairs_within<double>(less, many.view(), 2);
    });
  }
}

}  // namespace
}  // namespace yupana::geometry
