#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/io/table.hpp"

namespace yupana::io {

/// What becomes of a column of the file.
enum class ColumnUse { skipped, number, category, label, label_number, weight, id };

/// The columns of a table and what becomes of them.
struct TableColumns {
  char delimiter = ',';
  bool header = false;
  bool in_comment = false;                  ///< the header is the last comment before the rows
  const char* doubt = nullptr;              ///< why the first row may be names after all
  bool odd_names = false;                   ///< a header was found whose names begin as numbers
  std::vector<std::string> first_row = {};  ///< its cells, without a header of text
  std::vector<std::string> names;           ///< of the file's columns
  std::vector<ColumnUse> uses;              ///< of the file's columns
  std::vector<std::int64_t> places;         ///< of the file's columns: which feature, -1 if none
  std::vector<std::string> features;        ///< names of the features
  std::int64_t label = -1;                  ///< of the file's columns
  bool for_model = false;                   ///< the features are a model's
  bool chosen = false;                      ///< they are those of --columns
  bool indexed = false;  ///< of a libsvm file: names are indices, and a number is nothing else
};

/// Whether a file holds lines of libsvm, by its name: .libsvm, .svm or .svmlight, also .gz; of a
/// pipe, which has none, by its first line.
bool is_libsvm(const std::string& path);

/// Whether the first line of a text that has more than a label is one of libsvm.
bool begins_as_libsvm(std::string_view text);

/// One cell of a line: text without quotes and blanks around it.
struct Cell {
  std::string_view text;
  bool quoted = false;
};

/// Cuts a line (without its end) into cells. `storage` keeps what had doubled quotes. Returns false
/// where a quote is never closed or text follows a closed one.
bool split_cells(std::string_view line,
                 char delimiter,
                 std::vector<Cell>& cells,
                 std::vector<std::string>& storage);

bool is_comment(std::string_view line, char comment);

/// Whether text is a number or begins as one: "12O", "1.000.5". Of a row a typing error, and rarely
/// a name.
bool begins_as_number(std::string_view text);

/// Whether what [at, stop) reads as may be lost (see lost_number): numbers of 2^53 or more, those
/// below the least float, and zeros with an exponent or hundreds of digits.
inline bool may_be_lost(double value, const char* at, const char* stop) {
  const double size = std::fabs(value);
  if (size >= 0x1p-149) return !(size < 0x1p53);
  return size != 0 || stop - at > 300 ||
         std::find_if(at, stop, [](char c) { return (c | 32) == 'e'; }) != stop;
}

/// Why a cell that reads as `value` cannot be kept in a float of `bytes` bytes: it is finite and
/// would be infinite there, it is not 0 and would be, or it is an integer, kept as a double, that
/// no double equals. Empty where it can. `leave_out`: what may be left out then.
std::string lost_number(std::string_view cell,
                        double value,
                        std::size_t bytes,
                        std::string_view leave_out = "leave the row out");

/// Why a finite number cannot be kept in a float of `bytes` bytes, where it would be infinite or 0.
std::string beyond_range(std::string_view number, std::size_t bytes, std::string_view leave_out);

/// Why a name of a column, class or category cannot be kept; empty where it can.
std::string lost_name(std::string_view name);

/// How a column that cannot be read is left out; the row, where the command needs the column.
const char* leave_out(const TableColumns& columns, ColumnUse use);

/// The delimiter that a line has most of outside quotes: comma, tab, semicolon or bar; a blank
/// where it has none of them.
char found_delimiter(std::string_view line);

/// Blank, or a comment.
bool is_skipped_line(std::string_view line, char comment);

/// usage for columns that are to name rows, of a file that has no text.
void refuse_ids(const std::string& path, const TableParams& params);

/// Finds the delimiter, the header and the names, before any use, from the first lines of a file.
/// `line`: of the header or first row.
TableColumns named_columns(const std::string& path,
                           std::string_view first_lines,
                           const TableParams& params,
                           std::int64_t& line);

/// Notes where the names of a text are taken from if that is in doubt.
void note_header(Context& context, const std::string& path, const TableColumns& columns);

/// Finds the delimiter, the header and the use of each column from the first lines of a file.
TableColumns table_columns(const std::string& path,
                           std::string_view first_lines,
                           const TableParams& params);

/// The delimiter, header and names of the columns of a text or .npy table, from its first rows; no
/// uses.
TableColumns first_columns(const std::string& path, const TableParams& params);

/// The column of a text or .npy table that `name` means, under its own name. errors: bad_input
/// where there is none.
std::string column_named(const std::string& path,
                         const TableParams& params,
                         const std::string& name,
                         std::string_view role);

/// Which column each name means; fills uses, places, features. For files that bring no header,
/// names are "1", "2", ...
void use_columns(const std::string& path, const TableParams& params, TableColumns& columns);

}  // namespace yupana::io
