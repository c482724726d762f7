#include "yupana/som/clusters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/support/text_files.hpp"
#include "yupana/core/random.hpp"

namespace yupana::som {
namespace {

using test::refusal;

Matrix<float> made(std::int64_t neurons, std::int64_t features, std::uint64_t seed) {
  RandomSequence random(seed);
  Matrix<float> codebook(neurons, features);
  for (std::int64_t i = 0; i < neurons * features; ++i) {
    codebook.data()[i] = static_cast<float>(random.uniform());
  }
  return codebook;
}

using Group = std::vector<std::int64_t>;

/// Squared distances of the neurons of a group to their mean.
double spread(const Matrix<float>& codebook, const Group& group) {
  double sum = 0;
  for (std::int64_t j = 0; j < codebook.cols(); ++j) {
    double mean = 0;
    for (const std::int64_t i : group) mean += codebook(i, j) / static_cast<double>(group.size());
    for (const std::int64_t i : group) sum += (codebook(i, j) - mean) * (codebook(i, j) - mean);
  }
  return sum;
}

/// Joins, again and again, of all pairs of groups on the map the one that adds least.
std::vector<Group> joined_one_by_one(const Matrix<float>& codebook,
                                     const Grid& grid,
                                     std::int64_t count) {
  std::vector<Group> groups;
  for (std::int64_t i = 0; i < codebook.rows(); ++i) groups.push_back({i});
  while (std::ssize(groups) > count) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t best_a = 0, best_b = 0;
    for (std::size_t a = 0; a < groups.size(); ++a) {
      for (std::size_t b = a + 1; b < groups.size(); ++b) {
        bool touch = false;
        for (const std::int64_t i : groups[a]) {
          for (const std::int64_t k : groups[b]) {
            touch = touch || adjacent(grid, i, k, default_neighbors(grid));
          }
        }
        if (!touch) continue;
        Group both = groups[a];
        both.insert(both.end(), groups[b].begin(), groups[b].end());
        const double cost =
            spread(codebook, both) - spread(codebook, groups[a]) - spread(codebook, groups[b]);
        if (cost < least) {
          least = cost;
          best_a = a;
          best_b = b;
        }
      }
    }
    Group& to = groups[best_a];
    to.insert(to.end(), groups[best_b].begin(), groups[best_b].end());
    std::sort(to.begin(), to.end());
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(best_b));
  }
  return groups;
}

std::vector<Group> groups_of(const Clusters& clusters) {
  std::vector<Group> groups(static_cast<std::size_t>(clusters.count));
  for (std::size_t i = 0; i < clusters.of.size(); ++i) {
    groups[static_cast<std::size_t>(clusters.of[i])].push_back(static_cast<std::int64_t>(i));
  }
  return groups;
}

TEST(Clusters, AreThoseOfJoiningTheCheapestNeighboursOneByOne) {
  Context context({.device = "cpu", .threads = 2});
  std::uint64_t seed = 1;
  for (const Grid& grid : {Grid{1, 1},
                           Grid{1, 2},
                           Grid{1, 7},
                           Grid{5, 1},
                           Grid{4, 5},
                           Grid{6, 5, Lattice::hexagonal},
                           Grid{6, 5, Lattice::rectangular, true},
                           Grid{4, 6, Lattice::hexagonal, true}}) {
    const Matrix<float> codebook = made(grid.size(), 3, seed++);
    for (const std::int64_t count : {1, 2, 3, 5}) {
      if (count > grid.size()) continue;
      const Clusters found = cluster_neurons(context, codebook.view(), grid, {}, count);
      auto expected = joined_one_by_one(codebook, grid, count);
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(groups_of(found), expected) << grid.rows << " x " << grid.cols << ", " << count;
      EXPECT_TRUE(found.silhouettes.empty());
    }
  }
}

/// Three groups of columns, far from each other.
Matrix<float> three_groups(const Grid& grid) {
  Matrix<float> codebook = made(grid.size(), 2, 9);
  for (std::int64_t i = 0; i < grid.size(); ++i) codebook(i, 0) += 10 * (i % grid.cols / 3);
  return codebook;
}

TEST(Clusters, AreAsManyAsTheirSilhouettesSay) {
  const Grid grid{4, 9};
  const Matrix<float> codebook = three_groups(grid);
  Clusters first;
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    const Clusters found = cluster_neurons(context, codebook.view(), grid, {});
    EXPECT_EQ(found.count, 3);
    ASSERT_EQ(found.silhouettes.size(), 5u);
    EXPECT_EQ(std::max_element(found.silhouettes.begin(), found.silhouettes.end()) -
                  found.silhouettes.begin(),
              1);
    EXPECT_GT(found.silhouettes[1], 0.9);
    for (std::int64_t i = 0; i < grid.size(); ++i) EXPECT_EQ(found.of[i], i % 9 / 3);
    if (threads == 1) first = found;
    EXPECT_EQ(found.silhouettes, first.silhouettes);
  }
}

TEST(Clusters, AreCountedBySamplesNotByEmptyNeurons) {
  // Two far ends, and empty neurons evenly between them.
  const Grid grid{1, 12};
  Matrix<float> codebook(12, 1);
  std::vector<std::int64_t> hits(12, 0);
  for (std::int64_t i = 0; i < 12; ++i) codebook(i, 0) = static_cast<float>(10 * i);
  for (const std::int64_t i : {0, 1, 10, 11}) hits[static_cast<std::size_t>(i)] = 50;
  Context context({.device = "cpu"});
  const Clusters found = cluster_neurons(context, codebook.view(), grid, hits);
  EXPECT_EQ(found.count, 2);
  // Cut in the middle, means 5 and 105: a = 5, b = 95 or 105.
  EXPECT_NEAR(found.silhouettes[0], (90.0 / 95 + 100.0 / 105) / 2, 1e-12);
  EXPECT_NE(cluster_neurons(context, codebook.view(), grid, {}).silhouettes, found.silhouettes);
}

TEST(Clusters, OfNeuronsThatAreAlikeOrFewAreNumbersToo) {
  Context context({.device = "cpu"});
  Matrix<float> same(12, 2);
  std::fill_n(same.data(), 24, 1.5F);
  const Clusters found = cluster_neurons(context, same.view(), {3, 4}, {});
  EXPECT_EQ(found.count, 1);
  EXPECT_TRUE(found.silhouettes.empty());
  EXPECT_EQ(cluster_neurons(context, made(3, 1, 3).view(), {1, 3}, {}).count, 2);
  EXPECT_EQ(cluster_neurons(context, made(900, 1, 3).view(), {30, 30}, {}).silhouettes.size(), 19u);
  for (const Grid& grid : {Grid{1, 1}, Grid{1, 2}}) {
    const Matrix<float> codebook = made(grid.size(), 1, 3);
    const Clusters few = cluster_neurons(context, codebook.view(), grid, {});
    EXPECT_EQ(few.count, 1);
    EXPECT_EQ(few.of, std::vector<std::int64_t>(static_cast<std::size_t>(grid.size()), 0));
  }
}

TEST(Clusters, AreNotMoreThanTheNeurons) {
  Context context({.device = "cpu"});
  const Matrix<float> codebook = made(6, 2, 4);
  for (const std::int64_t count : {-1, 7}) {
    EXPECT_EQ(refusal(
                  [&] {
                    cluster_neurons(context, codebook.view(), {2, 3}, {}, count);
                  },
                  ErrorCode::usage),
              fmt::format("clusters: expected 1 to 6, the neurons, got {}", count));
  }
}

}  // namespace
}  // namespace yupana::som
