#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "yupana/core/error.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/text.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/table_parts.hpp"

namespace yupana::io {

std::vector<PieceStart> piece_starts(Context& context,
                                     const TableText& text,
                                     char comment,
                                     bool header) {
  std::vector<PieceStart> starts(static_cast<std::size_t>(text.pieces()) + 1);
  each_piece(context, text, [&](std::int64_t i, std::string_view lines) {
    PieceStart count;
    const char* at = lines.data();
    const char* const end = at + lines.size();
    while (at < end) {
      const char* stop = static_cast<const char*>(std::memchr(at, '\n', end - at));
      ++count.line;
      const bool plain = static_cast<unsigned char>(*at) > ' ' && *at != comment;
      const std::string_view line(at, stop - at);
      count.row += plain || !is_skipped_line(line, comment);
      count.comments += !plain && is_comment(line, comment);
      at = stop + 1;
    }
    starts[static_cast<std::size_t>(i) + 1] = count;
  });
  if (header) --starts[0].row;
  for (std::size_t i = 1; i < starts.size(); ++i) {
    starts[i].row += starts[i - 1].row;
    starts[i].line += starts[i - 1].line;
    starts[i].comments += starts[i - 1].comments;
  }
  return starts;
}

void note_comments(Context& context,
                   const TableText& text,
                   const TableParams& params,
                   const PieceStart& end) {
  if (!params.notes || end.comments == 0) return;
  context.note(comments_note(text.path(), end.comments, params.comment) +
               (is_libsvm(text.path()) ? "" : "; --comment none reads such lines"));
}

PiecesOfPart next_part(const std::vector<PieceStart>& starts,
                       std::int64_t first,
                       std::int64_t rows) {
  const auto row = [&](std::int64_t i) { return std::max<std::int64_t>(0, starts[i].row); };
  PiecesOfPart part{first, first + 1, 0, {}};
  const std::int64_t pieces = std::ssize(starts) - 1;
  while (part.last < pieces &&
         (row(part.last) == row(first) || row(part.last + 1) - row(first) <= rows)) {
    ++part.last;
  }
  part.rows = row(part.last) - row(first);
  part.starts.assign(starts.begin() + first, starts.begin() + part.last + 1);
  for (PieceStart& start : part.starts) start.row -= row(first);
  return part;
}

namespace {

// Rows that are put into their columns together: whole cache lines a column.
constexpr std::int64_t tile_rows = 64;

/// Reads the rows of one piece.
template <class T>
class PieceReader {
 public:
  PieceReader(const std::string& path, const TableColumns& columns, char comment, TableFile<T>& to)
      : path_(path),
        columns_(columns),
        comment_(comment),
        to_(to),
        names_(columns.names.size()),
        tile_(static_cast<std::int64_t>(columns.features.size()) * tile_rows),
        plain_(columns.delimiter != ' ') {}

  void read(std::string_view lines, PieceStart start) {
    row_ = start.row;
    line_ = start.line;
    first_ = row_;
    const char* at = lines.data();
    const char* const end = at + lines.size();
    while (at < end) {
      const char* const stop = static_cast<const char*>(std::memchr(at, '\n', end - at));
      ++line_;
      const std::string_view line(at, stop - at);
      at = stop + 1;
      if (is_skipped_line(line, comment_)) continue;
      // The header is row -1.
      if (row_ < 0) {
        first_ = ++row_;
        continue;
      }
      if (!plain_ || !quick_line(line)) slow_line(line);
      if (!to_.ids.rows.empty()) to_.ids.rows[static_cast<std::size_t>(row_)] = id_;
      ++row_;
      if (row_ - first_ == tile_rows) put_tile();
    }
    put_tile();
  }

  std::vector<Names>& names() { return names_; }

 private:
  T& cell(std::int64_t feature) { return tile_[feature * tile_rows + (row_ - first_)]; }

  /// A line of numbers without blanks, quotes or missing cells; text where it is wanted. False,
  /// with nothing lost, where it is anything else.
  bool quick_line(std::string_view line) {
    const char* at = line.data();
    const char* end = at + line.size();
    if (at < end && end[-1] == '\r') --end;
    const std::size_t count = columns_.uses.size();
    id_.clear();
    const char delimiter = columns_.delimiter;
    for (std::size_t c = 0; c < count; ++c) {
      const ColumnUse use = columns_.uses[c];
      const char* stop = nullptr;
      if (use == ColumnUse::number || use == ColumnUse::label_number || use == ColumnUse::weight) {
        double value = 0;
        stop = read_number(at, end, value);
        if (stop == at || may_be_lost(value, at, stop)) return false;
        if (use == ColumnUse::number) {
          cell(columns_.places[c]) = static_cast<T>(value);
        } else if (use == ColumnUse::weight) {
          if (!set_weight(value)) return false;
        } else if (!set_value(value)) {
          return false;
        }
      } else {
        const void* found = std::memchr(at, delimiter, end - at);
        stop = found == nullptr ? end : static_cast<const char*>(found);
        const std::string_view text(at, stop - at);
        if (use != ColumnUse::skipped || c + 1 == count) {
          if (text.empty() || text.front() <= ' ' || text.back() <= ' ') return false;
        }
        if (std::memchr(text.data(), '"', text.size()) != nullptr || is_missing(text)) return false;
        set_text(c, text);
      }
      if (c + 1 == count) return stop == end;
      if (stop == end || *stop != delimiter) return false;
      at = stop + 1;
    }
    return false;
  }

  void slow_line(std::string_view line) {
    id_.clear();
    if (!split_cells(line, columns_.delimiter, cells_, storage_)) {
      fail("a quoted cell must end on its line, before a delimiter; take line breaks out of cells");
    }
    if (cells_.size() != columns_.uses.size()) {
      const std::string expected = counted(std::ssize(columns_.uses), "cell");
      fail(fmt::format("expected {}, got {}", expected, cells_.size()));
    }
    for (std::size_t c = 0; c < cells_.size(); ++c) slow_cell(c, cells_[c].text);
  }

  void slow_cell(std::size_t c, std::string_view text) {
    const ColumnUse use = columns_.uses[c];
    if (use == ColumnUse::skipped) return;
    if (use == ColumnUse::id) return set_text(c, text);
    const bool missing = is_missing(text);
    if (use == ColumnUse::number || use == ColumnUse::category) {
      if (missing) {
        cell(columns_.places[c]) = std::numeric_limits<T>::quiet_NaN();
        return;
      }
    } else if (missing) {
      fail(c, "the value is missing; every row needs one here: fill it in or drop the row");
    }
    if (use == ColumnUse::category || use == ColumnUse::label) return set_text(c, text);
    double value = 0;
    if (!whole_number(text, value)) {
      fail(c, fmt::format("'{}' is no number; {}", printable(text), advice(use, text)));
    }
    const std::size_t bytes = use == ColumnUse::number ? sizeof(T) : sizeof(double);
    const std::string lost = lost_number(text, value, bytes, leave_out(columns_, use));
    if (!lost.empty()) fail(c, lost);
    if (use == ColumnUse::number) {
      cell(columns_.places[c]) = static_cast<T>(value);
    } else if (use == ColumnUse::label_number) {
      if (!set_value(value))
        fail(c, fmt::format("expected a finite number, got {}", printable(text)));
    } else if (!set_weight(value)) {
      fail(c, fmt::format("expected a weight of 0 or more, got {}", printable(text)));
    }
  }

  /// What to do about a cell of text where a number was wanted.
  const char* advice(ColumnUse use, std::string_view text) const {
    const bool other = columns_.delimiter == ',' && text.find_first_of(";\t") != text.npos;
    if (has_decimal_comma(text) || other) {
      return "numbers have a decimal point: write 1.5 for 1,5 (tr , .) and give --delimiter if the "
             "cells are not separated";
    }
    if (use == ColumnUse::label_number)
      return "a regression predicts numbers: name some as --label";
    if (use == ColumnUse::weight) return "name a column of numbers of 0 or more as --weight";
    if (columns_.for_model) return "the model has numbers there: write one, or leave the row out";
    if (columns_.chosen) return "leave it out of --columns or, for trees, read it as --categorical";
    // Trees have a label: without one it is a map's table.
    if (columns_.label < 0) return "give it as --label or --id, or leave it out with --ignore";
    return "give it as --id, leave it out with --ignore or, for trees, read it as --categorical";
  }

  void set_text(std::size_t c, std::string_view text) {
    const ColumnUse use = columns_.uses[c];
    if (use == ColumnUse::id) {
      if (text.find('\0') != text.npos) fail(c, lost_name(text));
      id_ += (is_first_id(c) ? "" : "\t") + tsv_cell(text);
      return;
    }
    if (use != ColumnUse::label && use != ColumnUse::category) return;
    const std::size_t before = names_[c].texts().size();
    const std::int32_t number = names_[c].number(text);
    if (names_[c].texts().size() > before) {
      if (const std::string lost = lost_name(text); !lost.empty()) fail(c, lost);
    }
    if (use == ColumnUse::label) {
      to_.codes[row_] = number;
    } else {
      cell(columns_.places[c]) = static_cast<T>(number);
    }
  }

  bool is_first_id(std::size_t c) const {
    return std::find(columns_.uses.begin(), columns_.uses.end(), ColumnUse::id) ==
           columns_.uses.begin() + static_cast<std::ptrdiff_t>(c);
  }

  bool set_value(double value) {
    to_.values[row_] = value;
    return std::fabs(value) <= std::numeric_limits<double>::max();
  }

  bool set_weight(double value) {
    to_.weights[row_] = value;
    return value >= 0 && value <= std::numeric_limits<double>::max();
  }

  void put_tile() {
    const std::int64_t count = row_ - first_;
    for (std::int64_t f = 0; count > 0 && f < to_.table.columns(); ++f) {
      std::copy_n(tile_.data() + f * tile_rows, count, to_.table.column(f) + first_);
    }
    first_ = row_;
  }

  [[noreturn]] void fail(std::string_view what) const { throw bad_line(path_, line_, what); }
  [[noreturn]] void fail(std::size_t c, std::string_view what) const {
    fail(fmt::format("column {} ('{}'): {}", c + 1, printable(columns_.names[c]), what));
  }

  const std::string& path_;
  const TableColumns& columns_;
  char comment_;
  TableFile<T>& to_;
  std::vector<Names> names_;
  Array<T> tile_;
  bool plain_;
  std::string id_;  ///< of the line at work
  std::int64_t row_ = 0;
  std::int64_t line_ = 0;
  std::int64_t first_ = 0;  ///< row of the tile's first line
  std::vector<Cell> cells_;
  std::vector<std::string> storage_;
};

/// Numbers of texts, given piece by piece, become numbers in the order of all texts.
template <class T>
class Renumbering {
 public:
  Renumbering(const TableColumns& columns, std::int64_t pieces)
      : columns_(columns), names_(columns.names.size()) {
    for (std::size_t c = 0; c < names_.size(); ++c) {
      const bool text =
          columns.uses[c] == ColumnUse::label || columns.uses[c] == ColumnUse::category;
      if (text) names_[c].resize(pieces);
    }
  }

  void keep(std::int64_t piece, std::vector<Names>& names) {
    for (std::size_t c = 0; c < names_.size(); ++c) {
      if (!names_[c].empty()) names_[c][piece] = std::move(names[c]);
    }
  }

  void apply(Context& context, const std::vector<PieceStart>& starts, TableFile<T>& file) {
    for (std::size_t c = 0; c < names_.size(); ++c) {
      if (names_[c].empty()) continue;
      const bool label = columns_.uses[c] == ColumnUse::label;
      auto ordered = ordered_names(names_[c]);
      context.parallel_for(std::ssize(names_[c]), 1, [&](std::int64_t i) {
        const auto place = places_of(names_[c][i].texts(), ordered);
        const std::int64_t first = std::max<std::int64_t>(0, starts[i].row);
        for (std::int64_t row = first; row < starts[i + 1].row; ++row) {
          if (label) {
            file.codes[row] = place[file.codes[row]];
            continue;
          }
          T& value = file.table.column(columns_.places[c])[row];
          if (value == value) value = static_cast<T>(place[static_cast<std::size_t>(value)]);
        }
      });
      if (label) {
        file.classes = std::move(ordered);
      } else {
        file.categories[columns_.places[c]] = std::move(ordered);
      }
    }
  }

 private:
  const TableColumns& columns_;
  std::vector<std::vector<Names>> names_;  ///< of a column, of a piece
};

/// The file's first two rows, however long, and what precedes them.
std::string first_lines(const TableText& text, char comment) {
  Array<char> buffer;
  std::string lines;
  int rows = 0;
  for (std::int64_t i = 0; i < text.pieces() && rows < 2; ++i) {
    std::string_view piece = text.piece(i, buffer);
    while (!piece.empty() && rows < 2) {
      const std::string_view line = piece.substr(0, piece.find('\n'));
      rows += !is_skipped_line(line, comment);
      lines.append(line);
      lines += '\n';
      piece.remove_prefix(line.size() + 1);
    }
  }
  return lines;
}

}  // namespace

double RowIds::bytes() const {
  constexpr std::size_t inside = 15, block = 24;  // letters in a string itself, or in the heap
  std::size_t all = 0;
  for (const std::string& row : rows) {
    all += sizeof(row) + (row.size() > inside ? row.size() + block : 0);
  }
  return static_cast<double>(std::max(all, rows.size() * names.size() * std::size_t{bytes_of_id}));
}

std::string RowIds::header() const {
  std::string text;
  for (const std::string& name : names) text += tsv_cell(name) + '\t';
  return text;
}

template <class T>
void read_text_table(Context& context,
                     const TableText& text,
                     const TableParams& params,
                     std::int64_t bytes,
                     const TakeTable<T>& take) {
  const TableColumns columns =
      table_columns(text.path(), first_lines(text, params.comment), params);
  const auto starts =
      piece_starts(context, text, params.comment, columns.header && !columns.in_comment);
  if (starts.back().row == 0) throw bad_file(text.path(), "has a header and no rows");
  PieceStart remarks = starts.back();
  if (columns.in_comment) --remarks.comments;
  note_comments(context, text, params, remarks);
  if (params.notes) note_header(context, text.path(), columns);
  for (std::int64_t first = 0; first < text.pieces();) {
    const PiecesOfPart part = next_part(starts, first, rows_of_part<T>(columns, bytes));
    first = part.last;
    if (part.rows == 0) continue;
    const bool is_whole = part.last - part.first == text.pieces();
    auto file = shaped_table<T>(
        context, columns, part.rows, params, is_whole ? text.bytes(context.threads()) : 0);
    Renumbering<T> renumbering(columns, part.last - part.first);
    each_piece(context, text, part.first, part.last, [&](std::int64_t i, std::string_view lines) {
      PieceReader<T> reader(text.path(), columns, params.comment, file);
      reader.read(lines, part.starts[i - part.first]);
      renumbering.keep(i - part.first, reader.names());
    });
    renumbering.apply(context, part.starts, file);
    take(std::move(file));
  }
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, read_text_table)

}  // namespace yupana::io
