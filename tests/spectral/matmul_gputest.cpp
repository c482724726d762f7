#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/spectral/matrices.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"
#include "yupana/spectral/matmul.hpp"

namespace yupana::spectral {
namespace {

template <class T>
class MatmulOnGpu : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MatmulOnGpu, Types);

// Around the blocks' tiles (128 x 128 or 128 x 64), their depth of 16 and vectors of 16 bytes.
TYPED_TEST(MatmulOnGpu, ClassicalProductStaysWithinItsBoundAtEveryEdge) {
  YUPANA_NEEDS_GPU();
  using T = TypeParam;
  Context context(on("cuda"));
  for (const auto& shape : {Shape{1, 1, 1},
                            {5, 7, 3},
                            {63, 15, 65},
                            {127, 16, 129},
                            {128, 17, 64},
                            {129, 33, 127},
                            {1, 500, 40},
                            {300, 1, 2},
                            {257, 100, 131},
                            {140, 401, 260}}) {
    const auto [m, k, n] = shape;
    const auto a = real_noise<T>(m * k, 1), b = real_noise<T>(k * n, 2);
    expect_classical_bound(a, b, matrix_product(context, a, b, shape), shape);
  }
}

TYPED_TEST(MatmulOnGpu, StrassenIsExactOnSmallIntegersOfAnyShape) {
  YUPANA_NEEDS_GPU();
  using T = TypeParam;
  Context cuda(on("cuda")), cpu(on("cpu"));
  for (const auto& shape :
       {Shape{64, 64, 64}, {65, 67, 71}, {127, 66, 131}, {300, 310, 290}, {513, 515, 517}}) {
    const auto a = small_integers<T>(shape[0] * shape[1], 3);
    const auto b = small_integers<T>(shape[1] * shape[2], 4);
    const auto want = matrix_product(cpu, a, b, shape);
    for (const std::int64_t above : {8, 40, 150}) {
      if (above == 8 && shape[0] > 200) continue;  // 7^6 small products
      EXPECT_EQ(matrix_product(cuda, a, b, shape, above), want) << shape[0] << " above " << above;
    }
  }
}

TYPED_TEST(MatmulOnGpu, LittleMemoryGivesTheSameBits) {
  YUPANA_NEEDS_GPU();
  using T = TypeParam;
  Context whole(on("cuda"));
  ContextParams params = on("cuda");
  params.gpu_memory = 2'000'000;
  Context little(params);
  const Shape shape = {701, 530, 611};
  const auto a = real_noise<T>(shape[0] * shape[1], 5), b = real_noise<T>(shape[1] * shape[2], 6);
  for (const std::int64_t above : {std::int64_t{100}, never_halved}) {
    const auto want = matrix_product(whole, a, b, shape, above);
    const auto got = matrix_product(little, a, b, shape, above);
    EXPECT_EQ(std::memcmp(want.data(), got.data(), want.size() * sizeof(T)), 0) << above;
  }
}

TYPED_TEST(MatmulOnGpu, MemoryForNoTileIsSaid) {
  YUPANA_NEEDS_GPU();
  using T = TypeParam;
  ContextParams params = on("cuda");
  params.gpu_memory = 100'000;
  Context context(params);
  const std::vector<T> a(20'000, 1), b(20'000, 1);
  test::expect_refusal(
      [&] {
        matrix_product(context, a, b, {1, 20'000, 1});
      },
      "--device cpu",
      ErrorCode::out_of_resources);
}

TYPED_TEST(MatmulOnGpu, TakesPartsOfLargerMatricesAndEmptyOnes) {
  YUPANA_NEEDS_GPU();
  using T = TypeParam;
  Context context(on("cuda"));
  const std::int64_t stride = 203;
  const auto a = small_integers<T>(140 * stride, 7), b = small_integers<T>(180 * stride, 8);
  std::vector<T> c(140 * stride, T(-5)), want = c;
  Context reference(on("reference"));
  for (auto* out : {&c, &want}) {
    matmul(out == &c ? context : reference,
           MatrixView<const T>(a.data() + 1, 137, 151, stride),
           MatrixView<const T>(b.data() + 3, 151, 193, stride),
           MatrixView<T>(out->data() + 7, 137, 193, stride));
  }
  EXPECT_EQ(c, want);
  EXPECT_EQ(matrix_product<T>(context, {}, {}, {2, 0, 3}), std::vector<T>(6, 0));
  EXPECT_TRUE(matrix_product<T>(context, {}, {1, 2}, {0, 1, 2}).empty());
}

// NaN and infinities come through where the classical sums have them.
TYPED_TEST(MatmulOnGpu, NotANumberStaysInItsRow) {
  YUPANA_NEEDS_GPU();
  using T = TypeParam;
  Context context(on("cuda"));
  const Shape shape = {130, 40, 70};
  auto a = small_integers<T>(shape[0] * shape[1], 9);
  const auto b = std::vector<T>(static_cast<std::size_t>(shape[1] * shape[2]), T(1));
  a[static_cast<std::size_t>(3 * shape[1])] = std::numeric_limits<T>::quiet_NaN();
  a[static_cast<std::size_t>(129 * shape[1] + 39)] = std::numeric_limits<T>::infinity();
  const auto c = matrix_product(context, a, b, shape);
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    for (std::int64_t j = 0; j < shape[2]; ++j) {
      const T cell = c[static_cast<std::size_t>(i * shape[2] + j)];
      EXPECT_EQ(std::isnan(cell), i == 3) << i << " " << j;
      EXPECT_EQ(std::isinf(cell), i == 129) << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace yupana::spectral
