#include "yupana/io/column.hpp"

#include <algorithm>
#include <utility>

#include "yupana/io/cell.hpp"
#include "yupana/io/number_text.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/table.hpp"

namespace yupana::io {
namespace {

/// The name of a number that a text of this type holds on each line.
const char* type_words(NumberType type) {
  if (type.kind == 'f') return "number";
  return type.kind == 'i' ? "whole number (i8)" : "whole number from 0 (u8)";
}

/// How to read an integer as the type that holds it, and more that may be done; else nothing.
std::string exact_type(std::string_view integer, const TypeAdvice& advice) {
  const char* as = number_of<std::int64_t>(integer)    ? advice.as_i8
                   : number_of<std::uint64_t>(integer) ? advice.as_u8
                                                       : "";
  return *as == 0 ? "" : fmt::format("{}, or ", as);
}

/// What to do about a number that the type does not hold.
std::string what_holds(NumberType type, std::string_view number, const TypeAdvice& advice) {
  if (type.kind == 'f') return "write inf, or 0 of a tiny number, if it is meant";
  return fmt::format("{}write it with a point and {} if it may be rounded",
                     exact_type(number, advice),
                     advice.as_f8);
}

/// What to do about a line that is no number, or none of the type.
std::string advice_on(std::string_view line,
                      std::int64_t number,
                      NumberType type,
                      const TypeAdvice& advice) {
  if (type.kind != 'f' && number_of<double>(trimmed(line))) {
    const bool is_whole = number_of<std::int64_t>(trimmed(line)).has_value();
    return fmt::format("; {}", is_whole ? advice.as_i8 : advice.as_f8);
  }
  if (has_decimal_comma(trimmed(line))) {
    return "; write a decimal comma as a point (tr , .), or keep one of two columns (cut -d, -f1)";
  }
  if (trimmed(line).find_first_of(" \t,;") != line.npos) return "; keep one column (cut)";
  if (io::is_missing(trimmed(line)))
    return "; write nan for a missing number, or leave its line out";
  if (begins_as_number(trimmed(line))) return "; write all of it in decimal digits";
  return number == 1 ? "; leave a line of names out (tail -n +2)" : "";
}

}  // namespace

ColumnReader::ColumnReader(std::string path, NumberType text_type, const TypeAdvice& advice)
    : file_(std::move(path)), type_(text_type), advice_(advice) {
  if (is_npy(file_)) {
    npy_.emplace(file_,
                 NpyKinds{.shape = "one column of numbers",
                          .min_dimensions = 1,
                          .is_column = true,
                          .with_bool = true,
                          .with_half = true});
    type_ = npy_->is_single() ? number_type<float>() : npy_->type();
  } else if (file_.size() == 0 && is_npy_name(file_.path())) {
    throw bad_file(file_.path(), "expected a .npy, got an empty file; copy it again");
  } else {
    lines_ = std::make_unique<LineReader>(file_.path());
  }
}

std::optional<std::int64_t> ColumnReader::size() const {
  return npy_ ? std::optional(npy_->count()) : std::nullopt;
}

std::int64_t ColumnReader::size_bound() const {
  // A number and its end of a line take two bytes.
  // Deflate packs at most 1032 bytes into one, Zstandard a block of 128 KiB into four.
  const std::int64_t most = is_gzip(file_) ? 1032 : is_packed(file_) ? 32768 : 1;
  return npy_ ? npy_->count() : file_.size() * most / 2 + 2;
}

template <class T>
std::int64_t ColumnReader::read_text(T* to, std::int64_t n) {
  std::int64_t count = 0;
  for (std::string_view line; count < n && lines_->next(line);) {
    if (without_numbers_.passed_over(*lines_, line)) continue;
    std::string_view fields[2];
    const bool is_one = split_fields(line, fields, 2) == 1;
    const Field field = is_one ? read_field(fields[0], to[count]) : Field::no_number;
    if (field == Field::too_large) {
      throw lines_->fault("'{}' is beyond what type {} holds; {}",
                          printable(fields[0]),
                          type().name(),
                          what_holds(type(), fields[0], advice_));
    }
    if (field == Field::no_number) {
      throw lines_->fault("expected one {} a line, got '{}'{}",
                          type_words(type()),
                          printable(line),
                          advice_on(line, lines_->number(), type(), advice_));
    }
    if (field == Field::rounded) {
      throw lines_->fault(
          "'{}' is an integer that f8 rounds to {:.0f}; {}write it with a point if it "
          "may be rounded",
          printable(fields[0]),
          static_cast<double>(to[count]),
          exact_type(fields[0], advice_));
    }
    ++count;
  }
  return count;
}

std::int64_t ColumnReader::read(void* to, std::int64_t n) {
  return with_number_type(type(), [&](auto zero) {
    if (lines_) return read_text(static_cast<decltype(zero)*>(to), n);
    n = std::min(n, npy_->count() - done_);
    with_file_type(npy_->type(), [&](auto own) {
      using Own = decltype(own);
      if constexpr (std::is_arithmetic_v<Own>) {
        npy_->read(done_, n, static_cast<Own*>(to));
      } else {
        npy_->read_as(done_, n, static_cast<float*>(to));
      }
    });
    done_ += n;
    return n;
  });
}

ColumnWriter::ColumnWriter(AtomicFile& file, NumberType type)
    : file_(file), type_(type), npy_(is_npy_name(file.path())) {
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
    file_.write_at(header_ + before * type_.width, values, n * type_.width);
    return;
  }
  with_number_type(type_, [&](auto value) {
    using T = decltype(value);
    std::string text;
    for (std::int64_t i = 0; i < n; ++i) {
      append_number(text, static_cast<const T*>(values)[i]);
      text += '\n';
      if (text.size() < (1 << 16)) continue;
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
