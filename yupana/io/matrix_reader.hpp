#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::io {

/// The type that graph::AnyMatrix is.
using AnyMatrix =
    std::variant<SquareMatrix<std::int32_t>, SquareMatrix<float>, SquareMatrix<double>>;

struct DistanceMatrix {
  AnyMatrix values;
  std::vector<std::string> names;  ///< of rows and columns; empty where the input has none
};

/// What is known of a matrix before it is allocated.
struct MatrixSize {
  std::int64_t n = 0;
  int cell = 8;                 ///< bytes of a number
  bool whole = false;           ///< integers
  std::int64_t text_bytes = 0;  ///< of text that is held next to the matrix while it is read
};

/// Throws out_of_resources where memory does not hold a run that starts from such a matrix.
using MatrixCheck = std::function<void(const MatrixSize&)>;

/// Reads a matrix of distances: symmetric, zero diagonal, none negative, no NaN; +infinity (no way
/// from one to the other) is allowed. By content and name:
///   .npy        n x n of float32, float64, any integer type; either order of rows and of bytes
///   X.bin       PLINK's binary: float64 or float32, square, square0 or triangle, known by its size
///               and the number of lines of X.id (without X.id where only one reading fits)
///   otherwise   text, also gzip: PLINK's square, square0 or triangle; a table with tabs, commas or
///               blanks, with or without header and row names; PHYLIP, square or
///               lower triangle
/// Without names inside, those of X.id (PLINK: individual identifiers, or FAMILY_INDIVIDUAL where
/// these repeat), or for run.dist.npy those of run.dist.ids or run.ids, are taken.
///
/// Integers come as int32 where all fit, float32 as float, the rest as double. An entry may differ
/// from its mirror by rounding: 1e-9 of the larger for float64, 1e-6 for float32, 1e-5 for text
/// (six digits); the lower triangle then holds, and the context notes how many pairs differed. A
/// plain square with nothing but zeros above the diagonal is PLINK's square0 (text and .bin only).
///   memory: the matrix; text: the file too
///   errors (bad_input), one line naming the file and the entry or line: cut short, not square, not
///   numbers, NaN, negative, not symmetric, non-zero diagonal, names that do not fit;
///   out_of_resources where the matrix, with its text, is larger than the context's memory. Before
///   it is allocated, and of text that memory does not hold before it is read, `check` is called,
///   so that a run names what all of it needs.
DistanceMatrix read_distances(Context& context,
                              const std::string& path,
                              const MatrixCheck& check = {});

/// The list of names next to a matrix file, by the names that yupana and PLINK give both; empty
/// where there is none.
std::string names_file_of(const std::string& path);

}  // namespace yupana::io
