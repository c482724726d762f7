#include "yupana/graph/distributed_fermat.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "tests/support/text_files.hpp"
#include "tests/support/thread_ranks.hpp"
#include "yupana/core/error.hpp"

namespace yupana::graph {
namespace {

/// Squared distances of a curve with noise, so that most shortest paths have many edges.
template <class T>
SquareMatrix<T> squared_distances(std::int64_t n) {
  std::mt19937 random(static_cast<unsigned>(n) + 5);
  SquareMatrix<T> d(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      const double far = static_cast<double>(i - j);
      const double value = (10 + far) * std::uniform_real_distribution<double>(0.5, 1.5)(random);
      d(i, j) = d(j, i) = static_cast<T>(value);
    }
    d(i, i) = 0;
  }
  return d;
}

template <class T>
SquareMatrix<T> copy_of(const SquareMatrix<T>& from) {
  SquareMatrix<T> copy(from.size());
  std::copy_n(from.data(), from.size() * from.size(), copy.data());
  return copy;
}

bool same_share(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Runs both and compares every field and every byte.
template <class D>
void expect_the_same(const SquareMatrix<D>& d, int ranks, FermatParams params) {
  const std::int64_t n = d.size();
  Context context({.device = "cpu"});
  params.prune = false;
  const FermatResult one = fermat(context, copy_of(d), Entries::squares, params);
  ThreadRanks(ranks).run([&](Comm& comm) {
    Context mine({.device = "cpu", .threads = 1 + comm.rank() % 2});
    DistributedSymmetricMatrix<D> tiles(comm, n);
    scatter_rows(mine, tiles, split_rows(n, ranks), [&](std::int64_t i, D* row) {
      std::copy_n(d.row(i), i + 1, row);
    });
    AnyDistributedMatrix start = std::move(tiles);
    DistributedFermatResult many = fermat(mine, start, Entries::squares, params);
    ASSERT_EQ(many.lengths.index(), one.lengths.index());
    // Not known, NaN, where weights vanish.
    EXPECT_EQ(std::isnan(many.kept_edges), params.alpha == 600);
    EXPECT_TRUE(same_share(many.kept_edges, one.kept_edges));
    EXPECT_TRUE(same_share(many.replaced_edges, one.replaced_edges));
    EXPECT_EQ(many.unreachable_pairs, one.unreachable_pairs);
    EXPECT_EQ(many.components, one.components);
    EXPECT_EQ(many.weight_scale, one.weight_scale);
    EXPECT_EQ(many.precision, one.precision);
    EXPECT_EQ(many.scale, one.scale);
    EXPECT_EQ(many.alpha, one.alpha);
    EXPECT_EQ(many.rooted, one.rooted);
    EXPECT_EQ(many.method, one.method);
    std::visit(
        [&]<class T>(DistributedSymmetricMatrix<T>& lengths) {
          const auto& wanted = std::get<SquareMatrix<T>>(one.lengths);
          gather_rows(mine, lengths, split_rows(n, ranks), [&](Range rows, auto values) {
            for (std::int64_t i = rows.begin; i < rows.end; ++i) {
              EXPECT_EQ(std::memcmp(values.row(i - rows.begin),
                                    wanted.row(i),
                                    static_cast<std::size_t>(n) * sizeof(T)),
                        0)
                  << "row " << i << " of " << n << ", " << ranks << " ranks";
            }
          });
        },
        many.lengths);
  });
}

TEST(DistributedFermat, HaveTheBitsOfOneProcessForEveryTypeAndSize) {
  for (const std::int64_t n : {1, 2, 63, 64, 65, 257, 1100}) {
    for (const int ranks : {1, 2, 3, 4}) {
      if (n == 1100 && ranks < 3) continue;
      expect_the_same(squared_distances<std::int32_t>(n), ranks, {.alpha = 4});
      expect_the_same(squared_distances<double>(n), ranks, {.alpha = 3});
      expect_the_same(
          squared_distances<double>(n), ranks, {.alpha = 3.5, .precision = Precision::float64});
    }
  }
}

TEST(DistributedFermat, RootsAndScalesAreThoseOfOneProcess) {
  expect_the_same(squared_distances<std::int32_t>(130), 3, {.alpha = 4, .root = true});
  expect_the_same(squared_distances<double>(130), 4, {.alpha = 3, .root = true});
  expect_the_same(squared_distances<double>(130), 2, {.alpha = 600});
  expect_the_same(squared_distances<double>(130), 2, {.alpha = 600, .root = true});
}

TEST(DistributedFermat, PairsWithoutAnEdgeStayWithoutOne) {
  SquareMatrix<double> d = squared_distances<double>(150);
  for (std::int64_t i = 0; i < 70; ++i) {
    for (std::int64_t j = 70; j < 150; ++j) d(i, j) = d(j, i) = unreachable<double>;
  }
  expect_the_same(d, 3, {.alpha = 3});
}

TEST(DistributedFermat, RefuseWhatTheDenseClosureDoesNot) {
  for (const FermatParams& params : {FermatParams{.alpha = 0.5},
                                     FermatParams{.neighbors = 3},
                                     FermatParams{.landmarks = 3},
                                     FermatParams{.alpha = 3, .precision = Precision::integer}}) {
    ThreadRanks(2).run([&](Comm& comm) {
      Context mine({.device = "cpu", .threads = 1});
      DistributedSymmetricMatrix<double> tiles(comm, 10);
      scatter_rows(mine, tiles, split_rows(10, 2), [](std::int64_t i, double* row) {
        for (std::int64_t j = 0; j <= i; ++j) row[j] = 0.5 * static_cast<double>(i - j);
      });
      AnyDistributedMatrix start = std::move(tiles);
      test::refusal([&] { fermat(mine, start, Entries::squares, params); });
    });
  }
}

TEST(DistributedFermat, BytesOfARankFallWithTheNumberOfRanks) {
  const FermatParams params;
  const std::uint64_t one = distributed_fermat_bytes(100000, 1, params);
  EXPECT_LT(distributed_fermat_bytes(100000, 4, params), one / 3);
  EXPECT_LT(distributed_fermat_bytes(100000, 64, params), one / 20);
}

}  // namespace
}  // namespace yupana::graph
