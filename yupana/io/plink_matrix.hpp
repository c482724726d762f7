#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/io/row_producer.hpp"

namespace yupana::io {

/// What a matrix of `--distance` holds, and so its name: .dist, .mibs, .mdist.
enum class PlinkContent { allele_count, ibs, one_minus_ibs };
enum class PlinkShape { square, square0, triangle };
enum class PlinkEncoding { text, gzip, float64, float32 };

struct PlinkLayout {
  PlinkShape shape = PlinkShape::triangle;
  PlinkEncoding encoding = PlinkEncoding::text;
};

/// The layout that the modifiers of `--distance` ask for ("square", "square0", "triangle", "gz",
/// "bin", "bin4"); the shape is by default a square where binary, a triangle otherwise. Throws
/// usage for two shapes, two encodings or a word that is neither.
PlinkLayout plink_layout(const std::vector<std::string>& modifiers);

/// PREFIX.dist, .mibs or .mdist, with .gz or .bin (float32 too) after it.
std::string plink_path(const std::string& prefix, PlinkContent content, PlinkEncoding encoding);

/// Family and individual identifier of a sample: "F<TAB>I" as given, otherwise both are the name.
std::string plink_id(std::string_view sample);

/// Writes the matrix and its .id file as PLINK 1.9 does, adding both to `files`.
///   text    tab separated, six significant digits ("%g", ties to even); gz: the same, compressed
///   bin     float64, bin4 float32, little endian, row by row, nothing else
///   square0 zeros above the diagonal
///   triangle rows of the lower triangle without the diagonal; only ibs as text has it
/// A binary square0 has zeros on the diagonal, ibs too. One departure: a float32 square of allele
/// counts has zeros there as well, where PLINK 1.9 repeats an entry of the row.
///   errors: bad_input for an identifier with a tab or line end, out_of_resources for a full disk
void write_plink(Context& context,
                 OutputFiles& files,
                 const std::string& prefix,
                 PlinkContent content,
                 const PlinkLayout& layout,
                 const std::vector<std::string>& samples,
                 const RowProducer& rows);

}  // namespace yupana::io
