#include "yupana/graph/distributed_matrix.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/graph/graphs.hpp"
#include "tests/support/thread_ranks.hpp"
#include "yupana/graph/distributed_closure.hpp"
#include "yupana/graph/shortest_paths.hpp"

namespace yupana::graph {
namespace {

constexpr std::int64_t tile_size = DistributedSymmetricMatrix<float>::tile_size;

/// Rows that belong together by no tile: a prime cut, an empty share, the rest.
std::vector<Range> uneven_rows(Range rows, int ranks) {
  std::vector<Range> shares;
  std::int64_t at = rows.begin;
  for (int r = 0; r < ranks; ++r) {
    const std::int64_t end = r + 1 == ranks ? rows.end : std::min(rows.end, r == 1 ? at : at + 37);
    shares.push_back({at, end});
    at = end;
  }
  return shares;
}

/// Counts the bytes that this rank gets from others.
class CountingComm : public Comm {
 public:
  explicit CountingComm(Comm& comm) : comm_(comm) {}
  std::int64_t received() const { return received_; }

  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }
  int local_size() const override { return comm_.local_size(); }
  int local_rank() const override { return comm_.local_rank(); }
  void barrier() override { comm_.barrier(); }
  void broadcast(void* data, std::size_t bytes, int root) override {
    if (root != rank()) received_ += static_cast<std::int64_t>(bytes);
    comm_.broadcast(data, bytes, root);
  }
  void send(const void* data, std::size_t bytes, int to) override { comm_.send(data, bytes, to); }
  void receive(void* data, std::size_t bytes, int from) override {
    received_ += static_cast<std::int64_t>(bytes);
    comm_.receive(data, bytes, from);
  }
  Messages exchange(Messages messages) override {
    auto theirs = comm_.exchange(std::move(messages));
    for (int from = 0; from < size(); ++from) {
      if (from != rank()) received_ += std::ssize(theirs[static_cast<std::size_t>(from)]);
    }
    return theirs;
  }
  std::unique_ptr<Exchange> start_exchange(Messages messages,
                                           const std::vector<std::size_t>& sizes) override {
    for (int from = 0; from < size(); ++from) {
      if (from != rank()) {
        received_ += static_cast<std::int64_t>(sizes[static_cast<std::size_t>(from)]);
      }
    }
    return comm_.start_exchange(std::move(messages), sizes);
  }
  std::unique_ptr<Comm> split(int part) override { return comm_.split(part); }
  void sum(std::uint64_t* values, std::int64_t count) override { comm_.sum(values, count); }
  void sum_scatter(const std::uint32_t* values,
                   const std::vector<std::int64_t>& counts,
                   std::uint32_t* mine) override {
    comm_.sum_scatter(values, counts, mine);
  }
  void sum_scatter(const std::uint64_t* values,
                   const std::vector<std::int64_t>& counts,
                   std::uint64_t* mine) override {
    comm_.sum_scatter(values, counts, mine);
  }
  std::unique_ptr<SharedFile> open(const std::string& path) override { return comm_.open(path); }
  [[noreturn]] void abort(int status) override {
    comm_.abort(status);
    std::abort();
  }

 private:
  Comm& comm_;
  std::int64_t received_ = 0;
};

template <class T>
class DistributedMatrixOf : public testing::Test {};
using Types = testing::Types<std::int32_t, float, double>;
TYPED_TEST_SUITE(DistributedMatrixOf, Types);

TEST(ProcessGridOf, IsAsSquareAsTheNumberAllows) {
  for (const auto& [ranks, rows] :
       std::vector<std::pair<int, int>>{{1, 1}, {2, 1}, {4, 2}, {6, 2}, {7, 1}, {12, 3}, {64, 8}}) {
    EXPECT_EQ(ProcessGrid::of(ranks).rows, rows) << ranks;
    EXPECT_EQ(ProcessGrid::of(ranks).columns, ranks / rows) << ranks;
  }
}

TEST(DistributedMatrixShares, EvenRowsAreWholeTilesAndCoverTheMatrix) {
  for (const std::int64_t n : {0, 1, 63, 64, 65, 1000}) {
    for (const int ranks : {1, 2, 3, 7}) {
      std::int64_t next = 0;
      for (const Range share : split_rows(n, ranks)) {
        EXPECT_EQ(share.begin, next);
        EXPECT_TRUE(share.end % tile_size == 0 || share.end == n);
        next = share.end;
      }
      EXPECT_EQ(next, n);
    }
  }
}

TYPED_TEST(DistributedMatrixOf, RowsThatGoInComeOutOfBothTriangles) {
  using T = TypeParam;
  for (const std::int64_t n :
       {std::int64_t{1}, tile_size - 1, tile_size, tile_size + 1, std::int64_t{311}}) {
    const SquareMatrix<T> start = long_path_weights<T>(n);
    for (const int ranks : {1, 2, 3, 4, 7}) {
      SquareMatrix<T> found(n);
      ThreadRanks(ranks).run([&](Comm& comm) {
        Context context({.device = "cpu", .threads = 1 + comm.rank() % 2});
        DistributedSymmetricMatrix<T> tiles(comm, n);
        // As bands of several passes bring them.
        const std::int64_t cut = 2 * n / 3;
        for (const Range band : {Range{0, cut}, Range{cut, n}}) {
          scatter_rows(context, tiles, uneven_rows(band, ranks), [&](std::int64_t i, T* row) {
            std::copy_n(start.row(i), i + 1, row);
          });
        }
        gather_rows(
            context, tiles, split_rows(n, ranks), [&](Range rows, MatrixView<const T> values) {
              for (std::int64_t i = rows.begin; i < rows.end; ++i) {
                std::copy_n(values.row(i - rows.begin), n, found.row(i));
              }
            });
      });
      EXPECT_EQ(
          std::memcmp(start.data(), found.data(), static_cast<std::size_t>(n * n) * sizeof(T)), 0)
          << n << " rows, " << ranks << " ranks";
    }
  }
}

TYPED_TEST(DistributedMatrixOf, TheClosureHasTheBitsOfOneProcess) {
  using T = TypeParam;
  for (const auto& [n, ranks] : std::vector<std::pair<std::int64_t, int>>{
           {1, 2}, {65, 3}, {1024, 4}, {1025, 1}, {2113, 4}}) {
    const SquareMatrix<T> start = long_path_weights<T>(n);
    SquareMatrix<T> one(n), many(n);
    std::copy_n(start.data(), n * n, one.data());
    Context context({.device = "cpu"});
    shortest_paths(context, one.view(), {.method = PathMethod::symmetric});
    ThreadRanks(ranks).run([&, n = n, ranks = ranks](Comm& comm) {
      Context mine({.device = "cpu", .threads = 1 + comm.rank() % 2});
      DistributedSymmetricMatrix<T> tiles(comm, n);
      scatter_rows(mine, tiles, split_rows(n, ranks), [&](std::int64_t i, T* row) {
        std::copy_n(start.row(i), i + 1, row);
      });
      compute_closure(mine, tiles);
      gather_rows(mine, tiles, split_rows(n, ranks), [&](Range rows, MatrixView<const T> values) {
        for (std::int64_t i = rows.begin; i < rows.end; ++i) {
          std::copy_n(values.row(i - rows.begin), n, many.row(i));
        }
      });
    });
    EXPECT_EQ(std::memcmp(one.data(), many.data(), static_cast<std::size_t>(n * n) * sizeof(T)), 0)
        << n << " vertices, " << ranks << " ranks";
  }
}

TEST(DistributedClosureTraffic, ARankGetsNoMoreThanThePanelsOfItsTileRowsAndColumns) {
  const std::int64_t n = 1600;
  for (const int ranks : {2, 4}) {
    ThreadRanks(ranks).run([&](Comm& comm) {
      CountingComm counting(comm);
      Context context({.device = "cpu", .threads = 1});
      DistributedSymmetricMatrix<float> tiles(counting, n);
      compute_closure(context, tiles);
      // Stripes of a grid that does not divide the tiles: one more tile row and column at most.
      const ProcessGrid grid = tiles.grid();
      const double stripes = 1.0 / grid.rows + 1.0 / grid.columns + 2.0 * tile_size / n * 8;
      const double panels = 2.0 * n * n * stripes;
      const double squares = 1024.0 * n;
      EXPECT_LT(static_cast<double>(counting.received()), 4 * (panels + squares)) << ranks;
      EXPECT_GT(counting.received(), n * n) << ranks;
    });
  }
}

TYPED_TEST(DistributedMatrixOf, EveryRankHoldsAboutItsPartOfTheTriangle) {
  const std::int64_t n = 20000;
  for (const int ranks : {1, 4, 16}) {
    const double triangle = static_cast<double>(n) * static_cast<double>(n) / 2 * sizeof(TypeParam);
    const auto most =
        static_cast<double>(DistributedSymmetricMatrix<TypeParam>::max_bytes(n, ranks));
    EXPECT_GT(most, triangle / ranks);
    // Groups of 16 tile columns of a rank reach below the diagonal.
    EXPECT_LT(most, triangle / ranks * (1 + 2048.0 * ProcessGrid::of(ranks).columns / n)) << ranks;
  }
}

}  // namespace
}  // namespace yupana::graph
