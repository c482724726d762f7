// Over 400 lines: every mode of one function (dense, pruned, neighbours, landmarks).
#include "yupana/graph/fermat.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/graph/graphs.hpp"

namespace yupana::graph {
namespace {

template <class T>
const SquareMatrix<T>& lengths_as(const FermatResult& result) {
  return std::get<SquareMatrix<T>>(result.lengths);
}

// Squared distances of points in a few clusters, some of them twice, some nearly: relatives.
SquareMatrix<double> squared_distances(std::int64_t n, std::uint64_t seed, double spread = 3) {
  const Random random(seed);
  std::vector<double> x(static_cast<std::size_t>(n));
  std::vector<double> y(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % 7 == 1) {
      x[i] = x[i - 1];
      y[i] = y[i - 1];
    } else if (i % 7 == 2) {
      x[i] = x[i - 1] + 1;
      y[i] = y[i - 1];
    } else {
      x[i] = std::floor(random.uniform(2 * i) * 30 * spread) + 200 * spread * (i % 3);
      y[i] = std::floor(random.uniform(2 * i + 1) * 30 * spread);
    }
  }
  SquareMatrix<double> d(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const auto a = static_cast<std::size_t>(i);
      const auto b = static_cast<std::size_t>(j);
      d(i, j) = (x[a] - x[b]) * (x[a] - x[b]) + (y[a] - y[b]) * (y[a] - y[b]);
    }
  }
  return d;
}

template <class To>
SquareMatrix<To> as(const SquareMatrix<double>& d) {
  SquareMatrix<To> m(d.size());
  for (std::int64_t i = 0; i < d.size() * d.size(); ++i) {
    m.data()[i] = static_cast<To>(d.data()[i]);
  }
  return m;
}

double at(const FermatResult& result, std::int64_t i, std::int64_t j) {
  return std::visit([&](const auto& m) { return static_cast<double>(m(i, j)); }, result.lengths);
}

class Fermat : public testing::Test {
 protected:
  Context context_{{.device = "cpu", .threads = 2}};
  Context reference_{{.device = "reference"}};
};

TEST_F(Fermat, WorkedExample) {
  for (Context* context : {&context_, &reference_}) {
    for (const bool prune : {false, true}) {
      auto d2 = matrix_of<std::int32_t>(3, {0, 1, 5, 1, 0, 2, 5, 2, 0});
      const auto f = fermat(*context, std::move(d2), true, {.prune = prune});
      const auto expected = matrix_of<std::int32_t>(3, {0, 1, 3, 1, 0, 2, 3, 2, 0});
      EXPECT_EQ(differences(lengths_as<std::int32_t>(f), expected), 0);
      EXPECT_DOUBLE_EQ(f.kept_edges, 2.0 / 3);
      EXPECT_EQ(f.scale, 1);
    }
  }
}

TEST_F(Fermat, AlphaOneOfAMetricIsTheIdentity) {
  for (const std::int64_t n : {4, 63, 150}) {
    auto d = squared_distances(n, 1);
    for (std::int64_t i = 0; i < n * n; ++i) d.data()[i] = std::sqrt(d.data()[i]);
    const auto f =
        fermat(context_, copy_of(d), false, {.alpha = 1, .precision = Precision::float64});
    for (std::int64_t i = 0; i < n * n; ++i) {
      ASSERT_NEAR(lengths_as<double>(f).data()[i], d.data()[i], 1e-12 * d.data()[i]);
    }
  }
}

TEST_F(Fermat, IntegerSquaresAreExactInEveryInputType) {
  const auto d2 = squared_distances(120, 2);
  const auto expected = closed(reference_, as<std::int32_t>(d2));
  for (const bool prune : {false, true}) {
    const FermatParams params = {.prune = prune};
    const auto a = fermat(context_, as<std::int32_t>(d2), true, params);
    const auto b = fermat(context_, as<float>(d2), true, params);
    const auto c = fermat(context_, copy_of(d2), true, params);
    EXPECT_EQ(differences(lengths_as<std::int32_t>(a), expected), 0);
    EXPECT_EQ(differences(lengths_as<std::int32_t>(b), expected), 0);
    EXPECT_EQ(differences(lengths_as<std::int32_t>(c), expected), 0);
  }
}

TEST_F(Fermat, PruningChangesNoBitWithDuplicatesAndRelatives) {
  for (const std::int64_t n : {2, 5, 64, 200}) {
    for (const double spread : {1.0, 40.0}) {
      for (const double alpha : {2.0, 4.0}) {
        auto d = squared_distances(n, static_cast<std::uint64_t>(n), spread);
        if (alpha == 4) {
          for (std::int64_t i = 0; i < n * n; ++i) d.data()[i] = std::floor(d.data()[i] / 50);
        }
        const auto plain =
            fermat(context_,
                   copy_of(d),
                   true,
                   {.alpha = alpha, .precision = Precision::float64, .prune = false});
        const auto pruned =
            fermat(context_, copy_of(d), true, {.alpha = alpha, .precision = Precision::float64});
        EXPECT_EQ(differences(lengths_as<double>(plain), lengths_as<double>(pruned)), 0)
            << pruned.method;
        EXPECT_EQ(plain.kept_edges, pruned.kept_edges);
        EXPECT_EQ(plain.certified, 0);
      }
    }
  }
}

// Random points in many dimensions lie about as far apart as their neighbours: nothing to search.
TEST_F(Fermat, UnrelatedIndividualsAreCertifiedWithoutASearch) {
  SquareMatrix<std::int32_t> d2(300);
  const Random random(5);
  for (std::int64_t i = 0; i < 300; ++i) {
    d2(i, i) = 0;
    for (std::int64_t j = 0; j < i; ++j) {
      d2(i, j) = d2(j, i) =
          1000 +
          static_cast<std::int32_t>(random.uniform(static_cast<std::uint64_t>(i * 300 + j)) * 900);
    }
  }
  const auto expected = copy_of(d2);
  const auto f = fermat(context_, std::move(d2), true);
  EXPECT_EQ(f.certified, 1);
  EXPECT_EQ(f.kept_edges, 1);
  EXPECT_EQ(differences(lengths_as<std::int32_t>(f), expected), 0);
}

// The same with a few relatives: few edges can be on a path, and the search finds them all.
TEST_F(Fermat, FewRelativesAreSearchedOnFewEdges) {
  const std::int64_t n = 700;
  SquareMatrix<std::int32_t> d2(n);
  const Random random(6);
  for (std::int64_t i = 0; i < n; ++i) {
    d2(i, i) = 0;
    for (std::int64_t j = 0; j < i; ++j) {
      const double u = random.uniform(static_cast<std::uint64_t>(i * n + j));
      d2(i, j) = d2(j, i) = 1000 + static_cast<std::int32_t>(u * 900);
    }
  }
  for (std::int64_t i = 0; i < 6; i += 2) d2(i, i + 1) = d2(i + 1, i) = 10;
  const auto plain = fermat(context_, copy_of(d2), true, {.prune = false});
  const auto pruned = fermat(context_, copy_of(d2), true);
  EXPECT_NE(pruned.method.find("certificate"), std::string::npos) << pruned.method;
  EXPECT_GT(pruned.certified, 0.9);
  EXPECT_LT(pruned.kept_edges, 1);
  EXPECT_EQ(differences(lengths_as<std::int32_t>(plain), lengths_as<std::int32_t>(pruned)), 0);
  EXPECT_EQ(plain.kept_edges, pruned.kept_edges);
}

TEST_F(Fermat, NeverExceedsTheWeightAndCountsTheEdgesThatReachIt) {
  for (const double alpha : {1.5, 3.0, 8.0}) {
    const auto d2 = squared_distances(90, 9);
    const auto f =
        fermat(context_, copy_of(d2), true, {.alpha = alpha, .precision = Precision::float64});
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < 90; ++i) {
      for (std::int64_t j = 0; j < i; ++j) {
        const double w = std::pow(d2(i, j), alpha / 2);
        ASSERT_LE(at(f, i, j), w * (1 + 1e-12));
        kept += at(f, i, j) >= w * (1 - 1e-12);
      }
    }
    EXPECT_NEAR(f.kept_edges, static_cast<double>(kept) / (90 * 89 / 2), 1e-12);
  }
}

TEST_F(Fermat, LargeAlphaNeitherOverflowsNorLosesDistinctPoints) {
  const auto d2 = squared_distances(60, 4, 10);
  const auto f = fermat(context_, copy_of(d2), true, {.alpha = 64});
  const auto reference = fermat(reference_, copy_of(d2), true, {.alpha = 64});
  for (std::int64_t i = 0; i < 60; ++i) {
    for (std::int64_t j = 0; j < 60; ++j) {
      ASSERT_TRUE(std::isfinite(at(f, i, j)));
      ASSERT_EQ(at(f, i, j) == 0, d2(i, j) == 0);
      ASSERT_NEAR(at(f, i, j), at(reference, i, j), 1e-9 * at(f, i, j));
    }
  }
}

TEST_F(Fermat, VanishingWeightsAreSaid) {
  std::string said;
  context_.on_note([&](const std::string& text) { said = text; });
  fermat(context_, matrix_of<double>(2, {0, 1, 1, 0}), false, {.alpha = 64});
  EXPECT_EQ(said, "");
  const auto far = matrix_of<double>(3, {0, 1e-9, 1, 1e-9, 0, 1, 1, 1, 0});
  fermat(context_, copy_of(far), false, {.alpha = 64});
  EXPECT_NE(said.find("alpha"), std::string::npos);
}

TEST_F(Fermat, ScaleSaysTheUnitWhereLengthsWouldOverflow) {
  const auto d = matrix_of<double>(3, {0, 1e30, 3e30, 1e30, 0, 1e30, 3e30, 1e30, 0});
  const auto f = fermat(context_, copy_of(d), false, {.alpha = 16});
  EXPECT_GT(f.scale, 1);
  EXPECT_NEAR(std::log10(at(f, 0, 2)) + 16 * std::log10(f.scale), 480 + std::log10(2.0), 1e-5);
  const auto root = fermat(context_, copy_of(d), false, {.alpha = 16, .root = true});
  EXPECT_EQ(root.scale, 1);
  EXPECT_NEAR(at(root, 0, 2), std::pow(2.0, 1.0 / 16) * 1e30, 1e25);
}

TEST_F(Fermat, RootUndoesThePower) {
  const auto f = fermat(
      context_, matrix_of<std::int32_t>(3, {0, 1, 5, 1, 0, 2, 5, 2, 0}), true, {.root = true});
  EXPECT_TRUE(f.rooted);
  EXPECT_DOUBLE_EQ(at(f, 0, 2), std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(at(f, 1, 1), 0);
}

TEST_F(Fermat, PrecisionFollowsTheWeights) {
  const auto index = [&](AnyMatrix d, bool squared, double alpha) {
    return fermat(context_, std::move(d), squared, {.alpha = alpha}).lengths.index();
  };
  const auto pair = [](auto x) {
    return matrix_of<decltype(x)>(2, {decltype(x){0}, x, x, decltype(x){0}});
  };
  EXPECT_EQ(index(pair(7), true, 2), 0u);
  EXPECT_EQ(index(pair(7), true, 4), 0u);
  EXPECT_EQ(index(pair(7), true, 3), 1u);
  EXPECT_EQ(index(pair(70000), true, 4), 2u);  // 4.9e9: too large for 30 bits, exact in double
  EXPECT_EQ(index(pair(7.5), true, 2), 1u);
  EXPECT_EQ(index(pair(7.0), false, 2), 0u);
  EXPECT_EQ(index(matrix_of<double>(3, {0, 1.5, 9e9, 1.5, 0, 9e9, 9e9, 9e9, 0}), false, 8), 2u);
  EXPECT_NE(bad_input([&] {
              fermat(context_, pair(7.5), true, {.precision = Precision::integer});
            }).find("float64"),
            std::string::npos);
}

TEST_F(Fermat, EmptySingleAndPair) {
  for (Context* context : {&context_, &reference_}) {
    for (const std::int64_t n : {0, 1, 2}) {
      for (const FermatParams& params :
           {FermatParams{}, FermatParams{.neighbors = 1}, FermatParams{.landmarks = 2}}) {
        const auto f = fermat(*context, squared_distances(n, 1), true, params);
        const auto size = std::visit([](const auto& m) { return m.size(); }, f.lengths);
        EXPECT_EQ(size, n);
        EXPECT_EQ(f.kept_edges, 1);
        EXPECT_EQ(f.components, n > 0 ? 1 : 0);
      }
    }
  }
}

TEST_F(Fermat, ZeroDistancesAreEdges) {
  // 0 and 1 are the same individual twice; 2 lies beyond.
  const auto d = matrix_of<std::int32_t>(3, {0, 0, 9, 0, 0, 4, 9, 4, 0});
  for (const FermatParams& params : {FermatParams{}, FermatParams{.neighbors = 1}}) {
    const auto f = fermat(context_, copy_of(d), true, params);
    EXPECT_EQ(at(f, 0, 1), 0);
    EXPECT_EQ(at(f, 0, 2), 4);
  }
}

TEST_F(Fermat, BadDistancesAreNamed) {
  const auto message = [&](SquareMatrix<double> d, double alpha = 2) {
    return bad_input([&] { fermat(context_, std::move(d), true, {.alpha = alpha}); });
  };
  auto d = squared_distances(70, 3);
  EXPECT_NE(message(copy_of(d), 0.5).find("alpha"), std::string::npos);
  EXPECT_NE(message(copy_of(d), std::nan("")).find("alpha"), std::string::npos);
  d(3, 3) = 1;
  EXPECT_NE(message(copy_of(d)).find("from 3 to itself"), std::string::npos);
  d(3, 3) = 0;
  d(4, 66) = d(66, 4) = std::nan("");
  EXPECT_NE(message(copy_of(d)).find("between 4 and 66"), std::string::npos);
  d(4, 66) = d(66, 4) = -2;
  EXPECT_NE(message(copy_of(d)).find("negative"), std::string::npos);
  d(66, 4) = d(4, 66) = 3;
  d(66, 4) = 4;
  EXPECT_NE(message(copy_of(d)).find("symmetric"), std::string::npos);
  EXPECT_NE(bad_input([&] {
              fermat(context_, squared_distances(5, 1), true, {.neighbors = 2, .landmarks = 2});
            }),
            "");
}

TEST_F(Fermat, AllNeighborsGiveTheExactLengthsAndTheirRank) {
  for (const std::int64_t n : {3, 40, 131}) {
    const auto d2 = squared_distances(n, 8);
    const auto exact = fermat(context_, copy_of(d2), true);
    for (Context* context : {&context_, &reference_}) {
      const auto all = fermat(*context, copy_of(d2), true, {.neighbors = n + 5});
      EXPECT_EQ(differences(lengths_as<std::int32_t>(all), lengths_as<std::int32_t>(exact)), 0);
      EXPECT_EQ(all.components, 1);
      EXPECT_EQ(all.kept_edges, exact.kept_edges);
      // The rank in use is enough: fewer neighbours than that would lose an edge in use.
      const auto enough = fermat(*context, copy_of(d2), true, {.neighbors = all.max_neighbor_rank});
      EXPECT_EQ(differences(lengths_as<std::int32_t>(enough), lengths_as<std::int32_t>(exact)), 0);
      EXPECT_EQ(enough.max_neighbor_rank, all.max_neighbor_rank);
    }
  }
}

TEST_F(Fermat, FewNeighborsLeaveComponentsUnreachable) {
  const auto d =
      matrix_of<std::int32_t>(4, {0, 1, 90, 91, 1, 0, 92, 93, 90, 92, 0, 2, 91, 93, 2, 0});
  const auto f = fermat(context_, copy_of(d), true, {.neighbors = 1});
  EXPECT_EQ(f.components, 2);
  EXPECT_EQ(f.max_neighbor_rank, 1);
  EXPECT_EQ(lengths_as<std::int32_t>(f)(0, 3), unreachable<std::int32_t>);
  EXPECT_EQ(lengths_as<std::int32_t>(f)(2, 3), 2);
}

TEST_F(Fermat, LandmarksBoundTheLengths) {
  const std::int64_t n = 80;
  for (const auto precision : {Precision::automatic, Precision::float64}) {
    const auto d2 = squared_distances(n, 12);
    const auto exact = fermat(context_, copy_of(d2), true, {.precision = precision});
    for (const std::int64_t count : {1, 5, 80, 200}) {
      const auto run = [&](LandmarkEstimate estimate) {
        return fermat(
            context_,
            copy_of(d2),
            true,
            {.precision = precision, .landmarks = count, .estimate = estimate, .seed = 3});
      };
      const auto upper = run(LandmarkEstimate::upper);
      const auto lower = run(LandmarkEstimate::lower);
      const auto mean = run(LandmarkEstimate::mean);
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          ASSERT_LE(at(lower, i, j), at(exact, i, j));
          ASSERT_GE(at(upper, i, j), at(exact, i, j));
          ASSERT_GE(at(mean, i, j), at(lower, i, j));
          ASSERT_LE(at(mean, i, j), at(upper, i, j));
          if (count >= n) {
            ASSERT_EQ(at(lower, i, j), at(upper, i, j));
          }
        }
      }
    }
  }
}

TEST_F(Fermat, SameBitsForEveryNumberOfThreads) {
  const auto d2 = squared_distances(300, 14);
  for (const FermatParams& params : {FermatParams{.alpha = 3},
                                     FermatParams{.alpha = 3, .neighbors = 6},
                                     FermatParams{.alpha = 3, .landmarks = 6}}) {
    Context one({.device = "cpu", .threads = 1});
    const auto expected = fermat(one, copy_of(d2), true, params);
    for (const int threads : {2, 7}) {
      Context many({.device = "cpu", .threads = threads});
      const auto f = fermat(many, copy_of(d2), true, params);
      EXPECT_EQ(differences(lengths_as<float>(f), lengths_as<float>(expected)), 0);
      EXPECT_EQ(f.kept_edges, expected.kept_edges);
    }
  }
}

TEST_F(Fermat, InfiniteDistancesAreNoEdges) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto d = matrix_of<double>(3, {0, 2, inf, 2, 0, inf, inf, inf, 0});
  for (Context* context : {&context_, &reference_}) {
    const auto f = fermat(*context, copy_of(d), true);
    EXPECT_EQ(lengths_as<std::int32_t>(f)(0, 2), unreachable<std::int32_t>);
    EXPECT_EQ(lengths_as<std::int32_t>(f)(0, 1), 2);
  }
}

TEST_F(Fermat, KeptEdgesFallWithAlphaAndAutomaticAlphaHalvesThem) {
  const Random random(21);
  SquareMatrix<double> scattered(140);  // points of the unit cube in five dimensions
  for (std::int64_t i = 0; i < 140; ++i) {
    for (std::int64_t j = 0; j < 140; ++j) {
      double sum = 0;
      for (std::int64_t axis = 0; axis < 5; ++axis) {
        const double step = random.uniform(static_cast<std::uint64_t>(5 * i + axis)) -
                            random.uniform(static_cast<std::uint64_t>(5 * j + axis));
        sum += step * step;
      }
      scattered(i, j) = sum;
    }
  }
  const AnyMatrix d2 = std::move(scattered);
  const auto kept = kept_edges(context_, d2, true, {1, 1.5, 2, 4, 8, 16});
  for (std::size_t i = 1; i < kept.size(); ++i) EXPECT_LE(kept[i], kept[i - 1]);
  const double alpha = automatic_alpha(context_, d2, true);
  ASSERT_GT(alpha, 1);
  ASSERT_LT(alpha, 64);
  const auto around = kept_edges(context_, d2, true, {alpha / 1.02, alpha});
  EXPECT_GT(around[0], 0.5);
  EXPECT_LE(around[1], 0.5);
}

TEST_F(Fermat, SampleDependsOnTheSeedAlone) {
  const AnyMatrix d2 = squared_distances(200, 22);
  const std::vector<double> alphas = {2.0, 3.0};
  const auto a = kept_edges(context_, d2, true, alphas, 50, 1);
  Context one({.device = "cpu", .threads = 1});
  EXPECT_EQ(a, kept_edges(one, d2, true, alphas, 50, 1));
  EXPECT_NE(a, kept_edges(context_, d2, true, alphas, 50, 2));
}

}  // namespace
}  // namespace yupana::graph
