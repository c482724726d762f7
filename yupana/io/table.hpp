#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/table.hpp"

namespace yupana::io {

enum class TableHeader { automatic, present, absent };

/// How a table is read. A column is named by its header, or by its number from 1; "last" is the
/// last one. A header that is itself such a number goes first.
struct TableParams {
  TableHeader header = TableHeader::automatic;
  char delimiter = '\0';   ///< of a text's cells; '\0': found out; ' ': runs of blanks and tabs
  char comment = '#';      ///< lines that begin with it are left out; '\0': none
  std::string label = {};  ///< the column to predict; empty: none
  bool label_is_number = false;           ///< a quantity, not a class
  std::string weight = {};                ///< a column of weights of the rows; empty: none
  std::vector<std::string> columns = {};  ///< the features, in this order; empty: all the others
  std::vector<std::string> ignored = {};  ///< columns left out
  std::vector<std::string> categorical =
      {};                             ///< features of text: a category's number is its value
  std::vector<std::string> ids = {};  ///< columns of a text that name rows: kept as they are read
  bool zero_based = false;            ///< indices of a libsvm file begin at 0, not 1
  /// Names that a header has, those of a model: a first line with all of them is one. Of a libsvm
  /// file values at indices beyond them are refused, or left out with a note.
  std::vector<std::string> known = {};
  bool refuses_unknown = false;
  bool notes = true;       ///< whether lines left out and a doubtful header are noted
  bool for_model = false;  ///< the features are a model's, which none can leave out
  /// Folder that keeps what is beyond the context's memory while the run lasts (ScratchScope);
  /// empty: such tables are refused.
  std::string scratch = {};
  /// What a run holds next to the table once that is read, which a refusal counts: bytes for each
  /// row, and bytes.
  double row_bytes = 0, held_bytes = 0;
};

/// Of a name that a row has, about.
inline constexpr std::int64_t bytes_of_id = 64;

/// Columns that name rows, in the file's order.
struct RowIds {
  std::vector<std::string> names;  ///< of the columns
  std::vector<std::string> rows;   ///< of each row: its cells, as a table with tabs has them

  /// What goes before the other cells of a line.
  std::string header() const;
  /// Bytes in memory, or what reading reserves for them where that is more.
  double bytes() const;
  std::string of(std::int64_t row) const {
    return rows.empty() ? std::string() : rows[static_cast<std::size_t>(row)] + '\t';
  }
};

/// A table in memory.
template <class T>
struct TableFile {
  Table<T> table;  ///< the features; NaN where a cell is missing
  /// Names of a categorical feature's values, in order; empty for a column of numbers.
  std::vector<std::vector<std::string>> categories;
  std::string label = {};            ///< the label column's name
  std::vector<std::string> classes;  ///< names of the labels, in order
  Array<std::int32_t> codes;         ///< of each row: its class
  Array<double> values;              ///< of each row: its label, where that is a number
  Array<double> weights;             ///< of each row; empty without a column of them
  RowIds ids = {};
  std::int64_t missing = 0;   ///< cells without a value among the features
  std::int64_t infinite = 0;  ///< infinite values among the features
};

/// Reads a table. By content: .npy (two dimensions, any plain number type, float16, bfloat16 and
/// bool among them); libsvm (is_libsvm(); absent entries are 0, also of columns named in `columns`
/// that no row has; the label's column is named "label"); else text (CSV, TSV, ...), also gzip.
///   text: one row a line, \n or \r\n; cells may be in "quotes" ("" within is one quote; a cell
///   ends on its line); a byte-order mark, blank lines and comments are left out, comments with a
///   note of how many. Missing: an empty cell, NA, N/A, NaN, null, none or ?. The header is found
///   out: the first line is one if it has text where the second has a number, every name of
///   `known`, or a name that is given here for a column; the last comment before the rows by the
///   same rules ("#x,y,class"), with a note. A first line of numbers in order as years
///   or wavelengths are, where those of the second are not, may be one: it is a row, with a note
///   bytes: names of columns, classes and categories are UTF-8, without NUL
///   names: of classes and categories: in order of value if all are numbers, else of bytes
///   T: float or double; a float is the double nearest to the text, rounded once more. No number
///   is lost without a word: one that would become infinite, and an integer that no double equals
///   where a double keeps it, is a fault of its line
///   work: one pass to count lines, one to read, both in parallel; memory: the table, and 4 MiB a
///   thread (gzip: and the text); either in `scratch` where it is more than the context allows
///   determinism: does not depend on threads, errors neither: the first fault of the file counts
///   errors (bad_input): PATH:LINE: and the column, what was wanted and got; an empty file, a
///   column that is not there or twice there, no feature left; usage for a parameter that means
///   nothing for the kind of file; out_of_resources; interrupted
template <class T>
TableFile<T> read_table(Context& context, const std::string& path, const TableParams& params = {});

/// What becomes of a part of a table.
template <class T>
using TakeTable = std::function<void(TableFile<T>&& part)>;

/// The same rows some at a time, in order, for tables beyond memory: take(part) for one after the
/// other, each of at most `bytes` of features (but a mebibyte of text at least). Classes and
/// categories are those of the part, and numbered by it.
///   memory: a part; gzip: and the text
///   errors: as read_table, once the parts before the fault were taken
template <class T>
void read_table_parts(Context& context,
                      const std::string& path,
                      const TableParams& params,
                      std::int64_t bytes,
                      const TakeTable<T>& take);

/// What becomes of a column of the file.
enum class ColumnUse { skipped, number, category, label, label_number, weight, id };

/// The columns of a table and what becomes of them.
struct TableColumns {
  char delimiter = ',';
  bool header = false;
  bool in_comment = false;      ///< the header is the last comment before the rows
  const char* doubt = nullptr;  ///< why the first row may be names after all
  bool odd_names = false;       ///< a header was found whose names begin as numbers
  /// A column that the header does not name and that is no feature, or -1: the first, of names of
  /// rows, where rows have a cell more than the header, or the last, where lines end with a
  /// delimiter.
  std::int64_t left_out = -1;
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
