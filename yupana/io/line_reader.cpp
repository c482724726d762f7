#include "yupana/io/line_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "yupana/core/error.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::io {
namespace {

/// Bytes to read at a time: 256 KiB, or what a small file has. (A list of samples then costs
/// microseconds instead of a megabyte of fresh memory.)
std::size_t piece_of(const std::string& path) {
  constexpr std::uintmax_t least = std::uintmax_t{1} << 12, most = std::uintmax_t{1} << 18;
  std::error_code unknown;  // no regular file
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  return static_cast<std::size_t>(unknown ? most : std::clamp(size, least, most));
}

}  // namespace

LineReader::LineReader(std::string path, std::int64_t of_pipe)
    : file_(std::move(path)), piece_(piece_of(file_.path())), of_pipe_(of_pipe), buffer_(piece_) {}

/// Refuses a line that fills the buffer where it is no text, or longer than any line may be.
void LineReader::check_long_line() const {
  const std::string_view line(buffer_.data(), end_);
  if (number_ == 0) check_is_text(path(), line);
  if (buffer_.size() == piece_ && line.find('\0') != line.npos) {
    throw bad_line(path(), number_ + 1, "expected text, got a NUL byte; is the file damaged?");
  }
  constexpr std::size_t small = std::size_t{64} << 20;
  if (buffer_.size() <= small || std::ssize(buffer_) <= most_line_bytes(path(), of_pipe_)) return;
  throw bad_line(path(),
                 number_ + 1,
                 "has more than {} bytes in a line; is it text, and was it compressed to be "
                 "unpacked?",
                 end_);
}

/// Moves the rest to the front of the buffer and reads on after it; false at the end of the file.
bool LineReader::refill() {
  if (ended_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() - end_ < piece_) {
    check_long_line();
    buffer_.resize(2 * buffer_.size());
  }
  const auto got = file_.read(buffer_.data() + end_, static_cast<std::int64_t>(piece_));
  end_ += static_cast<std::size_t>(got);
  ended_ = got == 0;
  return !ended_;
}

/// Other programs' files that are no text get a line of their own; a byte order mark is not part of
/// the text.
void LineReader::check_beginning(std::string_view& line) const {
  const auto buffered = static_cast<std::size_t>(buffer_.data() + end_ - line.data());
  check_is_text(path(), {line.data(), buffered});
  if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
}

bool LineReader::next(std::string_view& line) {
  std::size_t scanned = begin_;
  for (;;) {
    const void* found = std::memchr(buffer_.data() + scanned, '\n', end_ - scanned);
    if (found != nullptr) {
      const std::size_t at =
          static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      line = {buffer_.data() + begin_, at - begin_};
      begin_ = at + 1;
      break;
    }
    const std::size_t rest = end_ - begin_;
    if (refill()) {
      scanned = rest;
      continue;
    }
    if (rest == 0) return false;
    line = {buffer_.data() + begin_, rest};
    begin_ = end_;
    break;
  }
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (++number_ == 1) check_beginning(line);
  return true;
}

std::string comments_note(const std::string& path, std::int64_t count, char comment) {
  return fmt::format(
      "{}: {} with {} at the front, left out as comments", path, counted(count, "line"), comment);
}

bool LinesWithoutNumbers::passed_over(const LineReader& reader, std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == line.npos) {
    if (blank_ == 0) blank_ = reader.number();
    return true;
  }
  if (line[begin] == '#') {
    ++comments_;
    return true;
  }
  if (blank_ == 0) return false;
  throw bad_line(reader.path(),
                 blank_,
                 "expected a number, got ''; take the line out, or write what is missing: nan "
                 "where the numbers are floats");
}

}  // namespace yupana::io
