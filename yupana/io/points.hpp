#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::io {

/// Points, one a row.
using Points = std::variant<Matrix<float>, Matrix<double>>;

struct PointsParams {
  std::string path;
  std::vector<std::string> columns;  ///< of a text: names, or numbers from 1; none: all of them
};

/// Reads points. By content and name:
///   .npy       n x d (or n, which is n x 1) of float32, float64 or any integer type; either order
///              of rows and of bytes; float32 stays so, all else becomes double
///   TSPLIB     text with a NODE_COORD_SECTION: the coordinates behind each node's number
///   otherwise  text, also gzip: columns between tabs, commas or blanks, with or without a line of
///              names; lines that begin with # and empty ones are left out
///   memory: the points, twice for text
///   errors (bad_input), one line naming the file and the line or row: cut short, not numbers, NaN
///   or infinite (text), rows of different lengths, a column that is not there, integers beyond
///   2^53, which doubles do not hold; out_of_resources where the points exceed the context's memory
Points read_points(Context& context, const PointsParams& params);

}  // namespace yupana::io
