#include <algorithm>
#include <cmath>
#include <numeric>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/table_parts.hpp"

namespace yupana::io {
namespace {

// A dense table of more columns than this is surely a mistake.
constexpr std::int64_t max_columns = std::int64_t{1} << 24;

/// One line: "label index:value index:value ... # comment".
class LibsvmLine {
 public:
  /// `bytes`: of the floats that keep the values.
  LibsvmLine(const std::string& path, std::int64_t line, std::string_view text, std::size_t bytes)
      : path_(path), line_(line), rest_(text.substr(0, text.find('#'))), bytes_(bytes) {
    label_ = word();
  }

  std::string_view label() const { return label_; }
  bool has_group() const { return has_group_; }

  /// Refuses a line without a label, whose first entry would be taken for one.
  void check_label() const {
    const std::size_t colon = label_.find(':');
    double value = 0;
    if (colon == label_.npos || !number_of<std::int64_t>(label_.substr(0, colon)) ||
        !whole_number(label_.substr(colon + 1), value)) {
      return;
    }
    fail(fmt::format("expected a label first, got '{}'; put one, as 0, before its entries",
                     printable(label_)));
  }

  /// The next entry; false after the last. Indices count from 0 here.
  bool next(bool zero_based, std::int64_t& index, double& value) {
    if (!quick_entry(index, value) && !any_entry(index, value)) return false;
    const std::int64_t least = zero_based ? 0 : 1;
    if (index < least || index > max_columns) {
      fail(fmt::format("index {} found; indices go from {} to {}{}",
                       index,
                       least,
                       max_columns,
                       index == 0 ? ", unless --zero-based is given" : ""));
    }
    index -= least;
    if (index <= last_)
      fail(fmt::format(
          "index {} after {}: expected indices that grow", index + least, last_ + least));
    last_ = index;
    return true;
  }

  [[noreturn]] void fail(std::string_view what) const { throw bad_line(path_, line_, what); }

 private:
  /// An index of few digits and a plain number, where they lie; false, with nothing lost, for
  /// anything else. Four times as fast as by words.
  bool quick_entry(std::int64_t& index, double& value) {
    const char* at = rest_.data();
    const char* const end = at + rest_.size();
    while (at < end && *at == ' ') ++at;
    const char* const first = at;
    std::int64_t number = 0;
    while (at < end && at - first < 9 && *at >= '0' && *at <= '9')
      number = number * 10 + *at++ - '0';
    if (at == first || at == end || *at != ':') return false;
    // The line's end, or a comment, follows `end`.
    const char* const stop = read_number(++at, end, value);
    const bool ends = stop == end || *stop == ' ' || *stop == '\t' || *stop == '\r';
    if (stop == at || may_be_lost(value, at, stop) || !ends) return false;
    rest_.remove_prefix(stop - rest_.data());
    index = number;
    return true;
  }

  bool any_entry(std::int64_t& index, double& value) {
    std::string_view entry = word();
    std::size_t colon = entry.find(':');
    while (colon != entry.npos && entry.substr(0, colon) == "qid") {
      has_group_ = true;
      entry = word();
      colon = entry.find(':');
    }
    if (entry.empty()) return false;
    const auto number = number_of<std::int64_t>(entry.substr(0, colon));
    const std::string_view cell = colon == entry.npos ? "" : entry.substr(colon + 1);
    const bool missing = is_missing(cell);
    if (colon == entry.npos || !number || !(missing || whole_number(cell, value))) {
      fail(fmt::format("expected index:value, got '{}'", printable(entry)));
    }
    index = *number;
    if (missing) value = std::numeric_limits<double>::quiet_NaN();
    const std::string lost = lost_number(cell, value, bytes_);
    if (!lost.empty()) fail(fmt::format("index {}: {}", index, lost));
    return true;
  }

  std::string_view word() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
    const std::string_view found = rest_.substr(0, rest_.find_first_of(" \t\r"));
    rest_.remove_prefix(found.size());
    return found;
  }

  const std::string& path_;
  std::int64_t line_;
  std::string_view rest_;
  std::size_t bytes_;
  std::string_view label_;
  std::int64_t last_ = -1;
  bool has_group_ = false;
};

/// body(row, entries) for every row of a piece.
template <class T, class Body>
void each_line(const TableText& text, std::string_view lines, PieceStart start, const Body& body) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(line.size() + 1);
    ++start.line;
    if (is_skipped_line(line, '#')) continue;
    body(start.row++, LibsvmLine(text.path(), start.line, line, sizeof(T)));
  }
}

/// The first line that is no comment and has more than one word; what `text` cuts off is left out.
std::string_view first_entries(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (end == text.npos) line = line.substr(0, line.find_last_of(blank));
    line = line.substr(0, line.find('#'));
    line.remove_prefix(std::min(line.find_first_not_of(blank), line.size()));
    const std::size_t word = line.find_first_of(blank);
    if (word != line.npos && line.find_first_not_of(blank, word) != line.npos) return line;
  }
  return {};
}

/// The largest of the names that are indices; 0: none is.
std::int64_t largest_index(const std::vector<std::string>& names) {
  std::int64_t largest = 0;
  for (const std::string& name : names) {
    const std::int64_t index = number_of<std::int64_t>(name).value_or(0);
    if (index <= max_columns) largest = std::max(largest, index);
  }
  return largest;
}

/// The columns of a file, and where an index is among them.
struct IndexedColumns {
  TableColumns columns;
  std::vector<std::int64_t> indices = {};  ///< of the columns after the label; empty: all
  std::int64_t weight = -1;                ///< index of the column of weights

  /// The feature of an index from 0; -1 where it is none.
  std::int64_t place(std::int64_t index) const {
    if (indices.empty()) return columns.places[index + 1];
    const auto found = std::lower_bound(indices.begin(), indices.end(), index);
    if (found == indices.end() || *found != index) return -1;
    return columns.places[found - indices.begin() + 1];
  }
};

/// Names of the label and of indices: of all up to `width` or, where some are named as features,
/// of these and the last, so that few columns of a wide table cost little.
IndexedColumns named_indices(const TableParams& params, std::int64_t width) {
  IndexedColumns found;
  found.columns.indexed = true;
  found.columns.names.push_back("label");
  if (!params.columns.empty()) {
    found.indices.push_back(width - 1);
    const auto add = [&](const std::string& name) {
      const auto index = number_of<std::int64_t>(name).value_or(0);
      if (index >= 1 && index <= width) found.indices.push_back(index - 1);
    };
    for (const auto* names : {&params.columns, &params.ignored}) std::ranges::for_each(*names, add);
    for (const auto* name : {&params.label, &params.weight}) add(*name);
    std::ranges::sort(found.indices);
    found.indices.erase(std::unique(found.indices.begin(), found.indices.end()),
                        found.indices.end());
    if (std::ssize(found.indices) == width) found.indices.clear();
  }
  const std::int64_t count = found.indices.empty() ? width : std::ssize(found.indices);
  for (std::int64_t c = 0; c < count; ++c) {
    const std::int64_t index = found.indices.empty() ? c : found.indices[c];
    found.columns.names.push_back(std::to_string(index + 1));
  }
  return found;
}

/// Refuses a table of all its columns that are far more than the file has bytes.
void check_width(const std::string& path, const TableParams& params, std::int64_t width) {
  constexpr std::int64_t bytes_of_column = 64;
  const std::int64_t most = most_line_bytes(path) / bytes_of_column;
  if (!params.columns.empty() || width <= most) return;
  throw bad_file(
      path,
      "has an index of {}: a table of all columns up to it is read where they are at most "
      "{}, or the bytes of the file; name those to read with --columns, or count the "
      "indices anew",
      width - (params.zero_based ? 1 : 0),
      most);
}

struct UnknownIndices {
  std::int64_t width = 0;   ///< the largest index, from 1
  std::int64_t known = 0;   ///< the model's largest
  std::int64_t values = 0;  ///< beyond it, that are not 0
};

/// Refuses or notes values at indices that a model does not have.
void take_unknown(Context& context,
                  const std::string& path,
                  const TableParams& params,
                  const UnknownIndices& found) {
  const std::int64_t shift = params.zero_based ? 1 : 0;
  if (params.refuses_unknown) {
    throw bad_file(
        path,
        "has indices up to {}, of which the model knows those up to {}; give the table that the "
        "model is for",
        found.width - shift,
        found.known - shift);
  }
  if (!params.notes || found.values == 0) return;
  context.note(fmt::format("{}: {} at indices beyond {}, the model's last, left out",
                           path,
                           counted(found.values, "value"),
                           found.known - shift));
}

/// The label of a line, as the class or the number of a row.
template <class T>
void read_label(const LibsvmLine& line, std::int64_t row, TableFile<T>& file, Names& names) {
  if (!file.codes.empty()) {
    if (const std::string lost = lost_name(line.label()); !lost.empty()) line.fail(lost);
    file.codes[row] = names.number(line.label());
  }
  if (!file.values.empty() &&
      !(whole_number(line.label(), file.values[row]) && std::isfinite(file.values[row]))) {
    line.fail(fmt::format("the label '{}' is no finite number", printable(line.label())));
  }
  if (!file.values.empty()) {
    const std::string lost = lost_number(line.label(), file.values[row], sizeof(double));
    if (!lost.empty()) line.fail(fmt::format("the label: {}", lost));
  }
  if (!file.codes.empty() && is_missing(line.label())) {
    line.fail("the label is missing; every row needs one");
  }
}

/// Rows of one part; absent entries are 0.
template <class T>
TableFile<T> read_part(Context& context,
                       const TableText& text,
                       const TableParams& params,
                       const IndexedColumns& columns,
                       const PiecesOfPart& part) {
  const bool is_whole = part.last - part.first == text.pieces();
  auto file = shaped_table<T>(
      context, columns.columns, part.rows, params, is_whole ? text.bytes(context.threads()) : 0);
  for (std::int64_t f = 0; f < file.table.columns(); ++f) {
    std::fill_n(file.table.column(f), part.rows, T{0});
  }
  std::fill_n(file.weights.data(), file.weights.size(), 0.0);
  std::vector<Names> names(part.last - part.first);
  each_piece(context, text, part.first, part.last, [&](std::int64_t i, std::string_view lines) {
    const auto own = static_cast<std::size_t>(i - part.first);
    each_line<T>(text, lines, part.starts[own], [&](std::int64_t row, LibsvmLine line) {
      read_label(line, row, file, names[own]);
      std::int64_t index = 0;
      double value = 0;
      while (line.next(params.zero_based, index, value)) {
        const std::int64_t place = columns.place(index);
        if (place >= 0) file.table.column(place)[row] = static_cast<T>(value);
        if (index != columns.weight) continue;
        if (!(value >= 0 && value <= std::numeric_limits<double>::max())) {
          line.fail(fmt::format("index {}: expected a weight of 0 or more, got {}",
                                index + (params.zero_based ? 0 : 1),
                                value));
        }
        file.weights[row] = value;
      }
    });
  });
  if (file.codes.empty()) return file;
  file.classes = ordered_names(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto place = places_of(names[i].texts(), file.classes);
    for (std::int64_t row = part.starts[i].row; row < part.starts[i + 1].row; ++row) {
      file.codes[row] = place[file.codes[row]];
    }
  }
  return file;
}

}  // namespace

bool begins_as_libsvm(std::string_view text) {
  const std::string nowhere;
  LibsvmLine line(nowhere, 0, first_entries(text), sizeof(double));
  if (line.label().find(':') != std::string_view::npos) return false;
  std::int64_t entries = 0, index = 0;
  double value = 0;
  try {
    while (line.next(true, index, value)) ++entries;
  } catch (const Error&) {
    return false;
  }
  return entries > 0;
}

template <class T>
void read_libsvm_table(Context& context,
                       const TableText& text,
                       const TableParams& params,
                       std::int64_t bytes,
                       const TakeTable<T>& take) {
  const auto starts = piece_starts(context, text, '#', false);
  const std::int64_t rows = starts.back().row;
  if (rows == 0) throw bad_file(text.path(), "has no rows");
  note_comments(context, text, params, starts.back());
  const std::int64_t known = largest_index(params.known);
  std::vector<std::int64_t> widths(text.pieces(), 0), unknown(text.pieces(), 0),
      groups(text.pieces(), 0);
  each_piece(context, text, [&](std::int64_t i, std::string_view lines) {
    each_line<T>(text, lines, starts[i], [&](std::int64_t, LibsvmLine line) {
      line.check_label();
      std::int64_t index = 0;
      double value = 0;
      while (line.next(params.zero_based, index, value)) {
        widths[i] = std::max(widths[i], index + 1);
        unknown[i] += index >= known && value != 0;
      }
      groups[i] += line.has_group();
    });
  });
  std::int64_t width = *std::max_element(widths.begin(), widths.end());
  if (width == 0) throw bad_file(text.path(), "has labels and no features");
  if (known > 0 && width > known) {
    const auto left_out = std::accumulate(unknown.begin(), unknown.end(), std::int64_t{0});
    take_unknown(context, text.path(), params, {width, known, left_out});
  }
  const auto grouped = std::accumulate(groups.begin(), groups.end(), std::int64_t{0});
  if (params.notes && grouped > 0) {
    context.note(fmt::format("{}: {} with a group (qid:), left out: rows have none here",
                             text.path(),
                             counted(grouped, "row")));
  }
  // A column that no row has is one of zeros.
  const std::int64_t last = std::max(width, largest_index(params.columns));
  if (params.notes && !params.for_model && last > width) {
    context.note(fmt::format(
        "{}: no row has a value in a column beyond {}: those are zeros", text.path(), width));
  }
  check_width(text.path(), params, last);
  IndexedColumns read = named_indices(params, last);
  TableColumns& columns = read.columns;
  TableParams chosen = params;
  if (params.columns.empty() && params.label.empty()) chosen.ignored.push_back("label");
  refuse_ids(text.path(), params);
  use_columns(text.path(), chosen, columns);
  const auto weight = std::ranges::find(columns.uses, ColumnUse::weight);
  if (weight != columns.uses.end()) {
    read.weight =
        number_of<std::int64_t>(columns.names[weight - columns.uses.begin()]).value_or(0) - 1;
  }
  if (columns.label > 0)
    throw bad_file(text.path(), "the label of a libsvm file is called 'label'; give --label label");
  for (std::int64_t first = 0; first < text.pieces();) {
    const PiecesOfPart part = next_part(starts, first, rows_of_part<T>(columns, bytes));
    first = part.last;
    if (part.rows > 0) take(read_part<T>(context, text, params, read, part));
  }
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, read_libsvm_table)

}  // namespace yupana::io
