#include "yupana/io/table_text.hpp"

#include <algorithm>
#include <cstring>

#include "yupana/io/text_stream.hpp"

namespace yupana::io {

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
