// Trees and embeddings are functions of the matrix alone: the backend and the threads leave no
// trace in them, whatever ties and rounding there are.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tests/analysis/matrices.hpp"
#include "yupana/analysis/clustering.hpp"
#include "yupana/analysis/mds.hpp"

namespace yupana::analysis {
namespace {

using test::infinity;
using test::view;

std::vector<std::string> numbers(std::int64_t n) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < n; ++i) names.push_back(std::to_string(i));
  return names;
}

/// The Newick text and the bits of the heights are those of the reference, for all methods.
template <class T>
void expect_one_tree(const SquareMatrix<T>& d) {
  Context plain({.device = "reference"});
  for (const Linkage method :
       {Linkage::single, Linkage::average, Linkage::complete, Linkage::weighted, Linkage::ward}) {
    const std::vector<Merge> want = linkage(plain, view(d), method);
    for (const int threads : {1, 2, 7}) {
      Context context({.device = "cpu", .threads = threads});
      const std::vector<Merge> got = linkage(context, view(d), method);
      ASSERT_EQ(newick(got, numbers(d.size())), newick(want, numbers(d.size())));
      for (std::size_t m = 0; m < want.size(); ++m) {
        ASSERT_EQ(std::memcmp(&got[m].height, &want[m].height, sizeof(double)), 0) << m;
      }
    }
  }
}

TEST(SameBits, TreesOfManyTiesAreTheSameOnEveryBackend) {
  for (const std::int64_t n : {1, 2, 3, 15, 16, 17, 64, 131, 200, 311}) {
    SCOPED_TRACE(n);
    const Random random(static_cast<std::uint64_t>(n));
    const auto word = [&](std::int64_t i, std::int64_t j) {
      return random.word(static_cast<std::uint64_t>(i * n + j));
    };
    expect_one_tree(test::grid_squares<std::int32_t>(n, 2));  // squares of integers
    expect_one_tree(test::symmetric<std::int32_t>(
        n, [&](auto i, auto j) { return static_cast<double>(word(i, j) % 4); }));
    expect_one_tree(test::symmetric<float>(n, [&](auto i, auto j) {
      return word(i, j) % 9 == 0 ? infinity : static_cast<double>(word(i, j) % 5);
    }));
  }
}

TEST(SameBits, TreesWhoseMeansAreRoundedAreTheSameOnEveryBackend) {
  for (const std::int64_t n : {33, 200}) {
    expect_one_tree(test::random_distances<float>(n, 0, 1));
    expect_one_tree(test::random_distances<double>(n, 1, 1e9));
  }
}

bool fuses_multiply_add() {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

template <class T>
void expect_one_embedding(const SquareMatrix<T>& d, Entries entries) {
  Context plain({.device = "reference"});
  const MdsResult want = mds(plain, view(d), entries);
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    const MdsResult got = mds(context, view(d), entries);
    EXPECT_EQ(got.eigenvalues, want.eigenvalues);
    EXPECT_EQ(got.trace, want.trace);
    ASSERT_EQ(got.points.cols(), want.points.cols());
    const auto cells = static_cast<std::size_t>(want.points.rows() * want.points.cols());
    EXPECT_EQ(std::memcmp(got.points.data(), want.points.data(), cells * sizeof(double)), 0);
  }
}

TEST(SameBits, EmbeddingsAreTheSameOnEveryBackend) {
  if (!fuses_multiply_add()) GTEST_SKIP() << "this processor has no fused multiply-add";
  for (const std::int64_t n : {5, 128, 129, 200, 257}) {
    SCOPED_TRACE(n);
    expect_one_embedding(test::grid_squares<std::int32_t>(n, 20), Entries::squares);
    expect_one_embedding(test::grid_squares<std::int32_t>(n, 20), Entries::distances);
    expect_one_embedding(test::random_distances<float>(n, 1, 2), Entries::distances);
    expect_one_embedding(test::random_distances<double>(n, 1, 2), Entries::distances);
  }
}

}  // namespace
}  // namespace yupana::analysis
