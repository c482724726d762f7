#pragma once

#include <cstdint>
#include <functional>
#include <string>
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

}  // namespace yupana::io
