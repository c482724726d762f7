#include "yupana/graph/families.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "tests/graph/graphs.hpp"
#include "yupana/graph/fermat.hpp"

namespace yupana::graph {
namespace {

// Individuals about equally far apart, every `size` of them close relatives, the first two of these
// the same individual twice.
template <class T>
SquareMatrix<T> relatives(std::int64_t n, std::int64_t size, std::uint64_t seed) {
  SquareMatrix<T> w(n);
  const Random random(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    w(i, i) = 0;
    for (std::int64_t j = 0; j < i; ++j) {
      const double u = random.uniform(static_cast<std::uint64_t>(i * n + j));
      double weight = 2000 + u * 1500;
      if (i / size == j / size) weight = i == j + 1 && j % size == 0 ? 0 : 300 + u * 300;
      w(i, j) = w(j, i) = static_cast<T>(std::floor(weight));
    }
  }
  return w;
}

template <class T>
class FamiliesOf : public testing::Test {
 protected:
  Context context_{{.device = "cpu", .threads = 2}};

  // The theorem, pair by pair; returns the share it settles.
  double expect_theorem(const SquareMatrix<T>& w) {
    const auto families = cpu::find_families(context_, w);
    const auto y = cpu::through_families(context_, w, families);
    const auto f = closed(context_, w);
    std::int64_t settled = 0;
    const std::int64_t n = w.size();
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        EXPECT_GE(y(i, j), f(i, j));
        EXPECT_LE(y(i, j), w(i, j));
        EXPECT_EQ(y(i, j), y(j, i));
        const T bound =
            families.out[static_cast<std::size_t>(i)] + families.out[static_cast<std::size_t>(j)];
        if (y(i, j) > bound) continue;
        EXPECT_EQ(y(i, j), f(i, j)) << i << " " << j;
        ++settled;
      }
    }
    for (const auto& members : families.members) EXPECT_LE(members.size(), 32u);
    return n > 0 ? static_cast<double>(settled) / static_cast<double>(n * n) : 1;
  }
};
using Types = testing::Types<std::int32_t, float, double>;
TYPED_TEST_SUITE(FamiliesOf, Types);

TYPED_TEST(FamiliesOf, SettledPairsAreShortestWhateverTheGraph) {
  for (const std::int64_t n : {0, 1, 2, 31, 33, 100, 211}) {
    auto w = random_graph<TypeParam>(n, {.largest = 500, .missing = 0.2, .zeros = 0.05});
    for (std::int64_t i = 0; i < n * n; ++i) w.data()[i] = std::floor(w.data()[i]);
    this->expect_theorem(w);
  }
}

TYPED_TEST(FamiliesOf, RelativesAreSettledAsStrangersAre) {
  for (const std::int64_t size : {1, 2, 5, 16}) {
    EXPECT_GT(this->expect_theorem(relatives<TypeParam>(160, size, 3)), 0.999) << size;
  }
}

TYPED_TEST(FamiliesOf, ThreadsChangeNoBit) {
  const auto w = random_graph<TypeParam>(300);
  Context one({.device = "cpu", .threads = 1});
  const auto expected = cpu::through_families(one, w, cpu::find_families(one, w));
  for (const int threads : {2, 7}) {
    Context many({.device = "cpu", .threads = threads});
    const auto y = cpu::through_families(many, w, cpu::find_families(many, w));
    EXPECT_EQ(differences(y, expected), 0);
  }
}

TEST(FamiliesInFermat, SettleACohortOfRelativesWithTheBitsOfTheClosure) {
  Context context({.device = "cpu", .threads = 2});
  const auto d2 = relatives<std::int32_t>(1030, 4, 9);
  const auto plain = fermat(context, copy_of(d2), Entries::squares, {.prune = false});
  const auto pruned = fermat(context, copy_of(d2), Entries::squares);
  EXPECT_NE(pruned.method.find("families"), std::string::npos) << pruned.method;
  EXPECT_LT(pruned.kept_edges, 1);
  EXPECT_EQ(pruned.kept_edges, plain.kept_edges);
  EXPECT_EQ(differences(std::get<0>(pruned.lengths), std::get<0>(plain.lengths)), 0);
}

// Trios: parents and child. Squared distances over the sites both are called at, times 100.
TEST(FamiliesOfHapMap, TriosAreSettled) {
  constexpr std::int64_t n = 279;
  constexpr std::int64_t sites = 9088;
  std::ifstream file(YUPANA_SHARED_DATA "/genotypes/hapmap279/hapmap279.bed", std::ios::binary);
  if (!file) GTEST_SKIP() << "no hapmap279.bed in " YUPANA_SHARED_DATA;
  const std::string bed((std::istreambuf_iterator<char>(file)), {});
  const std::int64_t bytes = (n + 3) / 4;
  ASSERT_EQ(static_cast<std::int64_t>(bed.size()), 3 + sites * bytes);
  const auto call = [&](std::int64_t sample, std::int64_t site) {
    const auto at = static_cast<std::size_t>(3 + site * bytes + sample / 4);
    return static_cast<unsigned char>(bed[at]) >> (2 * (sample % 4)) & 3;
  };
  const int dosage[] = {2, -1, 1, 0};
  SquareMatrix<std::int32_t> w(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      std::int64_t sum = 0;
      std::int64_t called = 0;
      for (std::int64_t site = 0; site < sites; ++site) {
        const int a = dosage[call(i, site)];
        const int b = dosage[call(j, site)];
        if (a < 0 || b < 0) continue;
        sum += (a - b) * (a - b);
        ++called;
      }
      w(i, j) = w(j, i) = static_cast<std::int32_t>(100 * sites * sum / called);
    }
  }
  Context context({.device = "cpu", .threads = 2});
  const auto families = cpu::find_families(context, w);
  EXPECT_GT(cpu::settled_share(w, families), 0.99);
  const auto f = closed(context, w);
  EXPECT_EQ(differences(cpu::through_families(context, w, families), f), 0);
}

}  // namespace
}  // namespace yupana::graph
