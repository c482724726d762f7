#pragma once

#include <cstdint>
#include <string>

#include "yupana/core/context.hpp"
#include "yupana/sparse/arithmetic.hpp"
#include "yupana/sparse/triangular.hpp"

namespace yupana::io {

/// What the head of a Matrix Market file says.
struct MatrixMarketHead {
  enum class Field { real, integer, pattern, complex };
  enum class Symmetry { general, symmetric, skew, hermitian };

  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;  ///< lines that follow
};

/// A matrix and where it came from. Value: double or std::complex<double>.
template <class Value>
struct MatrixMarketOf {
  MatrixMarketHead head;
  sparse::CsrMatrix<Value, std::int64_t> matrix;
};
using MatrixMarket = MatrixMarketOf<double>;

/// The value that the entry (j, i) of a matrix has whose entry (i, j) has `value`.
template <class Value>
Value across_diagonal(Value value, MatrixMarketHead::Symmetry symmetry) {
  using Symmetry = MatrixMarketHead::Symmetry;
  if (symmetry == Symmetry::skew) return -value;
  return symmetry == Symmetry::hermitian ? sparse::conjugate(value) : value;
}

/// Reads the head alone: what is to come, before there is memory for it. Errors as below.
MatrixMarketHead read_matrix_market_head(Context& context, const std::string& path);
/// Bytes that read_matrix_market holds at most for a plain file with this head.
std::uint64_t matrix_market_bytes(const MatrixMarketHead& head);

/// Reads a Matrix Market file, plain or gzip: `matrix coordinate real|integer|pattern|complex
/// general|symmetric|skew-symmetric|hermitian`. The result holds the lines of the file, each row's
/// in ascending order of columns (lines of one place in the file's order, not added): of a
/// symmetric, skew-symmetric or hermitian file the lower triangle. Lines above its diagonal, which
/// the format does not have but other programs write, are read as their mirror images; a place
/// that both parts store is taken once and must agree. Entries of a pattern are 1.
///   work O(entries + rows); memory: matrix_market_bytes, 40 bytes an entry and 16 a row, of
///   complex values 56 and 16
///   errors (bad_input), naming file and line: another banner (array; complex, where Value is
///   double), sizes that are no numbers, an index beyond them, a number that is none, an integer
///   that no double equals, parts of a symmetric file that disagree, a diagonal that is not zero
///   (skew-symmetric) or real (hermitian), more or fewer lines than announced.
///   Infinite and NaN values are accepted. source: Boisvert, Pozo, Remington, The Matrix Market
///   exchange formats, NISTIR 5935 (1996)
template <class Value = double>
MatrixMarketOf<Value> read_matrix_market(Context& context, const std::string& path);

}  // namespace yupana::io
