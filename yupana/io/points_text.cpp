#include "yupana/io/points_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "yupana/core/error.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

constexpr std::string_view blanks = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// False if the field is no number at all.
bool parse(std::string_view field, double& value) {
  if (field.size() > 1 && field[0] == '+') field.remove_prefix(1);
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  return !field.empty() && stop == end && error == std::errc{};
}

/// The fields of a line. Separator 0: runs of blanks.
void split(std::string_view line, char separator, std::vector<std::string_view>& fields) {
  fields.clear();
  if (separator == 0) {
    line = trimmed(line);
    while (!line.empty()) {
      const std::size_t end = std::min(line.find_first_of(blanks), line.size());
      fields.push_back(line.substr(0, end));
      line.remove_prefix(end);
      line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    }
    return;
  }
  while (true) {
    const std::size_t end = line.find(separator);
    fields.push_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
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
      if (separator_ < 0) begin_columns(line);
      split(line, static_cast<char>(separator_), fields_);
      if (first_ && !is_numbers()) {
        names_.assign(fields_.begin(), fields_.end());
        choose_columns();
      } else {
        if (first_) choose_columns();
        add_row();
      }
      first_ = false;
    }
    if (rows_ == 0) throw bad_file(params_.path, "holds no points");
    Matrix<double> points(rows_, static_cast<std::int64_t>(chosen_.size()));
    std::copy(values_.begin(), values_.end(), points.data());
    return points;
  }

 private:
  /// The next line that is neither empty nor a remark.
  bool next(std::string_view& line) {
    while (reader_.next(line)) {
      if ((reader_.number() & 0xfff) == 0) context_.check_cancelled();
      const std::string_view text = trimmed(line);
      if (!text.empty() && text[0] != '#') return true;
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
      throw Error(ErrorCode::usage,
                  fmt::format("{}: columns are chosen of a table; a TSPLIB file is taken whole",
                              params_.path));
    }
    double announced = -1;
    do {
      const std::size_t colon = std::min(line.find(':'), line.size() - 1);
      if (trimmed(line.substr(0, colon)) == "DIMENSION") {
        if (!parse(trimmed(line.substr(colon + 1)), announced)) announced = -1;
      }
      if (trimmed(line) == "NODE_COORD_SECTION") return read_nodes(announced);
    } while (next(line));
    throw bad_file(params_.path, "no NODE_COORD_SECTION: its points have no coordinates");
  }

  void read_nodes(double announced) {
    std::string_view line;
    while (next(line)) {
      split(line, 0, fields_);
      double number = 0;
      if (!parse(fields_[0], number)) break;  // EOF, or the next section
      if (chosen_.empty()) {
        for (std::size_t k = 1; k < fields_.size(); ++k) chosen_.push_back(k);
        width_ = fields_.size();
      }
      add_row();
    }
    if (announced >= 0 && announced != static_cast<double>(rows_)) {
      throw bad_file(params_.path,
                     fmt::format("DIMENSION announces {} nodes, {} have coordinates; copy it again",
                                 announced,
                                 rows_));
    }
  }

  void begin_columns(std::string_view line) {
    separator_ = line.find('\t') != line.npos ? '\t' : (line.find(',') != line.npos ? ',' : 0);
  }
  bool is_numbers() const {
    double value = 0;
    return std::any_of(fields_.begin(), fields_.end(), [&](std::string_view field) {
      return parse(field, value);
    });
  }

  /// From the fields of the first line.
  void choose_columns() {
    width_ = fields_.size();
    for (const std::string& column : params_.columns) {
      const auto named = std::find(names_.begin(), names_.end(), column);
      std::size_t number = 0;
      if (named != names_.end()) {
        number = static_cast<std::size_t>(named - names_.begin()) + 1;
      } else {
        std::from_chars(column.data(), column.data() + column.size(), number);
      }
      if (number < 1 || number > width_) {
        throw bad_file(params_.path,
                       fmt::format("no column '{}': {} columns{}{}",
                                   printable(column),
                                   width_,
                                   names_.empty() ? "" : ": ",
                                   printable(fmt::format("{}", fmt::join(names_, ", ")))));
      }
      chosen_.push_back(number - 1);
    }
    if (!chosen_.empty()) return;
    for (std::size_t k = 0; k < width_; ++k) chosen_.push_back(k);
  }

  void add_row() {
    if (fields_.size() != width_) {
      throw bad_line(params_.path,
                     reader_.number(),
                     fmt::format("{} fields where {} were wanted", fields_.size(), width_));
    }
    for (const std::size_t k : chosen_) {
      double value = 0;
      if (!parse(fields_[k], value) || !std::isfinite(value)) {
        throw bad_line(params_.path,
                       reader_.number(),
                       fmt::format("'{}' where a finite number was wanted", printable(fields_[k])));
      }
      values_.push_back(value);
    }
    ++rows_;
  }

  Context& context_;
  const PointsParams& params_;
  LineReader reader_;
  int separator_ = -1;
  bool first_ = true;
  std::vector<std::string> names_;
  std::vector<std::string_view> fields_;
  std::vector<std::size_t> chosen_;
  std::size_t width_ = 0;
  std::vector<double> values_;
  std::int64_t rows_ = 0;
};

}  // namespace

Matrix<double> read_points_text(Context& context, const PointsParams& params) {
  return TextPoints(context, params).read();
}

}  // namespace yupana::io
