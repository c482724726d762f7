// Transposed and complex systems.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>

#include "tests/sparse/systems.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/sparse/arithmetic.hpp"
#include "yupana/sparse/triangular.hpp"

namespace yupana::sparse {
namespace {

constexpr Operation operations[] = {
    Operation::none, Operation::transpose, Operation::conjugate_transpose};

/// Values and sides of every phase; real ones stay.
template <class Value>
void turn(Value* values, std::int64_t count, std::uint64_t seed) {
  if constexpr (is_complex<Value>) {
    using R = typename Value::value_type;
    const Random random(seed);
    for (std::int64_t i = 0; i < count; ++i) {
      values[i] *= std::polar(R{1}, static_cast<R>(6.28 * random.uniform(i)));
    }
  }
}

template <class Value, class Index>
std::vector<CsrMatrix<Value, Index>> some_systems(Triangle triangle) {
  std::vector<CsrMatrix<Value, Index>> all;
  static constexpr int counts[] = {0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 65};
  const auto add = [&](std::int64_t n, std::int64_t window, const auto& count) {
    all.push_back(random_system<Value, Index>(n, window, count, triangle));
    turn(all.back().values.data(), all.back().values.size(), 3);
  };
  add(0, 0, [](std::int64_t) { return 0; });
  add(1, 0, [](std::int64_t) { return 0; });
  add(33, 1, [](std::int64_t) { return 1; });
  add(3000, 0, [](std::int64_t i) { return counts[(i * 5) % 14]; });
  add(9000, 0, [](std::int64_t i) { return i < 7000 ? 0 : 1 + i % 9; });
  return all;
}

template <class Value>
Matrix<Value> sides_of(std::int64_t rows, std::int64_t columns) {
  Matrix<Value> b(rows, columns);
  const Random random(7);
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    b.data()[i] = static_cast<float>(2 * random.uniform(i) - 1);
  }
  turn(b.data(), rows * columns, 8);
  return b;
}

template <class Value, class Index>
Matrix<Value> solved(const ContextParams& where,
                     const CsrMatrix<Value, Index>& matrix,
                     const TriangularParams& params,
                     const Matrix<Value>& b) {
  Context context(where);
  Matrix<Value> x(b.rows(), b.cols());
  TriangularSystem<Value, Index>(context, matrix.view(), params).solve(context, b.view(), x.view());
  return x;
}

template <class Value>
bool same_bits(const Matrix<Value>& a, const Matrix<Value>& b) {
  const auto bytes = sizeof(Value) * static_cast<std::size_t>(a.rows() * a.cols());
  return bytes == 0 || std::memcmp(a.data(), b.data(), bytes) == 0;
}

template <class Value, class Index>
void every_operation_has_the_bits_of_the_reference() {
  using R = decltype(std::abs(Value{}));
  for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
    for (const auto& matrix : some_systems<Value, Index>(triangle)) {
      for (const Operation operation : operations) {
        TriangularParams params{.triangle = triangle, .operation = operation};
        const Matrix<Value> b = sides_of<Value>(matrix.rows, 3);
        const Matrix<Value> want = solved({.device = "reference"}, matrix, params, b);
        EXPECT_LE(backward_error<Value>(matrix.view(), params, b.view(), want.view()),
                  12 * std::numeric_limits<R>::epsilon());
        for (const SolveMethod method :
             {SolveMethod::serial, SolveMethod::level_set, SolveMethod::sync_free}) {
          params.method = method;
          for (const int threads : {1, 2, 7}) {
            const ContextParams where{.device = "cpu", .threads = threads};
            EXPECT_TRUE(same_bits(solved(where, matrix, params, b), want))
                << int(triangle) << int(operation) << int(method) << ", " << matrix.rows;
          }
        }
      }
    }
  }
}

TEST(TriangularOperations, HaveTheBitsOfTheReferenceInEveryType) {
  every_operation_has_the_bits_of_the_reference<float, std::int32_t>();
  every_operation_has_the_bits_of_the_reference<double, std::int64_t>();
  every_operation_has_the_bits_of_the_reference<std::complex<float>, std::int64_t>();
  every_operation_has_the_bits_of_the_reference<std::complex<double>, std::int32_t>();
}

TEST(TriangularOperations, OfATransposeAreThoseOfTheMatrixThatIsTransposed) {
  using Value = std::complex<double>;
  for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
    for (const auto& matrix : some_systems<Value, std::int32_t>(triangle)) {
      CsrMatrix<Value, std::int32_t> turned = transposed(matrix.view());
      const Matrix<Value> b = sides_of<Value>(matrix.rows, 1);
      for (const Operation operation : {Operation::transpose, Operation::conjugate_transpose}) {
        const Matrix<Value> x =
            solved({.device = "cpu"}, matrix, {.triangle = triangle, .operation = operation}, b);
        const Matrix<Value> y = solved({.device = "cpu"}, turned, {.triangle = other(triangle)}, b);
        EXPECT_TRUE(same_bits(x, y));
        for (Value& value : turned.values) value = std::conj(value);
      }
    }
  }
}

TEST(TriangularOperations, TakeNewValuesInTheOrderOfTheCallersMatrix) {
  using Value = std::complex<float>;
  auto systems = some_systems<Value, std::int32_t>(Triangle::lower);
  auto& matrix = systems[3];
  Context context({.device = "cpu", .threads = 2});
  const Matrix<Value> b = sides_of<Value>(matrix.rows, 2);
  for (const Operation operation : operations) {
    const TriangularParams params{.method = SolveMethod::sync_free, .operation = operation};
    TriangularSystem<Value, std::int32_t> system(context, matrix.view(), params);
    turn(matrix.values.data(), matrix.values.size(), 11);
    system.update_values(context, matrix.values.data());
    Matrix<Value> x(b.rows(), b.cols());
    system.solve(context, b.view(), x.view());
    EXPECT_TRUE(same_bits(x, solved({.device = "cpu"}, matrix, params, b)));
  }
}

TEST(TriangularOperations, NameTheRowOfTheCallersMatrix) {
  const auto matrix = matrix_of<double, std::int32_t>({{{0, 1}}, {{0, 2}}, {{2, 1}}});
  Context context({.device = "cpu"});
  const std::string said =
      test::refusal([&] { analyse(context, matrix.view(), {.operation = Operation::transpose}); });
  EXPECT_NE(said.find("row 2 (from 1) has no entry on the diagonal"), std::string::npos) << said;
}

TEST(TriangularErrorOfComplexSystems, IsInfiniteWhereANumberIsNotFinite) {
  using Value = std::complex<double>;
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto matrix = matrix_of<Value, std::int32_t>({{{0, 1}}, {{0, 2}, {1, 1}}});
  Matrix<Value> b(2, 1), x(2, 1);
  b(0, 0) = b(1, 0) = x(0, 0) = 1;
  x(1, 0) = -1;
  for (const Operation operation : operations) {
    const TriangularParams params{.operation = operation};
    for (const Value bad : {Value(0, nan), Value(nan, 0), Value(inf, 0), Value(0, -inf)}) {
      Matrix<Value> y(2, 1);
      y(0, 0) = bad;
      EXPECT_EQ(backward_error<Value>(matrix.view(), params, b.view(), y.view()), inf);
      EXPECT_EQ(backward_error<Value>(matrix.view(), params, y.view(), x.view()), inf);
    }
  }
  EXPECT_EQ(backward_error<Value>(matrix.view(), {}, b.view(), x.view()), 0);
}

}  // namespace
}  // namespace yupana::sparse
