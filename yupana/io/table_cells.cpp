#include <algorithm>
#include <cmath>
#include <cstring>

#include "yupana/io/cell.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/table.hpp"
#include "yupana/io/table_parts.hpp"

namespace yupana::io {
namespace {

constexpr std::string_view blanks = " \t\r";

bool is_blank(char c, char delimiter) {
  return c == ' ' || (c == '\t' && delimiter != '\t') || c == '\r';
}

/// A quoted cell that begins at `at`; returns the place after the closing quote, npos without one.
std::size_t quoted_cell(std::string_view line,
                        std::size_t at,
                        Cell& cell,
                        std::vector<std::string>& storage) {
  const std::size_t begin = at + 1;
  std::size_t end = line.find('"', begin);
  bool doubled = false;
  while (end != line.npos && end + 1 < line.size() && line[end + 1] == '"') {
    doubled = true;
    end = line.find('"', end + 2);
  }
  if (end == line.npos) return end;
  cell = {line.substr(begin, end - begin), true};
  if (doubled) {
    std::string text;
    for (std::size_t i = 0; i < cell.text.size(); ++i) {
      text += cell.text[i];
      if (cell.text[i] == '"') ++i;
    }
    storage.push_back(std::move(text));
    cell.text = storage.back();
  }
  return end + 1;
}

}  // namespace

char found_delimiter(std::string_view line) {
  char best = ' ';
  std::int64_t most = 0;
  for (const char c : {',', '\t', ';', '|'}) {
    bool quoted = false;
    std::int64_t count = 0;
    for (const char x : line) {
      quoted ^= x == '"';
      count += x == c && !quoted;
    }
    if (count > most) {
      most = count;
      best = c;
    }
  }
  return best;
}

bool split_cells(std::string_view line,
                 char delimiter,
                 std::vector<Cell>& cells,
                 std::vector<std::string>& storage) {
  cells.clear();
  storage.clear();
  // Views into the strings must survive the next ones.
  storage.reserve(line.size() / 2);
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && is_blank(line[at], delimiter)) ++at;
    if (delimiter == ' ' && at == line.size()) return true;
    Cell cell;
    if (at < line.size() && line[at] == '"') {
      at = quoted_cell(line, at, cell, storage);
      if (at == line.npos) return false;
      if (delimiter != ' ') {
        while (at < line.size() && is_blank(line[at], delimiter)) ++at;
      }
      const bool ends = at == line.size() || line[at] == delimiter ||
                        (delimiter == ' ' && is_blank(line[at], delimiter));
      if (!ends) return false;
    } else {
      const std::size_t end =
          std::min(line.size(),
                   delimiter == ' ' ? line.find_first_of(blanks, at) : line.find(delimiter, at));
      cell.text = trimmed(line.substr(at, end - at), blanks);
      at = end;
    }
    cells.push_back(cell);
    if (at == line.size()) return true;
    ++at;
  }
}

std::string excel_line(std::string_view line) {
  const std::string_view text = trimmed(line);
  if (!text.starts_with("sep=") || text.size() > 5) return {};
  return fmt::format("'{}' names the delimiter to Excel alone; take the line out", printable(text));
}

bool has_decimal_comma(std::string_view cell) {
  const std::size_t comma = cell.find(',');
  double value = 0;
  if (comma == cell.npos || cell.find('.') != cell.npos) return false;
  // "1," is a number and an empty cell.
  if (!begins_as_number(cell.substr(comma + 1))) return false;
  std::string text(cell);
  text[comma] = '.';
  return whole_number(text, value);
}

std::string decimal_comma_advice(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t;"), text.size());
    if (has_decimal_comma(text.substr(0, end))) {
      return "; numbers have a decimal point: write 1.5 for 1,5 (tr , .)";
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

const char* leave_out(const TableColumns& columns, ColumnUse use) {
  const bool is_feature = use == ColumnUse::number || use == ColumnUse::category;
  if (!is_feature || columns.for_model) return "leave the row out";
  return columns.chosen ? "leave the column out of --columns"
                        : "leave the column out with --ignore";
}

std::string beyond_range(std::string_view number, std::size_t bytes, std::string_view leave_out) {
  return fmt::format("{} is beyond the range of float{}; scale the column, or {}",
                     printable(number),
                     8 * bytes,
                     leave_out);
}

std::string lost_number(std::string_view cell,
                        double value,
                        std::size_t bytes,
                        std::string_view leave_out) {
  const bool overflows = bytes == 4 ? std::isinf(static_cast<float>(value)) : std::isinf(value);
  // The words inf and infinity are infinite themselves.
  if (overflows && cell.find_first_of("0123456789") != cell.npos) {
    return beyond_range(cell, bytes, leave_out);
  }
  const bool vanishes = bytes == 4 ? static_cast<float>(value) == 0 : value == 0;
  const std::string_view digits = cell.substr(0, cell.find_first_of("eE"));
  if (vanishes && digits.find_first_of("123456789") != digits.npos) {
    return beyond_range(cell, bytes, leave_out);
  }
  if (bytes < 8 || !is_rounded_integer(cell, value)) return {};
  return fmt::format(
      "{0} is an integer beyond 2^53 and between two doubles; write {0}.0 if it may be rounded, or "
      "{1}",
      printable(cell),
      leave_out);
}

std::string lost_name(std::string_view name) {
  if (!is_utf8(name)) {
    return fmt::format(
        "the name '{}' is not UTF-8; convert the file first (iconv -f LATIN1 -t UTF-8)",
        printable(name));
  }
  if (name.find('\0') == name.npos) return {};
  return fmt::format("the name '{}' has a NUL byte; is the file damaged?", printable(name));
}

bool is_comment(std::string_view line, char comment) {
  return !line.empty() && comment != '\0' && line[0] == comment;
}

bool is_skipped_line(std::string_view line, char comment) {
  return is_comment(line, comment) || line.find_first_not_of(blanks) == line.npos;
}

TableText::TableText(const std::string& path, std::uint64_t most, const std::string& scratch)
    : file_(path) {
  size_ = file_.size();
  if (is_packed(file_)) {
    text_ = read_text(file_, most, scratch);
    size_ = text_.size() - 1;
  }
  std::string head(std::min<std::int64_t>(size_, 1 << 16), '\0');
  if (size_ > 0) read(0, head.data(), std::ssize(head));
  check_is_text(path, head);
  if (head.starts_with("\xef\xbb\xbf")) {
    begin_ = 3;
    size_ -= 3;
  }
  // The last line's end, which a file may lack, takes the place of the zero after the text.
  if (!text_.empty() && size_ > 0 && text_[begin_ + size_ - 1] != '\n') {
    text_[begin_ + size_++] = '\n';
  }
}

void TableText::read(std::int64_t offset, char* to, std::int64_t bytes) const {
  if (text_.empty()) {
    file_.read_at(begin_ + offset, to, bytes);
  } else {
    std::memcpy(to, text_.data() + begin_ + offset, bytes);
  }
}

/// The same as piece() of a text that is in memory: where it lies.
std::string_view TableText::piece_in_memory(std::int64_t i) const {
  const std::string_view text(text_.data() + begin_, size_);
  const auto from = static_cast<std::size_t>(i * piece_bytes);
  const std::size_t to = std::min(text.size(), from + static_cast<std::size_t>(piece_bytes));
  const std::size_t begin = i > 0 ? text.find('\n', from - 1) + 1 : 0;
  if (begin >= to) return {};
  return text.substr(begin, text.find('\n', to - 1) + 1 - begin);
}

std::string_view TableText::piece(std::int64_t i, Array<char>& buffer) const {
  if (!text_.empty()) return piece_in_memory(i);
  const std::int64_t from = i * piece_bytes;
  const std::int64_t to = std::min(size_, from + piece_bytes);
  // The byte before shows whether a line begins here.
  const std::int64_t before = i > 0 ? 1 : 0;
  std::int64_t filled = to - from + before;
  constexpr std::int64_t step = std::int64_t{1} << 16;
  const std::int64_t wanted = filled + std::min(step, size_ - to) + 3;
  if (buffer.size() < wanted) buffer = Array<char>(wanted);
  read(from - before, buffer.data(), filled);

  const auto line_end = [&](std::int64_t at) {
    const void* found = std::memchr(buffer.data() + at, '\n', filled - at);
    return found == nullptr ? -1 : static_cast<const char*>(found) - buffer.data();
  };
  std::int64_t begin = 0;
  if (before > 0) {
    begin = line_end(0) + 1;
    // No line begins in this piece, if its only line end is not followed by one of its bytes.
    if (begin == 0 || begin == filled) return {};
  }
  // The last line may continue after this piece.
  std::int64_t scanned = filled - 1;
  while (line_end(scanned) < 0) {
    const std::int64_t more = std::min(step, size_ - (from - before) - filled);
    if (more == 0) {
      buffer[filled++] = '\n';
      break;
    }
    if (buffer.size() < filled + more + 2) {
      Array<char> larger(2 * (filled + more));
      std::memcpy(larger.data(), buffer.data(), filled);
      buffer = std::move(larger);
    }
    read(from - before + filled, buffer.data() + filled, more);
    scanned = filled;
    filled += more;
  }
  const std::int64_t end = line_end(scanned < filled ? scanned : filled - 1);
  filled = end + 1;
  return {buffer.data() + begin, static_cast<std::size_t>(filled - begin)};
}

}  // namespace yupana::io
