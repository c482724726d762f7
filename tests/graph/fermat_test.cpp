#include "yupana/graph/fermat.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/graph/fermat_fixture.hpp"

namespace yupana::graph {
namespace {

TEST_F(Fermat, WorkedExample) {
  for (Context* context : {&context_, &reference_}) {
    for (const bool prune : {false, true}) {
      auto d2 = matrix_of<std::int32_t>(3, {0, 1, 5, 1, 0, 2, 5, 2, 0});
      const auto f = fermat(*context, std::move(d2), Entries::squares, {.prune = prune});
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
    const auto f = fermat(
        context_, copy_of(d), Entries::distances, {.alpha = 1, .precision = Precision::float64});
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
    const auto a = fermat(context_, as<std::int32_t>(d2), Entries::squares, params);
    const auto b = fermat(context_, as<float>(d2), Entries::squares, params);
    const auto c = fermat(context_, copy_of(d2), Entries::squares, params);
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
                   Entries::squares,
                   {.alpha = alpha, .precision = Precision::float64, .prune = false});
        const auto pruned = fermat(context_,
                                   copy_of(d),
                                   Entries::squares,
                                   {.alpha = alpha, .precision = Precision::float64});
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
  const auto f = fermat(context_, std::move(d2), Entries::squares);
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
  const auto plain = fermat(context_, copy_of(d2), Entries::squares, {.prune = false});
  const auto pruned = fermat(context_, copy_of(d2), Entries::squares);
  EXPECT_NE(pruned.method.find("certificate"), std::string::npos) << pruned.method;
  EXPECT_GT(pruned.certified, 0.9);
  EXPECT_LT(pruned.kept_edges, 1);
  EXPECT_EQ(differences(lengths_as<std::int32_t>(plain), lengths_as<std::int32_t>(pruned)), 0);
  EXPECT_EQ(plain.kept_edges, pruned.kept_edges);
}

TEST_F(Fermat, NeverExceedsTheWeightAndCountsTheEdgesThatReachIt) {
  for (const double alpha : {1.5, 3.0, 8.0}) {
    const auto d2 = squared_distances(90, 9);
    const auto f = fermat(
        context_, copy_of(d2), Entries::squares, {.alpha = alpha, .precision = Precision::float64});
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
  const auto f = fermat(context_, copy_of(d2), Entries::squares, {.alpha = 64});
  const auto reference = fermat(reference_, copy_of(d2), Entries::squares, {.alpha = 64});
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
  fermat(context_, matrix_of<double>(2, {0, 1, 1, 0}), Entries::distances, {.alpha = 64});
  EXPECT_EQ(said, "");
  const auto far = matrix_of<double>(3, {0, 1e-9, 1, 1e-9, 0, 1, 1, 1, 0});
  fermat(context_, copy_of(far), Entries::distances, {.alpha = 64});
  EXPECT_NE(said.find("alpha"), std::string::npos);
}

TEST_F(Fermat, ScaleSaysTheUnitWhereLengthsWouldOverflow) {
  const auto d = matrix_of<double>(3, {0, 1e30, 3e30, 1e30, 0, 1e30, 3e30, 1e30, 0});
  const auto f = fermat(context_, copy_of(d), Entries::distances, {.alpha = 16});
  EXPECT_GT(f.scale, 1);
  EXPECT_NEAR(std::log10(at(f, 0, 2)) + 16 * std::log10(f.scale), 480 + std::log10(2.0), 1e-5);
  const auto root = fermat(context_, copy_of(d), Entries::distances, {.alpha = 16, .root = true});
  EXPECT_EQ(root.scale, 1);
  EXPECT_NEAR(at(root, 0, 2), std::pow(2.0, 1.0 / 16) * 1e30, 1e25);
}

TEST_F(Fermat, RootUndoesThePower) {
  const auto f = fermat(context_,
                        matrix_of<std::int32_t>(3, {0, 1, 5, 1, 0, 2, 5, 2, 0}),
                        Entries::squares,
                        {.root = true});
  EXPECT_TRUE(f.rooted);
  EXPECT_DOUBLE_EQ(at(f, 0, 2), std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(at(f, 1, 1), 0);
}

TEST_F(Fermat, PrecisionFollowsTheWeights) {
  const auto index = [&](AnyMatrix d, Entries entries, double alpha) {
    return fermat(context_, std::move(d), entries, {.alpha = alpha}).lengths.index();
  };
  const auto pair = [](auto x) {
    return matrix_of<decltype(x)>(2, {decltype(x){0}, x, x, decltype(x){0}});
  };
  EXPECT_EQ(index(pair(7), Entries::squares, 2), 0u);
  EXPECT_EQ(index(pair(7), Entries::squares, 4), 0u);
  EXPECT_EQ(index(pair(7), Entries::squares, 3), 1u);
  EXPECT_EQ(index(pair(70000), Entries::squares, 4),
            2u);  // 4.9e9: too large for 30 bits, exact in double
  EXPECT_EQ(index(pair(7.5), Entries::squares, 2), 1u);
  EXPECT_EQ(index(pair(7.0), Entries::distances, 2), 0u);
  EXPECT_EQ(
      index(matrix_of<double>(3, {0, 1.5, 9e9, 1.5, 0, 9e9, 9e9, 9e9, 0}), Entries::distances, 8),
      2u);
  EXPECT_NE(bad_input([&] {
              fermat(context_, pair(7.5), Entries::squares, {.precision = Precision::integer});
            }).find("float64"),
            std::string::npos);
}

TEST_F(Fermat, EmptySingleAndPair) {
  for (Context* context : {&context_, &reference_}) {
    for (const std::int64_t n : {0, 1, 2}) {
      for (const FermatParams& params :
           {FermatParams{}, FermatParams{.neighbors = 1}, FermatParams{.landmarks = 2}}) {
        const auto f = fermat(*context, squared_distances(n, 1), Entries::squares, params);
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
    const auto f = fermat(context_, copy_of(d), Entries::squares, params);
    EXPECT_EQ(at(f, 0, 1), 0);
    EXPECT_EQ(at(f, 0, 2), 4);
  }
}

TEST_F(Fermat, BadDistancesAreNamed) {
  const auto message = [&](SquareMatrix<double> d, double alpha = 2) {
    return bad_input([&] { fermat(context_, std::move(d), Entries::squares, {.alpha = alpha}); });
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
  EXPECT_NE(
      bad_input([&] {
        fermat(
            context_, squared_distances(5, 1), Entries::squares, {.neighbors = 2, .landmarks = 2});
      }),
      "");
}

TEST_F(Fermat, SameBitsForEveryNumberOfThreads) {
  const auto d2 = squared_distances(300, 14);
  for (const FermatParams& params : {FermatParams{.alpha = 3},
                                     FermatParams{.alpha = 3, .neighbors = 6},
                                     FermatParams{.alpha = 3, .landmarks = 6}}) {
    Context one({.device = "cpu", .threads = 1});
    const auto expected = fermat(one, copy_of(d2), Entries::squares, params);
    for (const int threads : {2, 7}) {
      Context many({.device = "cpu", .threads = threads});
      const auto f = fermat(many, copy_of(d2), Entries::squares, params);
      EXPECT_EQ(differences(lengths_as<float>(f), lengths_as<float>(expected)), 0);
      EXPECT_EQ(f.kept_edges, expected.kept_edges);
    }
  }
}

TEST_F(Fermat, InfiniteDistancesAreNoEdges) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto d = matrix_of<double>(3, {0, 2, inf, 2, 0, inf, inf, inf, 0});
  for (Context* context : {&context_, &reference_}) {
    const auto f = fermat(*context, copy_of(d), Entries::squares);
    EXPECT_EQ(lengths_as<std::int32_t>(f)(0, 2), unreachable<std::int32_t>);
    EXPECT_EQ(lengths_as<std::int32_t>(f)(0, 1), 2);
  }
}

}  // namespace
}  // namespace yupana::graph
