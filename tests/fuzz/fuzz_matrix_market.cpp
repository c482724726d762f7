// Any bytes as a Matrix Market file: refused in one line, or a matrix that holds what its head
// announces, whose lower triangle is refused in one line or solved.
#include <algorithm>
#include <complex>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/io/matrix_market.hpp"
#include "yupana/sparse/triangular.hpp"

namespace {

template <class Value>
void solve(yupana::Context& context, const yupana::io::MatrixMarketOf<Value>& file) {
  const auto matrix = file.matrix.view();
  yupana::Matrix<Value> b(matrix.rows, 1), x(matrix.rows, 1);
  std::fill_n(b.data(), matrix.rows, 1.0);
  yupana::sparse::TriangularSystem<Value, std::int64_t>(context, matrix, {.ignore_other = true})
      .solve(context, b.view(), x.view());
}

template <class Value>
void read_and_solve(yupana::Context& context, const std::string& path) {
  yupana::fuzz::expect_one_line([&] {
    const auto file = yupana::io::read_matrix_market<Value>(context, path);
    const auto matrix = file.matrix.view();
    const std::int64_t stored = matrix.rows > 0 ? file.head.entries : 0;
    const bool general = file.head.symmetry == yupana::io::MatrixMarketHead::Symmetry::general;
    // Of a symmetric matrix a place may be stored on both sides of the diagonal.
    if (matrix.entries() > stored || (general && matrix.entries() != stored)) std::abort();
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
      for (auto e = matrix.row_begin[i]; e < matrix.row_begin[i + 1]; ++e) {
        if (matrix.columns[e] < 0 || matrix.columns[e] >= matrix.cols) std::abort();
        if (e > matrix.row_begin[i] && matrix.columns[e] < matrix.columns[e - 1]) std::abort();
      }
    }
    solve(context, file);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static yupana::Context context({.device = "cpu", .threads = 1, .memory = 64 << 20});
  const std::string path = yupana::fuzz::put("matrix.mtx", data, size);
  read_and_solve<double>(context, path);
  read_and_solve<std::complex<double>>(context, path);
  return 0;
}
