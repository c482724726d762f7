#include "yupana/io/points.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/table.hpp"

namespace yupana::io {
namespace {

/// Of the distances that TSPLIB knows, those that are Euclidean, rounded or not: their dimensions;
/// 0 of others.
std::size_t euclidean_dimensions(std::string_view edge_weights) {
  if (edge_weights == "EUC_2D" || edge_weights == "CEIL_2D") return 2;
  return edge_weights == "EUC_3D" ? 3 : 0;
}

/// Columns first, first + 1, ..., last, from 1.
struct NumberRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// "3" or "3-5"; nothing for any other text.
std::optional<NumberRange> number_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = number_of<std::size_t>(text.substr(0, dash));
  const auto last = dash == text.npos ? first : number_of<std::size_t>(text.substr(dash + 1));
  if (!first || !last || *first == 0 || *last < *first) return {};
  return NumberRange{*first, *last};
}

Error no_column(const std::string& column) {
  return usage_error("--columns: expected names, numbers from 1 or ranges like 1-2, got '{}'",
                     printable(column));
}

Error second_time(const std::string& column, const std::string& number) {
  return usage_error(
      "--columns: '{}' names column {} a second time; leave it out", printable(column), number);
}

/// Throws usage for what no header can make right: a line with a number in it is none, so that a
/// number is no name.
void check_columns(const std::vector<std::string>& columns) {
  std::set<double> numbers;
  for (const std::string& column : columns) {
    double number = 0;
    const bool is_number = !column.empty() && whole_number(column, number);
    if (column.empty() || (is_number && !number_range(column))) throw no_column(column);
    if (is_number && !numbers.insert(number).second) throw second_time(column, column);
  }
}

/// Throws unless reading, which holds `reading` bytes, and the work on the points fit in memory.
template <class T>
void check_memory(const Context& context,
                  const PointsParams& params,
                  std::int64_t rows,
                  std::int64_t cols,
                  std::uint64_t reading) {
  const std::uint64_t work = params.work ? params.work(rows, cols, sizeof(T)) : 0;
  if (std::max(reading, work) <= context.memory()) return;
  const std::uint64_t other = params.work_on_other ? params.work_on_other() : 0;
  const auto bytes = static_cast<double>(std::max(reading, work + other));
  throw resource_error("{}: {}{} need {} of memory, and {} are allowed; give --memory {}{}",
                       params.path,
                       counted(rows, "point"),
                       params.work_on_other ? " with those of " + params.other : "",
                       needed_bytes(bytes),
                       allowed_bytes(context.memory()),
                       memory_option(bytes),
                       params.left_out);
}

class TextPoints {
 public:
  TextPoints(Context& context, const PointsParams& params)
      : context_(context), params_(params), reader_(params.path) {}

  Matrix<double> read() {
    std::string_view line;
    while (next(line)) {
      if (is_tsplib(line)) {
        read_tsplib(line);
        break;
      }
      if (first_) delimiter_ = found_delimiter(line);
      if (const std::string wrong = first_ ? excel_line(line) : std::string(); !wrong.empty()) {
        throw reader_.fault("{}", wrong);
      }
      split(line);
      if (first_ && !is_numbers()) {
        for (const Cell& cell : cells_) names_.emplace_back(cell.text);
        note_odd_names();
        choose_columns();
      } else {
        if (first_) {
          find_names_in_comment();
          choose_columns();
        }
        add_row(line);
      }
      first_ = false;
    }
    if (rows_ == 0) throw bad_file(params_.path, "holds no points");
    if (comments_ > 0) context_.note(comments_note(params_.path, comments_));
    const std::int64_t cols = std::ssize(chosen_);
    check_memory<double>(context_, params_, rows_, cols, text_bytes(rows_));
    Matrix<double> points(rows_, cols);
    std::copy(values_.begin(), values_.end(), points.data());
    return points;
  }

 private:
  /// Bytes that reading holds: a vector that grows, or it and the points.
  std::uint64_t text_bytes(std::int64_t rows) const {
    return 3 * sizeof(double) * chosen_.size() * static_cast<std::uint64_t>(rows);
  }

  /// The next line that is neither empty nor a remark.
  bool next(std::string_view& line) {
    while (reader_.next(line)) {
      if ((reader_.number() & 0xfff) == 0) context_.check_cancelled();
      if (is_skipped_line(line, '\0')) continue;
      if (trimmed(line)[0] != '#') return true;
      if (first_) last_comment_ = trimmed(line).substr(1);
      ++comments_;
    }
    return false;
  }

  bool is_tsplib(std::string_view line) const {
    if (!first_) return false;
    const std::string_view key = trimmed(line.substr(0, line.find(':')));
    return line.find(':') != line.npos && (key == "NAME" || key == "TYPE" || key == "COMMENT" ||
                                           key == "DIMENSION" || key == "EDGE_WEIGHT_TYPE");
  }

  void read_tsplib(std::string_view line) {
    if (!params_.columns.empty()) {
      throw usage_error("{}: columns are chosen of a table; a TSPLIB file is taken whole",
                        params_.path);
    }
    double announced = -1;
    do {
      const std::size_t colon = std::min(line.find(':'), line.size() - 1);
      if (trimmed(line.substr(0, colon)) == "DIMENSION") {
        if (!whole_number(trimmed(line.substr(colon + 1)), announced)) announced = -1;
      }
      if (trimmed(line.substr(0, colon)) == "EDGE_WEIGHT_TYPE") {
        check_euclidean(trimmed(line.substr(colon + 1)));
      }
      if (trimmed(line) == "NODE_COORD_SECTION") {
        if (!explicit_) return read_nodes(announced);
        throw bad_file(params_.path,
                       "gives its distances one by one (EDGE_WEIGHT_TYPE EXPLICIT); its "
                       "coordinates are for pictures, and no distances follow from them");
      }
    } while (next(line));
    throw bad_file(params_.path, "no NODE_COORD_SECTION: its points have no coordinates");
  }

  /// A file of EXPLICIT weights mostly has no coordinates, which is found later.
  void check_euclidean(std::string_view edge_weights) {
    explicit_ = edge_weights == "EXPLICIT";
    dimensions_ = euclidean_dimensions(edge_weights);
    if (dimensions_ > 0 || explicit_) return;
    throw reader_.fault(
        "expected Euclidean distances (EUC_2D, EUC_3D, CEIL_2D), got EDGE_WEIGHT_TYPE "
        "{}; project its nodes to a plane first",
        printable(edge_weights));
  }

  void read_nodes(double announced) {
    std::string_view line;
    while (next(line)) {
      split(line);
      double number = 0;
      if (!whole_number(cells_[0].text, number)) break;  // EOF, or the next section
      if (chosen_.empty()) {
        if (cells_.size() == 1) {
          throw reader_.fault("expected a node and its coordinates, got '{}' alone",
                              printable(cells_[0].text));
        }
        for (std::size_t k = 1; k < cells_.size(); ++k) chosen_.push_back(k);
        width_ = cells_.size();
        if (dimensions_ > 0 && dimensions_ + 1 != width_) {
          throw reader_.fault(
              "expected {} coordinates, as EDGE_WEIGHT_TYPE says, got {}", dimensions_, width_ - 1);
        }
      }
      add_row(line);
    }
    if (announced >= 0 && announced != static_cast<double>(rows_)) {
      throw bad_file(params_.path,
                     "DIMENSION announces {} nodes, {} have coordinates; copy it again",
                     announced,
                     rows_);
    }
  }

  void split(std::string_view line) {
    if (split_cells(line, delimiter_, cells_, unquoted_)) return;
    throw reader_.fault("a quoted cell must end on its line, before a delimiter");
  }
  bool is_numbers() const {
    double value = 0;
    return std::any_of(cells_.begin(), cells_.end(), [&](const Cell& cell) {
      return whole_number(cell.text, value);
    });
  }

  /// Takes a comment before the points ("#x,y") as their names, where --columns has one of them.
  void find_names_in_comment() {
    std::vector<Cell> cells;
    std::vector<std::string> storage;
    if (!split_cells(last_comment_, delimiter_, cells, storage) || cells.size() != cells_.size()) {
      return;
    }
    const bool is_named = std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) {
      const auto& columns = params_.columns;
      return std::find(columns.begin(), columns.end(), cell.text) != columns.end();
    });
    if (!is_named) return;
    for (const Cell& cell : cells) names_.emplace_back(cell.text);
    --comments_;
  }

  void note_odd_names() const {
    if (!std::all_of(names_.begin(), names_.end(), begins_as_number)) return;
    context_.note(fmt::format(
        "{}: line {} is taken as names, but '{}' begins as a number; correct it if it is a point",
        params_.path,
        reader_.number(),
        printable(names_[0])));
  }

  /// From the cells of the first line.
  void choose_columns() {
    width_ = cells_.size();
    for (const std::string& column : params_.columns) {
      const auto named = std::find(names_.begin(), names_.end(), column);
      const auto place = static_cast<std::size_t>(named - names_.begin());
      if (named != names_.end() && std::find(named + 1, names_.end(), column) != names_.end()) {
        throw bad_file(params_.path,
                       "has several columns '{}'; choose by number, counted from 1",
                       printable(column));
      }
      const NumberRange range =
          named != names_.end() ? NumberRange{place + 1, place + 1} : numbers_of(column);
      for (std::size_t number = range.first; number <= range.last; ++number) {
        choose(number - 1, column);
      }
    }
    if (!chosen_.empty()) return;
    for (std::size_t k = 0; k < width_; ++k) chosen_.push_back(k);
  }

  NumberRange numbers_of(const std::string& column) const {
    const NumberRange range = number_range(column).value_or(NumberRange{0, 0});
    // Text with a digit at its beginning is a number gone wrong rather than a name.
    if (range.first == 0 && column[0] >= '0' && column[0] <= '9') throw no_column(column);
    if (range.first == 0 || range.last > width_) {
      throw bad_file(params_.path,
                     "no column '{}': {}{}{}",
                     printable(column),
                     counted(static_cast<std::int64_t>(width_), "column"),
                     names_.empty() ? "" : ": ",
                     printable(joined(names_, ", ")));
    }
    return range;
  }

  void choose(std::size_t k, const std::string& column) {
    if (std::find(chosen_.begin(), chosen_.end(), k) != chosen_.end()) {
      throw second_time(column, std::to_string(k + 1));
    }
    chosen_.push_back(k);
  }

  /// Refuses what reads as another number: zero for a tiny one, a rounded integer.
  void check_kept(std::string_view cell, double value) const {
    if (value != 0 && std::fabs(value) < 0x1p53) return;
    double same = 0;
    const Field field = read_field(cell, same);
    if (value == 0 && field == Field::too_large) {
      throw reader_.fault("'{}' is beyond what a double holds; write 0 if it is meant",
                          printable(cell));
    }
    if (value != 0 && field == Field::rounded) {
      throw reader_.fault(
          "'{}' is an integer between two doubles; write {:.0f} if it may be rounded",
          printable(cell),
          value);
    }
  }

  void add_row(std::string_view line) {
    if (cells_.size() != width_) {
      throw reader_.fault("expected {} fields, got {}", width_, cells_.size());
    }
    const bool fits = text_bytes(rows_ + 1) <= context_.memory();
    if (!fits) values_ = {};  // the others are read to be counted
    for (const std::size_t k : chosen_) {
      double value = 0;
      const bool is_number = whole_number(cells_[k].text, value);
      if (!is_number || !std::isfinite(value)) {
        std::string advice = decimal_comma_advice(line);
        if (is_number || is_missing(cells_[k].text)) {
          advice = "; leave the row out";
          if (params_.columns.empty()) advice += ", or choose the columns with --columns";
        } else if (advice.empty() && params_.columns.empty()) {
          advice = "; choose the columns of coordinates with --columns";
        }
        throw reader_.fault(
            "expected a finite number, got '{}'{}", printable(cells_[k].text), advice);
      }
      if (double same = 0; value == 0 && read_field(cells_[k].text, same) == Field::too_large) {
        throw reader_.fault("'{}' is beyond what a double holds; write 0 if it is meant",
                            printable(cells_[k].text));
      }
      check_kept(cells_[k].text, value);
      if (fits) values_.push_back(value);
    }
    ++rows_;
  }

  Context& context_;
  const PointsParams& params_;
  LineReader reader_;
  char delimiter_ = ' ';
  bool first_ = true;
  bool explicit_ = false;       ///< a TSPLIB file's weights
  std::size_t dimensions_ = 0;  ///< by these; 0: any
  std::string last_comment_;    ///< before the first row
  std::vector<std::string> names_;
  std::vector<Cell> cells_;
  std::vector<std::string> unquoted_;  ///< cells with doubled quotes
  std::vector<std::size_t> chosen_;
  std::size_t width_ = 0;
  std::vector<double> values_;
  std::int64_t rows_ = 0;
  std::int64_t comments_ = 0;
};

template <class T>
Matrix<T> read_npy(Context& context, const PointsParams& params, const NpyFile& npy) {
  const auto numbers = static_cast<std::uint64_t>(npy.rows() * npy.cols());
  check_memory<T>(context, params, npy.rows(), npy.cols(), numbers * sizeof(T));
  Matrix<T> points(npy.rows(), npy.cols());
  npy.read_rows(context, points.data());
  return points;
}

}  // namespace

Points read_points(Context& context, const PointsParams& params) {
  check_columns(params.columns);
  const InputFile file(params.path);
  Stage stage(context, "read " + params.path, static_cast<double>(file.size()), "bytes");
  Points points;
  if (!is_npy(file)) {
    points = TextPoints(context, params).read();
  } else {
    if (!params.columns.empty()) {
      throw usage_error(
          "--columns: {} is a .npy, which is taken whole; save the chosen columns in one, or as "
          "text",
          params.path);
    }
    const NpyFile npy(file,
                      {.shape = "points in rows (n x d)",
                       .min_dimensions = 1,
                       .with_bool = true,
                       .with_half = true});
    if (npy.is_single()) {
      points = read_npy<float>(context, params, npy);
    } else {
      points = read_npy<double>(context, params, npy);
    }
  }
  stage.advance(static_cast<double>(file.size()));
  return points;
}

}  // namespace yupana::io
