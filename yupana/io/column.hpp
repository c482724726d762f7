#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "yupana/core/atomic_file.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/npy_file.hpp"

namespace yupana::io {

/// How the user has the numbers of a text read as another type; empty: in no way.
struct TypeAdvice {
  const char* as_f8 = "give --type f8";
  const char* as_i8 = "give --type i8";
  const char* as_u8 = "give --type u8";
};

/// Numbers of a file one after the other; the file need not fit in memory. By content: .npy of one
/// dimension (or n x 1) of any plain integer, float32 or float64, either byte order, bool as u1,
/// float16 and bfloat16 as f4; otherwise text, one number a line, also gzip; lines that begin with
/// # and blank ones at the end are passed over.
///   errors (bad_input), naming the file and the line or what is wrong with it: where the numbers
///   are f8, integers of a text that no double equals among them
class ColumnReader {
 public:
  /// `text_type`: what the numbers of a text are, f8, i8 or u8.
  ColumnReader(std::string path, NumberType text_type, const TypeAdvice& advice = {});

  NumberType type() const { return type_; }
  /// How many numbers there are; text does not say.
  std::optional<std::int64_t> size() const;
  /// At least as many as there are, and of a text more.
  std::int64_t size_bound() const;
  const std::string& path() const { return file_.path(); }
  bool is_text() const { return !npy_; }
  /// Lines that began with #, so far.
  std::int64_t comments() const { return without_numbers_.comments(); }

  /// The next numbers, at most n, of type(); 0 after the last.
  std::int64_t read(void* to, std::int64_t n);
  /// The same as T. bad_input for an integer of a .npy that no double equals where T is one; other
  /// values T must hold.
  template <class T>
  std::int64_t read_as(T* to, std::int64_t n) {
    return with_number_type(type(), [&](auto zero) {
      using Own = decltype(zero);
      if constexpr (std::is_same_v<T, Own>) return read(to, n);
      const auto width = static_cast<std::int64_t>(sizeof(Own));
      if (raw_.size() < n * width) raw_ = Array<char>(n * width);
      const std::int64_t got = read(raw_.data(), n);
      const auto* own = reinterpret_cast<const Own*>(raw_.data());
      for (std::int64_t i = 0; i < got; ++i) {
        to[i] = exact_number<T>(path(), own[i], done_ - got + i);
      }
      return got;
    });
  }

 private:
  template <class T>
  std::int64_t read_text(T* to, std::int64_t n);

  InputFile file_;
  NumberType type_;
  TypeAdvice advice_;  ///< of a text
  std::optional<NpyFile> npy_;
  std::unique_ptr<LineReader> lines_;  ///< text
  LinesWithoutNumbers without_numbers_;
  std::int64_t done_ = 0;
  Array<char> raw_;
};

/// Numbers into a file: .npy if its name ends so, else text, one a line (the shortest that reads
/// back the same). The file appears whole with its owner's commit, after finish().
class ColumnWriter {
 public:
  /// `file` must be empty and outlive the writer.
  ColumnWriter(AtomicFile& file, NumberType type);

  void write(const void* values, std::int64_t n);
  void finish();
  std::int64_t size() const { return size_; }

 private:
  std::string preamble() const;

  AtomicFile& file_;
  NumberType type_;
  bool npy_;
  std::int64_t header_ = 0;
  std::int64_t size_ = 0;
};

}  // namespace yupana::io
