#pragma once

#include <cstdint>
#include <string>

#include "yupana/core/context.hpp"
#include "yupana/sparse/csr.hpp"

namespace yupana::io {

/// What the head of a Matrix Market file says.
struct MatrixMarketHead {
  enum class Field { real, integer, pattern };
  enum class Symmetry { general, symmetric, skew };

  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;  ///< lines that follow
};

/// A matrix and where it came from.
struct MatrixMarket {
  MatrixMarketHead head;
  sparse::CsrMatrix<double, std::int64_t> matrix;
};

/// Reads the head alone: what is to come, before there is memory for it. Errors as below.
MatrixMarketHead read_matrix_market_head(Context& context, const std::string& path);
/// Bytes that read_matrix_market holds at most for a plain file with this head.
std::uint64_t matrix_market_bytes(const MatrixMarketHead& head);

/// Reads a Matrix Market file, plain or gzip: `matrix coordinate real|integer|pattern
/// general|symmetric|skew-symmetric`. The result holds the lines of the file, each row's in
/// ascending order of columns (lines of one place in the file's order, not added): of a symmetric
/// file the triangle it stores, which is the lower one. Entries of a pattern are 1.
///   work O(entries + rows); memory: matrix_market_bytes, 40 bytes an entry and 16 a row
///   errors (bad_input), naming file and line: another banner (array, complex, hermitian), sizes
///   that are no numbers, an index beyond them, a number that is none, an integer that no double
///   equals, an entry above the diagonal of a symmetric file, more or fewer lines than announced.
///   Infinite and NaN values are accepted. source: Boisvert, Pozo, Remington, The Matrix Market
///   exchange formats, NISTIR 5935 (1996)
MatrixMarket read_matrix_market(Context& context, const std::string& path);

}  // namespace yupana::io
