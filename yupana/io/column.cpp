#include "yupana/io/column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "yupana/io/number_text.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

constexpr std::int64_t head_bytes = 64 << 10;  // what npy_layout asks for

template <class T>
void swap_bytes(T* values, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    char* bytes = reinterpret_cast<char*>(values + i);
    std::reverse(bytes, bytes + sizeof(T));
  }
}

/// The name of a number that a text of this type holds on each line.
const char* words_of(NumberType type) {
  if (type.kind == 'f') return "number";
  return type.kind == 'i' ? "whole number (i8)" : "whole number from 0 (u8)";
}

}  // namespace

ColumnReader::ColumnReader(std::string path, NumberType text_type)
    : path_(std::move(path)), type_(text_type), file_(path_) {
  std::string head(static_cast<std::size_t>(std::min(file_.size(), head_bytes)), '\0');
  file_.read_at(0, head.data(), head.size());
  if (is_npy(head)) {
    open_npy(head);
  } else {
    lines_ = std::make_unique<LineReader>(path_);
  }
}

void ColumnReader::open_npy(std::string_view head) {
  const NpyLayout layout = npy_layout(path_, head);
  const bool is_float = layout.kind == 'f' && layout.width >= 4;
  const bool is_integer = layout.kind == 'i' || layout.kind == 'u';
  const bool plain =
      layout.width == 1 || layout.width == 2 || layout.width == 4 || layout.width == 8;
  if (!plain || !(is_float || is_integer)) {
    throw bad_file(path_,
                   fmt::format(".npy holds values of type {}{}; wanted integers, float32 or "
                               "float64",
                               layout.kind,
                               layout.width));
  }
  const bool one = layout.shape.size() == 1 || (layout.shape.size() == 2 && layout.shape[1] == 1);
  if (!one) {
    throw bad_file(
        path_,
        fmt::format(".npy has {} dimensions; wanted one column of numbers", layout.shape.size()));
  }
  type_ = {layout.kind, layout.width};
  swapped_ = layout.swapped;
  data_ = layout.data;
  const std::int64_t bytes = file_.size() - data_;
  if (layout.shape[0] != bytes / type_.width || bytes % type_.width != 0) {
    throw bad_file(path_,
                   fmt::format(".npy announces {} values of {} bytes, the file holds {} bytes of "
                               "them; copy it again",
                               layout.shape[0],
                               type_.width,
                               bytes));
  }
  size_ = layout.shape[0];
}

template <class T>
std::int64_t ColumnReader::read_text(T* to, std::int64_t n) {
  std::int64_t count = 0;
  std::string_view line;
  while (count < n && lines_->next(line)) {
    if (without_numbers_.passed_over(*lines_, line)) continue;
    std::string_view field;
    std::string_view fields[2];
    const std::size_t parts = split_fields(line, fields, 2);
    if (parts == 1) field = fields[0];
    if (field.size() > 1 && field[0] == '+') field.remove_prefix(1);
    const char* end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, to[count]);
    if (stop == end && error == std::errc::result_out_of_range) {
      throw bad_line(
          path_,
          lines_->number(),
          fmt::format("'{}' is beyond what type {} holds", printable(field), type_.name()));
    }
    if (field.empty() || stop != end || error != std::errc{}) {
      throw bad_line(
          path_,
          lines_->number(),
          fmt::format("expected one {} a line, got '{}'", words_of(type_), printable(line)));
    }
    if constexpr (std::is_same_v<T, double>) {
      if (is_rounded_integer(field, to[count])) {
        throw bad_line(
            path_,
            lines_->number(),
            fmt::format("'{}' is an integer that f8 rounds to {:.0f}; read it as i8 or u8, or "
                        "write it with a point if it may be rounded",
                        printable(field),
                        to[count]));
      }
    }
    ++count;
  }
  return count;
}

std::int64_t ColumnReader::read(void* to, std::int64_t n) {
  return with_number_type(type_, [&](auto value) -> std::int64_t {
    using T = decltype(value);
    T* values = static_cast<T*>(to);
    if (lines_) return read_text(values, n);
    n = std::min(n, *size_ - done_);
    const auto bytes = static_cast<std::int64_t>(sizeof(T));
    file_.read_at(data_ + done_ * bytes, values, static_cast<std::size_t>(n * bytes));
    if (swapped_) swap_bytes(values, n);
    done_ += n;
    return n;
  });
}

ColumnWriter::ColumnWriter(AtomicFile& file, NumberType type)
    : file_(file), type_(type), npy_(file.path().ends_with(".npy")) {
  if (npy_) header_ = static_cast<std::int64_t>(preamble().size());
}

std::string ColumnWriter::preamble() const {
  return npy_preamble((type_.width == 1 ? "|" : "<") + type_.name(), size_);
}

void ColumnWriter::write(const void* values, std::int64_t n) {
  const std::int64_t before = size_;
  size_ += n;
  if (npy_) {
    // By place throughout: a header written last must not meet one still in the stream's buffer.
    file_.write_at(
        header_ + before * type_.width, values, static_cast<std::size_t>(n * type_.width));
    return;
  }
  with_number_type(type_, [&](auto value) {
    using T = decltype(value);
    std::string text;
    for (std::int64_t i = 0; i < n; ++i) {
      char number[number_text_bytes];
      const T here = static_cast<const T*>(values)[i];
      char* end = nullptr;
      if constexpr (std::is_same_v<T, double>) {
        end = write_shortest(here, number);
      } else {
        end = std::to_chars(number, number + sizeof(number), here).ptr;
      }
      text.append(number, static_cast<std::size_t>(end - number));
      text += '\n';
      if (text.size() < (1 << 20)) continue;
      file_.write(text);
      text.clear();
    }
    file_.write(text);
  });
}

void ColumnWriter::finish() {
  if (!npy_) return;
  const std::string head = preamble();
  file_.write_at(0, head.data(), head.size());
}

}  // namespace yupana::io
