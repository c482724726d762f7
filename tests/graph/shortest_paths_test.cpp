#include "yupana/graph/shortest_paths.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/graph/graphs.hpp"
#include "tests/support/instruction_sets.hpp"

namespace yupana::graph {
namespace {

// Around the leaf (64), the register tile (6 x 64, 6 x 32), the block (192 x 256), the pivot block
// (256); primes; several blocks.
const std::vector<std::int64_t> sizes = {0,   1,   2,   5,   6,   7,   31,  63,  64,  65,
                                         127, 128, 129, 191, 193, 211, 256, 257, 389, 521};
const PathMethod methods[] = {
    PathMethod::automatic, PathMethod::symmetric, PathMethod::directed, PathMethod::floyd_warshall};

template <class T>
class Dense : public testing::Test {
 protected:
  Context cpu_{{.device = "cpu", .threads = 2}};
  Context reference_{{.device = "reference"}};
};
using Types = testing::Types<std::int32_t, float, double>;
TYPED_TEST_SUITE(Dense, Types);

// Weights that are integers below 2^10: every sum is exact in every type.
TYPED_TEST(Dense, AllMethodsEqualTheReferenceOnExactWeights) {
  for (const std::int64_t n : sizes) {
    for (const double largest : {3.0, 1000.0}) {
      auto w = random_graph<TypeParam>(n, {.largest = largest, .zeros = 0.05, .seed = 7});
      for (std::int64_t i = 0; i < n * n; ++i) w.data()[i] = std::floor(w.data()[i]);
      const auto expected = closed(this->reference_, w);
      for (const PathMethod method : methods) {
        EXPECT_EQ(differences(closed(this->cpu_, w, method), expected), 0)
            << "n " << n << " method " << static_cast<int>(method);
      }
    }
  }
}

TYPED_TEST(Dense, DisconnectedGraphsStayDisconnected) {
  for (const std::int64_t n : {2, 65, 130, 257}) {
    for (const double missing : {0.5, 0.97, 1.0}) {
      auto w = random_graph<TypeParam>(n, {.largest = 50, .missing = missing});
      for (std::int64_t i = 0; i < n * n; ++i) w.data()[i] = std::floor(w.data()[i]);
      const auto expected = closed(this->reference_, w);
      for (const PathMethod method : methods) {
        EXPECT_EQ(differences(closed(this->cpu_, w, method), expected), 0);
      }
    }
  }
}

TYPED_TEST(Dense, DirectedGraphsEqualTheReference) {
  for (const std::int64_t n : {3, 64, 97, 200, 300}) {
    auto w = random_graph<TypeParam>(n, {.largest = 100, .missing = 0.9, .directed = true});
    for (std::int64_t i = 0; i < n * n; ++i) w.data()[i] = std::floor(w.data()[i]);
    const auto expected = closed(this->reference_, w);
    EXPECT_EQ(differences(closed(this->cpu_, w), expected), 0);
    EXPECT_EQ(differences(closed(this->cpu_, w, PathMethod::floyd_warshall), expected), 0);
  }
}

// w(i, j) + p(i) - p(j) with w >= 0 has negative edges and no negative cycle.
TYPED_TEST(Dense, NegativeEdgesEqualTheReference) {
  for (const std::int64_t n : {3, 65, 130, 300}) {
    for (const double missing : {0.0, 0.95}) {
      auto w = random_graph<TypeParam>(n, {.largest = 60, .missing = missing, .directed = true});
      const Random random(3);
      const auto raise = [&](std::int64_t i) {
        return std::floor(random.uniform(static_cast<std::uint64_t>(i)) * 500);
      };
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          if (w(i, j) == unreachable<TypeParam>) continue;
          w(i, j) = static_cast<TypeParam>(std::floor(w(i, j)) + raise(i) - raise(j));
        }
      }
      const auto expected = closed(this->reference_, w);
      for (const PathMethod method : {PathMethod::directed, PathMethod::floyd_warshall}) {
        EXPECT_EQ(differences(closed(this->cpu_, w, method), expected), 0);
      }
    }
  }
}

TYPED_TEST(Dense, NegativeCycleIsAnErrorThatNamesAVertexOnIt) {
  for (const std::int64_t n : {3, 70, 200}) {
    auto w = random_graph<TypeParam>(n, {.largest = 1000, .directed = true});
    for (std::int64_t i = 0; i < n * n; ++i) w.data()[i] += 10;
    // The only negative edge closes the only negative cycles: all pass n - 2 and n - 1.
    w(n - 1, n - 2) = -5;
    w(n - 2, n - 1) = 4;
    const std::string a = fmt::format("vertex {} lies", n - 1);
    const std::string b = fmt::format("vertex {} lies", n - 2);
    for (Context* context : {&this->cpu_, &this->reference_}) {
      for (const PathMethod method : {PathMethod::directed, PathMethod::floyd_warshall}) {
        const std::string message = bad_input([&] { closed(*context, w, method); });
        EXPECT_TRUE(message.find(a) != std::string::npos || message.find(b) != std::string::npos)
            << message;
      }
    }
  }
}

TYPED_TEST(Dense, ClosureIsIdempotentAndExactlySymmetric) {
  for (const std::int64_t n : {65, 211, 389}) {
    auto w = random_graph<TypeParam>(n);
    const auto once = closed(this->cpu_, w);
    for (std::int64_t i = 0; i < n * n; ++i) w.data()[i] = std::floor(w.data()[i]);
    const auto whole = closed(this->cpu_, w);
    EXPECT_EQ(differences(closed(this->cpu_, whole), whole), 0);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < i; ++j) ASSERT_EQ(once(i, j), once(j, i));
    }
  }
}

TYPED_TEST(Dense, DirectedMethodsKeepASymmetricMatrixExactlySymmetric) {
  const auto w = random_graph<TypeParam>(333);
  for (const PathMethod method : {PathMethod::directed, PathMethod::floyd_warshall}) {
    const auto f = closed(this->cpu_, w, method);
    for (std::int64_t i = 0; i < f.size(); ++i) {
      for (std::int64_t j = 0; j < i; ++j) ASSERT_EQ(f(i, j), f(j, i));
    }
  }
}

TYPED_TEST(Dense, PermutedVerticesGivePermutedLengths) {
  const std::int64_t n = 150;
  auto w = random_graph<TypeParam>(n, {.largest = 200});
  for (std::int64_t i = 0; i < n * n; ++i) w.data()[i] = std::floor(w.data()[i]);
  SquareMatrix<TypeParam> permuted(n);
  const auto to = [](std::int64_t i) { return (i * 47 + 11) % n; };
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) permuted(to(i), to(j)) = w(i, j);
  }
  const auto f = closed(this->cpu_, w);
  const auto g = closed(this->cpu_, permuted);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) ASSERT_EQ(f(i, j), g(to(i), to(j)));
  }
}

TYPED_TEST(Dense, ThreadsChangeNoBit) {
  for (const PathMethod method : methods) {
    const auto w = random_graph<TypeParam>(450, {.largest = 1, .zeros = 0.01});
    Context one({.device = "cpu", .threads = 1});
    const auto expected = closed(one, w, method);
    for (const int threads : {2, 7}) {
      Context many({.device = "cpu", .threads = threads});
      EXPECT_EQ(differences(closed(many, w, method), expected), 0);
    }
  }
}

TYPED_TEST(Dense, EveryInstructionSetGivesTheSameBits) {
  const auto w = random_graph<TypeParam>(201, {.missing = 0.3, .zeros = 0.02});
  const auto expected = closed(this->cpu_, w);
  on_each_instruction_set([&] {
    for (const PathMethod method : methods) {
      EXPECT_EQ(differences(closed(this->cpu_, w, method), closed(this->cpu_, w, method)), 0);
    }
    EXPECT_EQ(differences(closed(this->cpu_, w), expected), 0);
  });
}

TYPED_TEST(Dense, StridedViewsLeaveTheirSurroundingsAlone) {
  const std::int64_t n = 70;
  Matrix<TypeParam> around(n + 2, n + 9);
  for (std::int64_t i = 0; i < around.rows() * around.cols(); ++i) around.data()[i] = 77;
  const auto w = random_graph<TypeParam>(n);
  const MatrixView<TypeParam> inside(around.row(1) + 4, n, n, around.cols());
  for (std::int64_t i = 0; i < n; ++i) std::copy(w.row(i), w.row(i) + n, inside.row(i));
  shortest_paths<TypeParam>(this->cpu_, inside);
  const auto expected = closed(this->cpu_, w);
  for (std::int64_t i = 0; i < around.rows(); ++i) {
    for (std::int64_t j = 0; j < around.cols(); ++j) {
      const bool is_inside = i >= 1 && i <= n && j >= 4 && j < n + 4;
      ASSERT_EQ(around(i, j), is_inside ? expected(i - 1, j - 4) : TypeParam{77});
    }
  }
}

TYPED_TEST(Dense, ErrorsNameTheEntry) {
  auto rectangle = Matrix<TypeParam>(2, 3);
  EXPECT_NE(
      bad_input([&] { shortest_paths<TypeParam>(this->cpu_, rectangle.view()); }).find("2 x 3"),
      std::string::npos);
  auto w = random_graph<TypeParam>(80);
  w(5, 5) = -1;
  EXPECT_NE(bad_input([&] { closed(this->cpu_, w); }).find("from 5 to itself"), std::string::npos);
  w = random_graph<TypeParam>(80);
  w(70, 3) += 1;
  EXPECT_NE(bad_input([&] { closed(this->cpu_, w, PathMethod::symmetric); }).find("directed"),
            std::string::npos);
  w(70, 3) = w(3, 70) = -4;
  EXPECT_NE(bad_input([&] { closed(this->cpu_, w, PathMethod::symmetric); }).find("not negative"),
            std::string::npos);
  if constexpr (std::is_floating_point_v<TypeParam>) {
    w = random_graph<TypeParam>(80);
    w(66, 7) = w(7, 66) = std::numeric_limits<TypeParam>::quiet_NaN();
    EXPECT_NE(bad_input([&] { closed(this->cpu_, w); }).find("from 7 to 66 is not a number"),
              std::string::npos);
    w(66, 7) = w(7, 66) = -unreachable<TypeParam>;
    EXPECT_NE(bad_input([&] { closed(this->cpu_, w); }).find("from 7 to 66"), std::string::npos);
  }
}

TYPED_TEST(Dense, PositiveDiagonalBecomesZero) {
  auto w = random_graph<TypeParam>(10);
  w(4, 4) = 9;
  EXPECT_EQ(closed(this->cpu_, w)(4, 4), 0);
}

TYPED_TEST(Dense, CancelStops) {
  Context context({.device = "cpu", .threads = 2});
  context.cancel();
  EXPECT_THROW(closed(context, random_graph<TypeParam>(300)), Error);
}

template <class T>
class Rounding : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Rounding, FloatTypes);

// A long chain, cheaper than any shortcut, and random graphs: many hops, against long double sums.
TYPED_TEST(Rounding, ErrorStaysBelowHopsTimesHalfAnUlp) {
  Context context({.device = "cpu", .threads = 2});
  for (const std::int64_t n : {40, 130, 400}) {
    auto w = random_graph<TypeParam>(n, {.largest = 1e6});
    for (std::int64_t i = 0; i + 1 < n; ++i) {
      w(i, i + 1) = w(i + 1, i) = static_cast<TypeParam>(w(i, i + 1) * 1e-3 + 0.1);
    }
    std::vector<long double> exact(static_cast<std::size_t>(n * n));
    for (std::int64_t i = 0; i < n * n; ++i) exact[static_cast<std::size_t>(i)] = w.data()[i];
    for (std::int64_t k = 0; k < n; ++k) {
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          auto& cell = exact[static_cast<std::size_t>(i * n + j)];
          cell = std::min(cell,
                          exact[static_cast<std::size_t>(i * n + k)] +
                              exact[static_cast<std::size_t>(k * n + j)]);
        }
      }
    }
    const auto hops = static_cast<long double>(n);
    const long double unit = std::numeric_limits<TypeParam>::epsilon() / 2;
    for (const PathMethod method : methods) {
      const auto f = closed(context, w, method);
      for (std::int64_t i = 0; i < n * n; ++i) {
        const long double truth = exact[static_cast<std::size_t>(i)];
        ASSERT_LE(std::abs(f.data()[i] - truth), hops * unit * truth);
      }
    }
  }
}

TYPED_TEST(Rounding, NegativeZeroIsZero) {
  Context context({.device = "cpu", .threads = 1});
  auto w = random_graph<TypeParam>(130);
  for (std::int64_t j = 0; j < 130; j += 3) w(7, j) = w(j, 7) = TypeParam{-0.0};
  auto plain = copy_of(w);
  for (std::int64_t i = 0; i < 130 * 130; ++i) plain.data()[i] += 0;
  const auto f = closed(context, w);
  EXPECT_EQ(differences(f, closed(context, plain)), 0);
  for (std::int64_t i = 0; i < 130 * 130; ++i) ASSERT_FALSE(std::signbit(f.data()[i]));
}

TYPED_TEST(Rounding, SubnormalAndHugeWeightsKeepTheirOrder) {
  Context context({.device = "cpu", .threads = 1});
  Context reference({.device = "reference"});
  auto w = random_graph<TypeParam>(90);
  for (std::int64_t i = 0; i < 90 * 90; ++i) w.data()[i] = std::floor(w.data()[i]);
  const TypeParam tiny = std::numeric_limits<TypeParam>::denorm_min();
  const TypeParam huge = std::numeric_limits<TypeParam>::max();
  for (std::int64_t j = 1; j < 90; ++j) {
    w(0, j) = w(j, 0) = j % 3 == 0 ? tiny * static_cast<TypeParam>(j) : huge;
  }
  EXPECT_EQ(differences(closed(context, w), closed(reference, w)), 0);
}

// Halves of more than 1,024 vertices are multiplied in two panels, in place; the pivot blocks of
// Floyd-Warshall never are.
TEST(Int32, ProductsOfSeveralPanelsEqualThoseOfOne) {
  Context context({.device = "cpu", .threads = 2});
  const auto w = random_graph<std::int32_t>(2200, {.largest = 1e6});
  const auto expected = closed(context, w, PathMethod::floyd_warshall);
  EXPECT_EQ(differences(closed(context, w, PathMethod::symmetric), expected), 0);
  EXPECT_EQ(differences(closed(context, w, PathMethod::directed), expected), 0);
}

TEST(Int32, LargestWeightsDoNotOverflow) {
  Context context({.device = "cpu", .threads = 2});
  Context reference({.device = "reference"});
  const std::int32_t most = unreachable<std::int32_t> - 1;
  auto w = random_graph<std::int32_t>(140, {.largest = static_cast<double>(most)});
  w(3, 9) = w(9, 3) = most;
  EXPECT_EQ(differences(closed(context, w), closed(reference, w)), 0);
}

TEST(Int32, WeightOfTwoToTheThirtyIsAnError) {
  Context context({.device = "cpu", .threads = 1});
  auto w = random_graph<std::int32_t>(20);
  for (const std::int32_t weight : {1 << 30, -(1 << 30), std::numeric_limits<int>::max()}) {
    w(2, 3) = weight;
    EXPECT_NE(bad_input([&] { closed(context, w); }).find("from 2 to 3"), std::string::npos);
  }
}

// 0 - 1 - 2 - 3 with edges of 2^29: the ends are 3 * 2^29 apart, which is no int32 length.
TEST(Int32, PathOfTwoToTheThirtyIsAnErrorAndNotUnreachable) {
  Context context({.device = "cpu", .threads = 1});
  auto w = random_graph<std::int32_t>(4, {.missing = 1});
  for (const std::int64_t i : {0, 1, 2}) w(i, i + 1) = w(i + 1, i) = 1 << 29;
  EXPECT_NE(bad_input([&] { closed(context, w); }).find("2^30"), std::string::npos);
  for (const std::int64_t i : {0, 1, 2}) w(i, i + 1) = w(i + 1, i) = 1 << 28;
  EXPECT_EQ(closed(context, w)(0, 3), 3 << 28);
}

TEST(Int32, NegativeWeightDoesNotLeadOutOfTheUnreachable) {
  Context context({.device = "cpu", .threads = 1});
  auto w = random_graph<std::int32_t>(100, {.missing = 1, .directed = true});
  w(0, 1) = -7;
  const auto f = closed(context, w);
  EXPECT_EQ(f(0, 1), -7);
  EXPECT_EQ(f(5, 1), unreachable<std::int32_t>);
}

}  // namespace
}  // namespace yupana::graph
