#include "yupana/analysis/clustering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/analysis/matrices.hpp"
#include "tests/support/instruction_sets.hpp"
#include "yupana/core/error.hpp"

namespace yupana::analysis {

bool operator==(const Merge& a, const Merge& b) {
  return a.left == b.left && a.right == b.right && a.height == b.height && a.size == b.size;
}
void PrintTo(const Merge& merge, std::ostream* out) {
  *out << merge.left << "+" << merge.right << "@" << merge.height << " (" << merge.size << ")";
}

namespace {

using test::infinity;
using test::view;
constexpr Linkage methods[] = {
    Linkage::single, Linkage::average, Linkage::complete, Linkage::weighted, Linkage::ward};

/// Heights to 1e-14: the sums behind a mean may be added in another order.
void expect_merges(const std::vector<Merge>& got, const std::vector<Merge>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t m = 0; m < got.size(); ++m) {
    Merge near = got[m];
    if (std::abs(near.height - want[m].height) <= 1e-14 * want[m].height) {
      near.height = want[m].height;
    }
    EXPECT_EQ(near, want[m]) << "merge " << m;
  }
}

TEST(Linkage, EqualsScipyOnTies) {
  Context context;
  const auto d = test::eight_points();
  EXPECT_EQ(linkage(context, view(d), Linkage::single),
            (std::vector<Merge>{{0, 1, 1, 2},
                                {2, 8, 1, 3},
                                {3, 4, 1, 2},
                                {6, 7, 1, 2},
                                {5, 10, 2, 3},
                                {9, 12, 7, 6},
                                {11, 13, 7, 8}}));
  EXPECT_EQ(linkage(context, view(d), Linkage::average),
            (std::vector<Merge>{{0, 1, 1, 2},
                                {3, 4, 1, 2},
                                {6, 7, 1, 2},
                                {2, 8, 1.5, 3},
                                {5, 9, 2.5, 3},
                                {11, 12, 8.333333333333334, 6},
                                {10, 13, 9, 8}}));
  EXPECT_EQ(linkage(context, view(d), Linkage::complete),
            (std::vector<Merge>{{0, 1, 1, 2},
                                {3, 4, 1, 2},
                                {6, 7, 1, 2},
                                {2, 8, 2, 3},
                                {5, 9, 3, 3},
                                {11, 12, 10, 6},
                                {10, 13, 11, 8}}));
}

TEST(Linkage, EqualsScipyWithoutTiesOnEveryBackend) {
  const auto d = test::seven_points();
  for (const char* device : {"cpu", "reference"}) {
    Context context({.device = device});
    expect_merges(linkage(context, view(d), Linkage::single),
                  {{1, 2, 0.9433981132056604, 2},
                   {0, 7, 1.0, 3},
                   {5, 6, 1.0816653826391966, 2},
                   {8, 9, 1.3341664064126333, 5},
                   {4, 10, 1.4035668847618201, 6},
                   {3, 11, 1.70293863659264, 7}});
    expect_merges(linkage(context, view(d), Linkage::average),
                  {{1, 2, 0.9433981132056604, 2},
                   {5, 6, 1.0816653826391966, 2},
                   {0, 7, 1.30156097709407, 3},
                   {3, 4, 1.8110770276274837, 2},
                   {8, 9, 2.1127887231422617, 5},
                   {10, 11, 2.5299378912086876, 7}});
    expect_merges(linkage(context, view(d), Linkage::complete),
                  {{1, 2, 0.9433981132056604, 2},
                   {5, 6, 1.0816653826391966, 2},
                   {0, 7, 1.6031219541881396, 3},
                   {3, 4, 1.8110770276274837, 2},
                   {8, 9, 2.778488797889961, 5},
                   {10, 11, 3.6235341863986883, 7}});
  }
}

/// Merges the two closest clusters again and again, measuring every pair anew from its points.
template <class T>
std::vector<Merge> linkage_by_definition(const SquareMatrix<T>& d, Linkage method) {
  const auto between = [&](const auto& a, const auto& b) {
    double sum = 0, low = infinity, high = 0;
    for (const std::int64_t i : a) {
      for (const std::int64_t j : b) {
        const auto value = static_cast<double>(d(i, j));
        sum += value, low = std::min(low, value), high = std::max(high, value);
      }
    }
    const double mean = sum / static_cast<double>(a.size() * b.size());
    return method == Linkage::single ? low : method == Linkage::complete ? high : mean;
  };
  std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>> clusters;
  for (std::int64_t i = 0; i < d.size(); ++i) clusters.push_back({i, {i}});
  std::vector<Merge> merges;
  while (clusters.size() > 1) {
    std::size_t left = 0, right = 1;
    double closest = infinity;
    for (std::size_t x = 0; x < clusters.size(); ++x) {
      for (std::size_t y = x + 1; y < clusters.size(); ++y) {
        const double height = between(clusters[x].second, clusters[y].second);
        if (height < closest) closest = height, left = x, right = y;
      }
    }
    auto& [number, points] = clusters[left];
    const auto& other = clusters[right];
    const auto [low, high] = std::minmax(number, other.first);
    points.insert(points.end(), other.second.begin(), other.second.end());
    merges.push_back({low, high, closest, std::ssize(points)});
    number = d.size() + std::ssize(merges) - 1;
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(right));
  }
  return merges;
}

template <class T>
void expect_equals_definition(std::int64_t n) {
  const auto d = test::random_distances<T>(n, 1, 1e9);
  for (const Linkage method : {Linkage::single, Linkage::average, Linkage::complete}) {
    const std::vector<Merge> want = linkage_by_definition(d, method);
    for (const char* device : {"cpu", "reference"}) {
      Context context({.device = device});
      const std::vector<Merge> got = linkage(context, view(d), method);
      ASSERT_EQ(got.size(), want.size());
      for (std::size_t m = 0; m < got.size(); ++m) {
        EXPECT_EQ(got[m].left, want[m].left);
        EXPECT_EQ(got[m].right, want[m].right);
        EXPECT_EQ(got[m].size, want[m].size);
        EXPECT_NEAR(got[m].height, want[m].height, 1e-12 * want[m].height);
      }
    }
  }
}

TEST(Linkage, EqualsTheDefinitionInEveryType) {
  for (const std::int64_t n : {0, 1, 2, 3, 16, 17, 63, 64, 65, 71}) {
    SCOPED_TRACE(n);
    expect_equals_definition<std::int32_t>(n);
    expect_equals_definition<float>(n);
    expect_equals_definition<double>(n);
  }
}

TEST(Linkage, HeightsRiseAndEveryPointIsMergedOnceWhateverTies) {
  Context context;
  for (const std::int64_t n : {2, 30, 131}) {
    const Random random(9);
    const auto d = test::symmetric<std::int32_t>(
        n, [&](auto i, auto j) { return random.word(std::uint64_t(i * n + j)) % 4; });
    for (const Linkage method : methods) {
      const auto merges = linkage(context, view(d), method);
      ASSERT_EQ(static_cast<std::int64_t>(merges.size()), n - 1);
      EXPECT_TRUE(std::is_sorted(merges.begin(), merges.end(), [](const auto& a, const auto& b) {
        return a.height < b.height;
      }));
      EXPECT_EQ(merges.back().size, n);
      auto order = leaf_order(merges);
      std::sort(order.begin(), order.end());
      std::vector<std::int64_t> all(static_cast<std::size_t>(n));
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(order, all);
    }
  }
}

TEST(Linkage, ComponentsMergeLastAtInfiniteHeight) {
  // {0, 2, 4} and {1, 3}; 5 alone.
  const auto far = [](std::int64_t i, std::int64_t j) { return i % 2 != j % 2 || j == 5; };
  const auto reals = test::symmetric<float>(
      6, [&](auto i, auto j) { return far(i, j) ? infinity : static_cast<double>(i + j); });
  const auto integers = test::symmetric<std::int32_t>(
      6, [&](auto i, auto j) { return far(i, j) ? 0x3fffffff : i + j; });
  const auto check = [&](const char* device) {
    Context context({.device = device});
    for (const Linkage method : methods) {
      for (const auto& merges :
           {linkage(context, view(reals), method), linkage(context, view(integers), method)}) {
        ASSERT_EQ(merges.size(), 5u);
        EXPECT_EQ(merges[0], (Merge{0, 2, 2, 2}));
        EXPECT_LT(merges[2].height, infinity);
        EXPECT_EQ(merges[3].height, infinity);
        EXPECT_EQ(merges[4].height, infinity);
        EXPECT_EQ(merges[4].size, 6);
        EXPECT_EQ(cut_tree(merges, 3), (std::vector<std::int64_t>{0, 1, 0, 1, 0, 2}));
      }
    }
  };
  check("reference");
  // The least of a row of infinite distances was finite where a vector is emulated.
  on_each_instruction_set([&] { check("cpu"); });
}

/// The distances of pairs, row after row of the upper triangle.
template <class T>
std::vector<double> condensed(const SquareMatrix<T>& square) {
  std::vector<double> pairs;
  for (std::int64_t i = 0; i < square.size(); ++i) {
    for (std::int64_t j = i + 1; j < square.size(); ++j) {
      pairs.push_back(static_cast<double>(square(i, j)));
    }
  }
  return pairs;
}

// Rows are closed up again and again.
TEST(Linkage, SquareAndTriangleGiveTheBitsOfTheReference) {
  Context cpu({.device = "cpu"}), reference({.device = "reference"});
  for (const std::int64_t n : {2, 3, 7, 8, 9, 15, 16, 17, 18, 31, 33, 64, 131, 509, 1031}) {
    SCOPED_TRACE(n);
    const auto reals = test::random_distances<float>(n, 1, 2, static_cast<std::uint64_t>(n));
    const auto ties = test::grid_squares<std::int32_t>(n, 1);
    const auto apart = test::symmetric<double>(n, [](std::int64_t i, std::int64_t j) {
      return i % 3 == j % 3 ? static_cast<double>((i * j) % 11) : infinity;
    });
    const auto check = [&](const auto& square, Linkage method) {
      const auto pairs = condensed(square);
      const auto want = linkage(cpu, view(square), method);
      EXPECT_EQ(linkage_condensed(cpu, pairs, method), want);
      if (n > 200 && method == Linkage::single) return;  // cubic there
      EXPECT_EQ(linkage(reference, view(square), method), want);
      EXPECT_EQ(linkage_condensed(reference, pairs, method), want);
    };
    for (const Linkage method : methods) {
      check(reals, method);
      check(ties, method);
      check(apart, method);
    }
  }
}

/// Points on a line, whose means and sums of squares are known.
TEST(Linkage, WardIsTheDistanceOfMeansOfItsClusters) {
  const double x[] = {0, 1, 3, 7, 7.5, 20};
  const auto d = test::symmetric<double>(6, [&](auto i, auto j) { return std::abs(x[i] - x[j]); });
  // sqrt(2 a b / (a + b)) times the distance of the means of a and b points.
  for (const char* device : {"cpu", "reference"}) {
    Context context({.device = device});
    expect_merges(linkage(context, view(d), Linkage::ward),
                  {{3, 4, 0.5, 2},
                   {0, 1, 1, 2},
                   {2, 7, std::sqrt(4 / 3.) * 2.5, 3},
                   {6, 8, std::sqrt(12 / 5.) * (7.25 - 4 / 3.), 5},
                   {5, 9, std::sqrt(10 / 6.) * (20 - 3.7), 6}});
    expect_merges(linkage(context, view(d), Linkage::weighted),
                  {{3, 4, 0.5, 2}, {0, 1, 1, 2}, {2, 7, 2.5, 3}, {6, 8, 5.5, 5}, {5, 9, 15.5, 6}});
  }
}

TEST(Linkage, OfPairsRefusesWhatIsNoTriangle) {
  Context context;
  const auto message = [&](std::vector<double> pairs) -> std::string {
    try {
      linkage_condensed(context, pairs, Linkage::average);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({1, 2}).find("expected the n (n - 1) / 2 distances of n points, got 2"),
            std::string::npos);
  std::vector<double> pairs(5000 * 4999 / 2, 1);
  pairs[12345678] = -3;
  EXPECT_NE(message(pairs).find("got -3 at 12345678"), std::string::npos);
  pairs[9000000] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message(pairs).find("got nan at 9000000"), std::string::npos);
  EXPECT_EQ(linkage_condensed(context, {}, Linkage::ward).size(), 0u);
  EXPECT_EQ(linkage_condensed(context, std::vector<double>{2}, Linkage::ward),
            (std::vector<Merge>{{0, 1, 2, 2}}));
}

// Rows long enough to be shared out among threads.
TEST(Linkage, ThreadsDoNotChangeABit) {
  const std::int64_t n = 4211;
  const auto d = test::symmetric<float>(n, [](std::int64_t i, std::int64_t j) {
    const std::uint64_t mixed = static_cast<std::uint64_t>(i * n + j) * 0x9e3779b97f4a7c15u;
    return 100 + static_cast<double>(mixed >> 50) / 256 + 40 * (i % 5 != j % 5);
  });
  const auto pairs = condensed(d);
  Context one({.device = "cpu", .threads = 1});
  for (const Linkage method : {Linkage::average, Linkage::ward}) {
    const auto want = linkage(one, view(d), method);
    for (const int threads : {2, 7}) {
      Context context({.device = "cpu", .threads = threads});
      EXPECT_EQ(linkage(context, view(d), method), want) << threads;
      EXPECT_EQ(linkage_condensed(context, pairs, method), want) << threads;
    }
  }
}

TEST(Linkage, DuplicatesMergeFirstAtHeightZero) {
  Context context;
  const auto d =
      test::symmetric<std::int32_t>(40, [](auto i, auto j) { return i % 4 == j % 4 ? 0 : 5; });
  for (const Linkage method : methods) {
    const auto merges = linkage(context, view(d), method);
    EXPECT_EQ(merges[35].height, 0);
    // Ten points each; Ward weighs them.
    EXPECT_DOUBLE_EQ(merges[36].height, method == Linkage::ward ? std::sqrt(10) * 5 : 5);
    const auto cut = cut_tree(merges, 4);
    for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(cut[i], static_cast<std::int64_t>(i % 4));
  }
}

TEST(Linkage, RefusesNaN) {
  Context context;
  auto d = test::seven_points();
  d(2, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(linkage(context, view(d), Linkage::average), Error);
  EXPECT_THROW(minimum_spanning_tree(context, view(d)), Error);
}

using Edges = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST(MinimumSpanningTree, FollowsPrimWithTiesToTheSmallerVertex) {
  Context context;
  EXPECT_EQ(minimum_spanning_tree(context, view(test::eight_points())),
            (Edges{{0, 1}, {0, 2}, {1, 3}, {3, 4}, {3, 5}, {4, 7}, {6, 7}}));
  EXPECT_EQ(minimum_spanning_tree(context, MatrixView<const float>()), Edges());
}

TEST(MinimumSpanningTree, IsAForestWherePairsAreUnreachable) {
  Context context;
  const auto d = test::symmetric<float>(
      5, [](auto i, auto j) { return i % 2 == j % 2 ? static_cast<double>(i + j) : infinity; });
  on_each_instruction_set([&] {
    EXPECT_EQ(minimum_spanning_tree(context, view(d)), (Edges{{0, 2}, {0, 4}, {1, 3}}));
  });
}

TEST(MinimumSpanningTree, WeighsWhatSingleLinkageClimbs) {
  Context context;
  const auto d = test::random_distances<double>(101, 1, 2);
  std::vector<double> lengths, heights;
  for (const auto& [i, j] : minimum_spanning_tree(context, view(d))) lengths.push_back(d(i, j));
  for (const Merge& merge : linkage(context, view(d), Linkage::single)) {
    heights.push_back(merge.height);
  }
  std::sort(lengths.begin(), lengths.end());
  EXPECT_EQ(lengths, heights);
}

}  // namespace
}  // namespace yupana::analysis
