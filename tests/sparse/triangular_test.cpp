#include "yupana/sparse/triangular.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/sparse/systems.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/sparse/triangular_backends.hpp"

namespace yupana::sparse {
namespace {

using test::refusal;
using Rows = std::vector<std::vector<std::pair<std::int64_t, double>>>;

constexpr SolveMethod methods[] = {
    SolveMethod::automatic, SolveMethod::serial, SolveMethod::level_set, SolveMethod::sync_free};

template <class Value, class Index>
Matrix<Value> solved(Context& context,
                     CsrView<Value, Index> matrix,
                     const TriangularParams& params,
                     const Matrix<Value>& b) {
  Matrix<Value> x(b.rows(), b.cols());
  TriangularSystem<Value, Index>(context, matrix, params).solve(context, b.view(), x.view());
  return x;
}

TEST(TriangularAnalysis, OfAHandMadeMatrixIsThePublishedOne) {
  // Levels: rows 0, 1: 1; row 2 needs 0: 2; row 3 needs 0, 1: 2; row 4 needs 0, 2, 3: 3.
  const auto matrix = matrix_of<double, std::int32_t>({{{0, 1}},
                                                       {{1, 1}},
                                                       {{0, 1}, {2, 1}},
                                                       {{0, 1}, {1, 1}, {3, 1}},
                                                       {{0, 1}, {2, 1}, {3, 1}, {4, 1}}});
  Context context({.device = "reference"});
  const auto got = analyse(context, matrix.view());
  EXPECT_EQ(got.levels, 3);
  EXPECT_EQ(std::vector<int>(got.level.begin(), got.level.end()), (std::vector{1, 1, 2, 2, 3}));
  EXPECT_EQ(std::vector<int>(got.row_class.begin(), got.row_class.end()),
            (std::vector{6, 6, 0, 1, 2}));
  EXPECT_EQ(std::vector<int>(got.order.begin(), got.order.end()), (std::vector{0, 1, 2, 3, 4}));
  EXPECT_EQ(got.keys,
            (std::vector<LevelKey>{{1, 6, 2, 1}, {2, 0, 1, 1}, {2, 1, 1, 1}, {3, 2, 1, 1}}));
  EXPECT_EQ(got.warps, 4);
}

TEST(TriangularAnalysis, ClassesAndWarpsTurnWhereTheSpecificationSays) {
  const std::vector<std::pair<int, int>> classes = {
      {0, 6}, {1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}, {9, 4}, {16, 4}, {17, 5}, {75635, 5}};
  for (const auto& [count, row_class] : classes) EXPECT_EQ(class_of(count), row_class) << count;
  EXPECT_EQ(warps_of(32, 6), 1);
  EXPECT_EQ(warps_of(33, 6), 2);
  EXPECT_EQ(warps_of(33, 0), 2);
  EXPECT_EQ(warps_of(16, 1), 1);
  EXPECT_EQ(warps_of(17, 1), 2);
  EXPECT_EQ(warps_of(9, 2), 2);
  EXPECT_EQ(warps_of(1, 5), 1);
  EXPECT_EQ(warps_of(31, 5), 31);
}

template <class Value, class Index>
void every_method_has_the_bits_of_the_reference() {
  Context reference({.device = "reference"});
  for (const auto& [name, matrix] : lower_systems<Value, Index>()) {
    SCOPED_TRACE(name);
    const auto published = analyse(reference, matrix.view());
    for (const std::int64_t sides : {1, 2, 3, 32, 33}) {
      const Matrix<Value> b = random_sides<Value>(matrix.rows, sides);
      const Matrix<Value> want = solved(reference, matrix.view(), {}, b);
      EXPECT_LE(backward_error<Value>(matrix.view(), {}, b.view(), want.view()),
                40 * std::numeric_limits<Value>::epsilon());
      for (const int threads : {1, 2, 7}) {
        if (sides > 3 && threads != 2) continue;
        Context context({.device = "cpu", .threads = threads});
        for (const SolveMethod method : methods) {
          TriangularSystem<Value, Index> system(context, matrix.view(), {.method = method});
          expect_same(system.analysis(), published);
          Matrix<Value> x(b.rows(), b.cols());
          system.solve(context, b.view(), x.view());
          EXPECT_TRUE(same_bits(x, want)) << threads << " threads, method " << int(method);
        }
      }
    }
  }
}

TEST(TriangularSolve, EveryMethodHasTheBitsOfTheReferenceInDouble) {
  every_method_has_the_bits_of_the_reference<double, std::int32_t>();
}
TEST(TriangularSolve, EveryMethodHasTheBitsOfTheReferenceInFloatWith64BitIndices) {
  every_method_has_the_bits_of_the_reference<float, std::int64_t>();
}

TEST(TriangularSolve, UpperSystemsAreLowerOnesReadBackwards) {
  const auto count = [](std::int64_t i) { return i % 5; };
  const auto lower = random_system<double, std::int32_t>(2000, 100, count);
  const auto upper = random_system<double, std::int32_t>(2000, 100, count, Triangle::upper);
  Context context({.device = "cpu", .threads = 2});
  const Matrix<double> b = random_sides<double>(2000, 1);
  Matrix<double> backwards(2000, 1);
  std::reverse_copy(b.data(), b.data() + 2000, backwards.data());
  const Matrix<double> x = solved(context, lower.view(), {}, b);
  for (const SolveMethod method : methods) {
    const TriangularParams params{.triangle = Triangle::upper, .method = method};
    const Matrix<double> y = solved(context, upper.view(), params, backwards);
    for (int i = 0; i < 2000; ++i) EXPECT_NEAR(y(1999 - i, 0), x(i, 0), 1e-12) << i;
    EXPECT_LE(backward_error<double>(upper.view(), params, backwards.view(), y.view()), 1e-14);
    Context reference({.device = "reference"});
    EXPECT_TRUE(same_bits(y, solved(reference, upper.view(), params, backwards)));
    expect_same(analyse(context, upper.view(), params), analyse(reference, upper.view(), params));
  }
}

TEST(TriangularSolve, ShortRowsAreSubtractedInStoredOrder) {
  // (1 - 2^-53) - 2^-53 in this order; the products added first would give 1 - 2^-52.
  const double tiny = 0x1p-53;
  const auto matrix = matrix_of<double, std::int32_t>(
      {{{0, 1}}, {{1, 1}}, {{2, 1}}, {{0, tiny}, {1, tiny}, {2, -0x1p-52}, {3, 1}}});
  Matrix<double> b(4, 1);
  std::fill_n(b.data(), 4, 1.0);
  Context context({.device = "cpu", .threads = 1});
  double want = 1.0 - tiny;
  want -= tiny;
  want += 0x1p-52;
  EXPECT_EQ(solved(context, matrix.view(), {}, b)(3, 0), want);
}

TEST(TriangularSolve, SumsOfNegativeZerosHaveTheSignOfTheReferenceForEveryLength) {
  constexpr int most = 70;
  Rows rows;
  for (int i = 0; i < most; ++i) rows.push_back({{i, 1}});
  for (int count = 1; count <= most; ++count) {
    std::vector<std::pair<std::int64_t, double>> row;
    for (int k = 0; k < count; ++k) row.emplace_back(k, 1);
    row.emplace_back(most + count - 1, 1);
    rows.push_back(row);
  }
  const auto matrix = matrix_of<double, std::int32_t>(rows);
  Matrix<double> b(2 * most, 1);
  std::fill_n(b.data(), 2 * most, -0.0);
  Context context({.device = "cpu", .threads = 1}), reference({.device = "reference"});
  const Matrix<double> x = solved(context, matrix.view(), {}, b);
  EXPECT_TRUE(same_bits(x, solved(reference, matrix.view(), {}, b)));
  EXPECT_FALSE(std::signbit(x(most + 39, 0)));  // -0 - (-0)
  EXPECT_TRUE(std::signbit(x(most + 19, 0)));   // -0 - (+0), of the lanes without a product
}

TEST(TriangularSolve, NanAndInfinityTravelToTheRowsThatNeedThemAlone) {
  const auto matrix = lower_poisson<double, std::int32_t>(50, 60, 1);
  Context reference({.device = "reference"});
  const double inf = std::numeric_limits<double>::infinity();
  // Payloads and signs that might be taken for marks.
  for (const double odd : {inf,
                           -inf,
                           std::nan("1"),
                           std::bit_cast<double>(~std::uint64_t{0}),
                           std::bit_cast<double>(std::uint64_t{0xfff8000000000001})}) {
    Matrix<double> b = random_sides<double>(3000, 1);
    b(1530, 0) = odd;
    const Matrix<double> want = solved(reference, matrix.view(), {}, b);
    EXPECT_TRUE(std::isfinite(want(1529, 0)));
    EXPECT_FALSE(std::isfinite(want(1530, 0)));
    EXPECT_FALSE(std::isfinite(want(2999, 0)));
    for (std::int64_t i = 0; i < 3000; ++i) {
      if (!std::isnan(want(i, 0))) continue;
      EXPECT_EQ(std::bit_cast<std::uint64_t>(want(i, 0)), 0x7ff8000000000000u);
    }
    for (const SolveMethod method : methods) {
      Context context({.device = "cpu", .threads = 2});
      EXPECT_TRUE(same_bits(solved(context, matrix.view(), {.method = method}, b), want));
    }
  }
}

TEST(TriangularSolve, InPlaceAndWithStridesIsTheSame) {
  const auto matrix = lower_poisson<double, std::int64_t>(40, 50, 1);
  const Matrix<double> b = random_sides<double>(2000, 3);
  Context context({.device = "cpu", .threads = 2});
  const Matrix<double> want = solved(context, matrix.view(), {}, b);
  for (const SolveMethod method : methods) {
    TriangularSystem<double, std::int64_t> system(context, matrix.view(), {.method = method});
    Matrix<double> wide(2000, 7);
    const MatrixView<double> part(wide.data() + 2, 2000, 3, 7);
    for (int i = 0; i < 2000; ++i) std::copy_n(b.row(i), 3, part.row(i));
    system.solve(context, part, part);
    for (int i = 0; i < 2000; ++i) {
      for (int j = 0; j < 3; ++j) EXPECT_EQ(part(i, j), want(i, j));
    }
  }
}

TEST(TriangularSolve, NewValuesNeedNoNewAnalysis) {
  const auto count = [](std::int64_t i) { return i % 7; };
  const auto first = random_system<double, std::int32_t>(3000, 500, count);
  auto second = random_system<double, std::int32_t>(3000, 500, count);
  for (double& value : second.values) value = 3 - value;
  const Matrix<double> b = random_sides<double>(3000, 2);
  for (const TriangularParams base : {TriangularParams{}, {.sort_columns = true}}) {
    for (const SolveMethod method : methods) {
      TriangularParams params = base;
      params.method = method;
      Context context({.device = "cpu", .threads = 2});
      TriangularSystem<double, std::int32_t> system(context, first.view(), params);
      system.update_values(context, second.values.data());
      Matrix<double> x(3000, 2);
      system.solve(context, b.view(), x.view());
      EXPECT_TRUE(same_bits(x, solved(context, second.view(), params, b)));
    }
  }
}

TEST(TriangularSolve, NewValuesWithAZeroPivotChangeNothing) {
  const auto matrix = matrix_of<double, std::int32_t>({{{0, 2}}, {{0, 1}, {1, 4}}});
  Context context({.device = "cpu"});
  TriangularSystem<double, std::int32_t> system(context, matrix.view());
  const double bad[] = {5, 5, 0};
  EXPECT_NE(refusal([&] { system.update_values(context, bad); }).find("row 2 "), std::string::npos);
  Matrix<double> b(2, 1), x(2, 1);
  b(0, 0) = 2;
  b(1, 0) = 5;
  system.solve(context, b.view(), x.view());
  EXPECT_EQ(x(1, 0), 1);
}

TEST(TriangularSolve, AutomaticIsSerialWhereLevelsAreNarrow) {
  Context context({.device = "cpu", .threads = 2});
  const auto method = [&](const auto& matrix) {
    return TriangularSystem<double, std::int32_t>(context, matrix.view()).method();
  };
  EXPECT_EQ(method(lower_poisson<double, std::int32_t>(1000, 1, 1)), SolveMethod::serial);
  EXPECT_EQ(method(lower_poisson<double, std::int32_t>(40, 40, 1)), SolveMethod::serial);
  EXPECT_EQ(method(lower_poisson<double, std::int32_t>(200, 200, 1)), SolveMethod::sync_free);
}

TEST(TriangularSolve, AChainOfMoreThan726235LevelsIsSolved) {
  const std::int64_t n = 726'300;
  const auto matrix = lower_poisson<double, std::int32_t>(n, 1, 1);
  Matrix<double> b(n, 1);
  std::fill_n(b.data(), n, 3.0);
  b(0, 0) = 4;  // then every x is 1
  for (const SolveMethod method : methods) {
    Context context({.device = "cpu", .threads = 2});
    TriangularSystem<double, std::int32_t> system(context, matrix.view(), {.method = method});
    EXPECT_EQ(system.analysis().levels, n);
    EXPECT_EQ(std::ssize(system.analysis().keys), n);
    Matrix<double> x(n, 1);
    system.solve(context, b.view(), x.view());
    EXPECT_TRUE(std::all_of(x.data(), x.data() + n, [](double v) { return v == 1; }));
  }
}

std::string complaint(const Rows& rows, const TriangularParams& params = {}, int cols = -1) {
  const auto matrix = matrix_of<double, std::int64_t>(rows, cols);
  return refusal([&] {
    Context context({.device = "cpu"});
    analyse(context, matrix.view(), params);
  });
}

TEST(TriangularErrors, NameTheRowAndSayWhatToDo) {
  const auto has = [](const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
  };
  has(complaint({{{0, 1}}, {{0, 1}}}), {"row 2 ", "no entry on the diagonal", "unit_diagonal"});
  has(complaint({{{0, 1}}, {}}), {"row 2 ", "no entry on the diagonal"});
  has(complaint({{{0, 1}}, {{0, 1}, {1, 0}}}), {"row 2 ", "zero on the diagonal"});
  has(complaint({{{0, 1}}, {{0, 1}, {1, -0.0}}}), {"row 2 ", "zero on the diagonal"});
  has(complaint({{{0, 1}, {1, 2}}, {{1, 1}}}), {"row 1 ", "column 2", "above", "ignore_other"});
  has(complaint({{{0, 1}}, {{0, 1}, {1, 2}}}, {.triangle = Triangle::upper}),
      {"row 2 ", "column 1", "below", "upper"});
  has(complaint({{{0, 1}}, {{1, 1}}, {{1, 1}, {0, 1}, {2, 1}}}),
      {"row 3 ", "column 1", "sort_columns"});
  has(complaint({{{0, 1}}, {{0, 1}, {0, 1}, {1, 1}}}), {"row 2 ", "column 1 twice"});
  has(complaint({{{0, 1}}, {{-1, 1}, {1, 1}}}), {"row 2 ", "column 0", "1 to 2"});
  has(complaint({{{0, 1}}, {{1, 1}, {2, 1}}}), {"row 2 ", "column 3", "1 to 2"});
  has(complaint({{{0, 1}}, {{1, 1}}}, {}, 3), {"2 x 3", "square"});
  // The first of many.
  Rows many(40000, {{0, 1}});
  has(complaint(many), {"row 2 "});
}

TEST(TriangularErrors, SizesOfRightHandSidesMustMatch) {
  const auto matrix = matrix_of<double, std::int32_t>({{{0, 2}}});
  Context context({.device = "cpu"});
  TriangularSystem<double, std::int32_t> system(context, matrix.view());
  Matrix<double> two(2, 1), one(1, 1), wide(1, 2);
  refusal([&] { system.solve(context, two.view(), two.view()); }, ErrorCode::usage);
  refusal([&] { system.solve(context, one.view(), wide.view()); }, ErrorCode::usage);
}

TEST(TriangularErrors, RowBeginsThatDoNotAscendAreRefused) {
  auto matrix = matrix_of<double, std::int32_t>({{{0, 2}}, {{1, 2}}, {{2, 2}}});
  Context context({.device = "cpu"});
  matrix.row_begin[2] = 0;
  EXPECT_NE(refusal([&] { analyse(context, matrix.view()); }).find("row_begin"), std::string::npos);
}

TEST(TriangularOptions, RowsInAnyOrderAreSortedAndAdded) {
  const auto messy = matrix_of<double, std::int32_t>(
      {{{0, 2}}, {{1, 1}, {0, 3}, {1, 4}}, {{2, 1}, {0, 5}, {1, 6}, {0, 7}}});
  const auto tidy =
      matrix_of<double, std::int32_t>({{{0, 2}}, {{0, 3}, {1, 5}}, {{0, 12}, {1, 6}, {2, 1}}});
  Context context({.device = "cpu"});
  const Matrix<double> b = random_sides<double>(3, 1);
  EXPECT_TRUE(same_bits(solved(context, messy.view(), {.sort_columns = true}, b),
                        solved(context, tidy.view(), {}, b)));
}

TEST(TriangularOptions, TheOtherTriangleAndTheDiagonalCanBeLeftOut) {
  const auto square =
      matrix_of<double, std::int32_t>({{{0, 2}, {1, 9}}, {{0, 3}, {1, 4}}, {{0, 1}, {1, 8}}});
  const auto lower =
      matrix_of<double, std::int32_t>({{{0, 1}}, {{0, 3}, {1, 1}}, {{0, 1}, {1, 8}, {2, 1}}});
  Context context({.device = "cpu"});
  const Matrix<double> b = random_sides<double>(3, 1);
  EXPECT_TRUE(
      same_bits(solved(context, square.view(), {.unit_diagonal = true, .ignore_other = true}, b),
                solved(context, lower.view(), {}, b)));
}

TEST(TriangularOptions, ValuesThatAreNotFiniteAreAcceptedAndFollowTheirArithmetic) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto matrix = matrix_of<double, std::int32_t>({{{0, inf}}, {{0, 1}, {1, 2}}});
  Context context({.device = "cpu"});
  Matrix<double> b(2, 1);
  b(0, 0) = 5;
  b(1, 0) = 6;
  const Matrix<double> x = solved(context, matrix.view(), {}, b);
  EXPECT_EQ(x(0, 0), 0);
  EXPECT_EQ(x(1, 0), 3);
}

TEST(TriangularCancel, CtrlCEndsASolve) {
  const auto matrix = lower_poisson<double, std::int32_t>(300, 300, 1);
  for (const SolveMethod method : methods) {
    Context context({.device = "cpu", .threads = 2});
    TriangularSystem<double, std::int32_t> system(context, matrix.view(), {.method = method});
    const Matrix<double> b = random_sides<double>(90000, 1);
    Matrix<double> x(90000, 1);
    context.cancel();
    refusal([&] { system.solve(context, b.view(), x.view()); }, ErrorCode::interrupted);
  }
}

}  // namespace
}  // namespace yupana::sparse
