#include "yupana/spectral/matmul.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "matrices.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"

namespace yupana::spectral {
namespace {

template <class T>
class Matmul : public ::testing::Test {
 public:
  Context cpu{on("cpu")};
  Context reference{on("reference")};

  std::vector<T> product(Context& context,
                         const std::vector<T>& a,
                         const std::vector<T>& b,
                         std::int64_t m,
                         std::int64_t k,
                         std::int64_t n,
                         std::int64_t above = never_halved) {
    return matrix_product(context, a, b, {m, k, n}, above);
  }
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Matmul, Types);

TYPED_TEST(Matmul, ReferenceIsAsByHand) {
  using T = TypeParam;
  EXPECT_EQ(this->product(this->reference, {1, 2, 3, 4}, {5, 6, 7, 8}, 2, 2, 2),
            (std::vector<T>{19, 22, 43, 50}));
}

TYPED_TEST(Matmul, ClassicalProductStaysWithinItsBoundAtEveryEdge) {
  using T = TypeParam;
  // Around the register tile (12 x 32 or less), the depth and the blocks.
  for (const auto& [m, k, n] : {std::array<std::int64_t, 3>{1, 1, 1},
                                {5, 7, 3},
                                {11, 16, 15},
                                {12, 32, 16},
                                {13, 33, 33},
                                {64, 191, 31},
                                {65, 192, 32},
                                {193, 193, 65},
                                {200, 400, 530},
                                {1, 500, 40},
                                {300, 1, 2}}) {
    const auto a = real_noise<T>(m * k, 1), b = real_noise<T>(k * n, 2);
    expect_classical_bound(a, b, this->product(this->cpu, a, b, m, k, n), {m, k, n});
  }
}

TYPED_TEST(Matmul, StrassenIsExactOnSmallIntegersOfAnyShape) {
  using T = TypeParam;
  for (const auto& [m, k, n] : {std::array<std::int64_t, 3>{64, 64, 64},
                                {65, 67, 71},
                                {33, 128, 40},
                                {127, 66, 131},
                                {100, 37, 35}}) {
    const auto a = small_integers<T>(m * k, 3), b = small_integers<T>(k * n, 4);
    const auto want = this->product(this->reference, a, b, m, k, n);
    for (const std::int64_t above : {1, 8, 16, 40}) {
      EXPECT_EQ(this->product(this->cpu, a, b, m, k, n, above), want) << m << " " << above;
    }
  }
}

TYPED_TEST(Matmul, StrassenStaysWithinHighamsBound) {
  using T = TypeParam;
  const double unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  const std::int64_t n = 128;
  const auto a = real_noise<T>(n * n, 5), b = real_noise<T>(n * n, 6);
  for (const int levels : {1, 2, 3}) {
    const std::int64_t leaf = n >> levels;
    const auto got = this->product(this->cpu, a, b, n, n, n, leaf);
    double worst = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        long double sum = 0;
        for (std::int64_t l = 0; l < n; ++l) {
          sum += static_cast<long double>(a[static_cast<std::size_t>(i * n + l)]) *
                 b[static_cast<std::size_t>(l * n + j)];
        }
        worst = std::max(
            worst, static_cast<double>(std::fabs(got[static_cast<std::size_t>(i * n + j)] - sum)));
      }
    }
    const auto k = static_cast<double>(leaf);
    EXPECT_LE(worst, (std::pow(18, levels) * (k * k + 6 * k) - 6 * static_cast<double>(n)) * unit);
    EXPECT_GT(worst, 0);
  }
}

TYPED_TEST(Matmul, NotANumberSpreadByStrassenOverRowsThatHaveNone) {
  using T = TypeParam;
  const std::int64_t n = 65;
  const T huge = std::numeric_limits<T>::max(), infinity = std::numeric_limits<T>::infinity();
  for (const T bad : {std::numeric_limits<T>::quiet_NaN(), infinity, huge}) {
    auto a = small_integers<T>(n * n, 9);
    const std::vector<T> b(static_cast<std::size_t>(n * n), T(1));
    a[static_cast<std::size_t>(3 * n)] = bad;
    a[static_cast<std::size_t>(3 * n + 40)] = bad;
    const auto c = this->product(this->cpu, a, b, n, n, n, 16);
    for (std::int64_t i = 0; i < n; ++i) {
      EXPECT_EQ(std::isfinite(c[static_cast<std::size_t>(i * n + i)]), i != 3) << bad << " " << i;
    }
  }
}

TYPED_TEST(Matmul, BitsDoNotDependOnThreads) {
  using T = TypeParam;
  const std::int64_t n = 301;
  const auto a = real_noise<T>(n * n, 7), b = real_noise<T>(n * n, 8);
  for (const std::int64_t above : {64, 1 << 30}) {
    std::vector<T> first;
    for (const int threads : {1, 2, 7}) {
      Context context(on("cpu", threads));
      const auto got = this->product(context, a, b, n, n, n, above);
      if (first.empty()) first = got;
      EXPECT_EQ(std::memcmp(got.data(), first.data(), got.size() * sizeof(T)), 0);
    }
  }
}

TYPED_TEST(Matmul, EmptySidesGiveZerosOrNothing) {
  using T = TypeParam;
  EXPECT_EQ(this->product(this->cpu, {}, {}, 2, 0, 3), std::vector<T>(6, 0));
  EXPECT_TRUE(this->product(this->cpu, {}, {1, 2}, 0, 1, 2).empty());
}

TYPED_TEST(Matmul, RefusesShapesThatDoNotFit) {
  using T = TypeParam;
  std::vector<T> a(12), c(12);
  const auto refused = [&](const auto& call, ErrorCode code, const std::string& part) {
    test::expect_refusal(call, part, code);
  };
  const MatrixView<const T> x(a.data(), 3, 4), y(a.data(), 3, 4), z(a.data(), 4, 3);
  refused([&] { matmul(this->cpu, x, y, MatrixView<T>(c.data(), 3, 4)); },
          ErrorCode::bad_input,
          "3 x 4 times 3 x 4");
  refused([&] { matmul(this->cpu, x, z, MatrixView<T>(a.data() + 3, 3, 3)); },
          ErrorCode::bad_input,
          "overlaps");
  refused([&] { matmul(this->cpu, x, z, MatrixView<T>(c.data(), 3, 3), {.strassen_above = -1}); },
          ErrorCode::usage,
          "-1");
}

}  // namespace
}  // namespace yupana::spectral
