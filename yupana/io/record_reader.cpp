#include "yupana/io/record_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/table.hpp"

namespace yupana::io {
namespace {

constexpr std::size_t bytes_at_a_time = std::size_t{1} << 18;

/// The place after the quote that closes a cell whose content begins at `at`; npos: not closed.
std::size_t after_quote(std::string_view text, std::size_t at) {
  while ((at = text.find('"', at)) != text.npos) {
    if (at + 1 == text.size() || text[at + 1] != '"') return at + 1;
    at += 2;
  }
  return text.npos;
}

/// The first record, as far as quotes alone show it: to the line end before which their number is
/// even, as a cell of names may hold line ends; the first line without its quotes where none is.
std::string first_record(std::string_view text, bool quotes) {
  std::size_t end = text.find('\n');
  if (!quotes) return std::string(text.substr(0, end));
  std::int64_t count = 0;
  for (std::size_t begin = 0;;) {
    const std::string_view line = text.substr(begin, end - begin);
    count += std::ranges::count(line, '"');
    if (count % 2 == 0) return std::string(text.substr(0, end));
    if (end == text.npos) break;
    begin = end;
    end = text.find('\n', begin + 1);
  }
  std::string first(text.substr(0, text.find('\n')));
  std::erase(first, '"');
  return first;
}

}  // namespace

RecordReader::RecordReader(std::string path, char delimiter, bool quotes, std::uint64_t max_bytes)
    : file_(std::move(path)),
      delimiter_(delimiter),
      quotes_(quotes && delimiter != ' '),
      max_bytes_(max_bytes),
      buffer_(2 * bytes_at_a_time) {}

/// Moves the rest to the front of the buffer and reads at least as much after it, so that a long
/// record is looked at few times; false at the end of the file.
bool RecordReader::refill() {
  if (ended_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ > max_bytes_) refuse_row();
  const std::size_t wanted = end_ + std::max(end_, bytes_at_a_time);
  if (buffer_.size() < wanted) buffer_.resize(wanted);
  while (end_ < wanted && !ended_) {
    const auto got = file_.read(buffer_.data() + end_, static_cast<std::int64_t>(wanted - end_));
    end_ += static_cast<std::size_t>(got);
    ended_ = got == 0;
  }
  return true;
}

/// Reads on to the end of the line, which is as much as is known of the row.
void RecordReader::refuse_row() {
  std::string_view text(buffer_.data(), end_);
  std::uint64_t bytes = 0;
  while (!text.empty() && text.find('\n') == text.npos) {
    bytes += text.size();
    const auto got = file_.read(buffer_.data(), std::ssize(buffer_));
    text = {buffer_.data(), static_cast<std::size_t>(got)};
  }
  bytes += std::min(text.find('\n'), text.size());
  throw resource_error(
      "{}:{}: begins a row of at least {} bytes, and an eighth of the memory, {} bytes, may hold "
      "one; give --memory {}, or --no-quotes where a quote is a character",
      path(),
      line_,
      bytes,
      max_bytes_,
      memory_option(8 * static_cast<double>(bytes + 1)));
}

void RecordReader::begin_file() {
  begun_ = true;
  while (std::memchr(buffer_.data(), '\n', end_) == nullptr && refill()) continue;
  const std::string_view text(buffer_.data(), end_);
  check_is_text(path(), text);
  if (text.starts_with("\xef\xbb\xbf")) begin_ = 3;
  if (delimiter_ == '\0') delimiter_ = found_delimiter(first_record(text.substr(begin_), quotes_));
  if (delimiter_ == ' ') quotes_ = false;
}

/// Where the record at the front of `text` ends: at a line end outside quotes, at the end of the
/// file; npos where more text is needed. `cell`: where its first cell begins that may be open.
std::size_t RecordReader::end_of(std::string_view text, std::size_t& cell) const {
  const std::size_t last = ended_ ? text.size() : text.npos;
  const std::size_t line = std::min(text.find('\n', cell), last);
  if (!quotes_ || (line != text.npos && cell == 0 && text.substr(0, line).find('"') == text.npos)) {
    return line;
  }
  const char ends[] = {delimiter_, '\n'};
  for (;;) {
    std::size_t at = cell;
    if (at < text.size() && text[at] == '"') {
      at = after_quote(text, at + 1);
      if (at == text.npos && ended_) {
        throw bad_line(path(),
                       line_,
                       "a cell begins with a quote that nothing closes; close it, or give "
                       "--no-quotes where quotes are characters");
      }
      // A quote at the end of what was read may be the first of two.
      if (at == text.npos || (at == text.size() && !ended_)) return text.npos;
    }
    at = text.find_first_of({ends, 2}, at);
    if (at == text.npos) return last;
    if (text[at] == '\n') return at;
    cell = at + 1;
  }
}

bool RecordReader::next(std::string_view& record) {
  if (!begun_) begin_file();
  line_ = next_line_;
  std::size_t cell = 0;
  for (;;) {
    const std::string_view text(buffer_.data() + begin_, end_ - begin_);
    if (text.empty() && ended_) return false;
    const std::size_t at = end_of(text, cell);
    if (at == text.npos) {
      refill();
      continue;
    }
    next_line_ +=
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    const bool carriage = at > 0 && at < text.size() && text[at - 1] == '\r';
    record = text.substr(0, at - (carriage ? 1 : 0));
    const bool is_cut = at == text.size();
    if (!is_cut || end_of_record_.empty()) end_of_record_ = carriage ? "\r\n" : "\n";
    begin_ += std::min(at + 1, text.size());
    return true;
  }
}

bool RecordReader::cell(std::string_view record, std::int64_t column, std::string_view& text) {
  if (delimiter_ == ' ') {
    do {
      if (split_fields(record, &text, 1) == 0) return false;
      record.remove_prefix(static_cast<std::size_t>(text.data() + text.size() - record.data()));
    } while (column-- > 0);
    return true;
  }
  for (std::size_t begin = 0;; --column) {
    const bool quoted = quotes_ && begin < record.size() && record[begin] == '"';
    const std::size_t from = quoted ? after_quote(record, begin + 1) : begin;
    const std::size_t end = std::min(record.find(delimiter_, from), record.size());
    text = record.substr(begin, end - begin);
    if (column == 0) {
      if (quoted) text = unquoted(text, from - begin);
      return true;
    }
    if (end == record.size()) return false;
    begin = end + 1;
  }
}

/// The text of a quoted cell whose closing quote is before `end`; what follows stays as it is.
std::string_view RecordReader::unquoted(std::string_view cell, std::size_t end) {
  const std::string_view inner = cell.substr(1, end - 2);
  if (end == cell.size() && inner.find('"') == inner.npos) return inner;
  unquoted_.clear();
  for (std::size_t i = 0; i < inner.size(); ++i) {
    unquoted_ += inner[i];
    if (inner[i] == '"') ++i;
  }
  return unquoted_ += cell.substr(end);
}

}  // namespace yupana::io
