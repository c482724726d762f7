#pragma once

#include <cstdint>
#include <functional>
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
  /// Of a text: names, numbers from 1 or ranges of them ("1-3"), each column once; none: all.
  std::vector<std::string> columns;
  /// Bytes that the work on `rows` points of `cols` numbers of `number` bytes holds, them included;
  /// none: the points alone.
  std::function<std::uint64_t(std::int64_t rows, std::int64_t cols, std::size_t number)> work = {};
  /// Another file of points that the work takes too, and the bytes for them, counted only for a
  /// refusal.
  std::string other = {};
  std::function<std::uint64_t()> work_on_other = {};
  /// What these figures leave out, at the end of a refusal.
  std::string left_out = {};
};

/// Reads points. By content and name:
///   .npy       n x d (or n, which is n x 1) of floats of 2, 4 or 8 bytes or any integer type;
///              either order of rows and of bytes; floats of up to 4 bytes become float32, all else
///              double
///   TSPLIB     text with a NODE_COORD_SECTION: the coordinates after each node's number;
///              EDGE_WEIGHT_TYPE EUC_2D, EUC_3D or CEIL_2D where the file has one
///   otherwise  text, also gzip: columns between commas, tabs, semicolons, bars or blanks, cells
///              quoted or not, with or without a line of names; lines that begin with # and empty
///              ones are left out
///   memory: the points, up to three times for text
///   errors (bad_input), one line naming the file and the line or row: cut short, not numbers, NaN
///   or infinite (text), rows of different lengths, a column that is not in the file, integers that
///   no double holds, TSPLIB distances other than Euclidean ones; usage: columns that are neither
///   names nor numbers, or named twice; out_of_resources where reading the points or the
///   work on them exceeds the context's memory: it says what they need
Points read_points(Context& context, const PointsParams& params);

}  // namespace yupana::io
