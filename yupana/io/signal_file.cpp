#include "yupana/io/signal_file.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "yupana/core/error.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/io/column.hpp"
#include "yupana/io/exact_double.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/npy_layout.hpp"
#include "yupana/io/number_text.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

std::string head_of(const InputFile& file) {
  constexpr std::int64_t head_bytes = 64 << 10;  // what npy_layout asks for
  std::string head(static_cast<std::size_t>(std::min(file.size(), head_bytes)), '\0');
  file.read_at(0, head.data(), head.size());
  return head;
}

/// Checks that this kind of file is one of ours and as long as it says.
void check_layout(const std::string& path, const NpyLayout& layout, std::int64_t bytes) {
  const int width = layout.width;
  const bool whole = layout.kind == 'i' || layout.kind == 'u';
  const bool known = (layout.kind == 'f' && (width == 4 || width == 8)) ||
                     (layout.kind == 'c' && (width == 8 || width == 16)) ||
                     (whole && (width == 1 || width == 2 || width == 4 || width == 8));
  if (!known) {
    throw bad_file(path,
                   fmt::format(".npy holds values of type {}{}; wanted integers, float32, float64, "
                               "complex64 or complex128",
                               layout.kind,
                               width));
  }
  if (layout.shape.empty() || layout.shape.size() > 2) {
    throw bad_file(path,
                   fmt::format(".npy has {} dimensions; wanted one or two", layout.shape.size()));
  }
  __int128 wanted = width;
  for (const std::int64_t extent : layout.shape) {
    wanted = std::min(wanted * extent, static_cast<__int128>(1) << 62);
  }
  if (wanted != bytes - layout.data) {
    throw bad_file(
        path,
        fmt::format(".npy announces {} bytes of values, the file holds {}; copy it again",
                    static_cast<std::int64_t>(wanted),
                    bytes - layout.data));
  }
}

/// The first `count` values of the file, which are of type Own, as T.
template <class Own, class T>
void read_values(
    Context& context, const InputFile& file, const NpyLayout& layout, std::int64_t count, T* to) {
  constexpr std::int64_t piece = 1 << 16;
  Array<Own> own(std::min(piece, count));
  for (std::int64_t done = 0; done < count; done += piece) {
    context.check_cancelled();
    const std::int64_t n = std::min(piece, count - done);
    file.read_at(layout.data + done * static_cast<std::int64_t>(sizeof(Own)),
                 own.data(),
                 static_cast<std::size_t>(n) * sizeof(Own));
    for (std::int64_t i = 0; i < n; ++i) {
      if (layout.swapped) {
        char* const bytes = reinterpret_cast<char*>(&own[i]);
        std::reverse(bytes, bytes + sizeof(Own));
      }
      to[done + i] = exact_number<T>(file.path(), own[i], done + i);
    }
  }
}

/// A matrix of rows x cols from one that holds column after column; `parts` numbers a value.
template <class T>
Array<T> by_rows(Context& context, const SignalArray<T>& columns, std::int64_t parts) {
  Array<T> numbers(columns.numbers.size());
  constexpr std::int64_t band = 64;  // rows: lines of the columns stay in the cache
  context.parallel_for(divide_up(columns.rows, band), 1, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    const std::int64_t last = std::min(end * band, columns.rows);
    for (std::int64_t col = 0; col < columns.cols; ++col) {
      for (std::int64_t row = begin * band; row < last; ++row) {
        const T* const from = columns.numbers.data() + (col * columns.rows + row) * parts;
        std::copy(from, from + parts, numbers.data() + (row * columns.cols + col) * parts);
      }
    }
  });
  return numbers;
}

template <class T>
SignalArray<T> read_npy(Context& context, const InputFile& file) {
  const NpyLayout layout = npy_layout(file.path(), head_of(file));
  SignalArray<T> signals;
  signals.complex = layout.kind == 'c';
  signals.matrix = layout.shape.size() == 2;
  signals.rows = signals.matrix ? layout.shape[0] : 1;
  signals.cols = layout.shape.back();
  const std::int64_t count = signals.count() * (signals.complex ? 2 : 1);
  signals.numbers = Array<T>(count);
  const NumberType type = {signals.complex ? 'f' : layout.kind,
                           signals.complex ? layout.width / 2 : layout.width};
  with_number_type(type, [&](auto value) {
    using Own = decltype(value);
    read_values<Own>(context, file, layout, count, signals.numbers.data());
    return 0;
  });
  if (layout.fortran && signals.matrix) {
    signals.numbers = by_rows(context, signals, signals.complex ? 2 : 1);
  }
  return signals;
}

/// A vector that grows holds its numbers up to three times; so do vector and array at the end, less
/// what growing left unused.
template <class T>
void check_fits(const Context& context, const std::string& path, const std::vector<T>& numbers) {
  if (numbers.size() < numbers.capacity()) return;
  const std::uint64_t bytes = 3 * sizeof(T) * (numbers.size() + 1);
  if (bytes <= context.memory()) return;
  throw Error(ErrorCode::out_of_resources,
              fmt::format("{}: its first {} numbers take {} MiB to read, and {} MiB are allowed; "
                          "give --memory more, or save them as .npy",
                          path,
                          numbers.size(),
                          bytes >> 20,
                          context.memory() >> 20));
}

template <class T>
SignalArray<T> read_text_signals(Context& context, const std::string& path) {
  LineReader lines(path);
  std::string_view line;
  std::vector<T> numbers;
  std::size_t parts = 0;
  LinesWithoutNumbers without_numbers;
  while (lines.next(line)) {
    if (lines.number() % 65536 == 0) context.check_cancelled();
    if (without_numbers.passed_over(lines, line)) continue;
    std::string_view fields[3];
    const std::size_t got = split_fields(line, fields, 3);
    if (parts == 0) parts = got;
    if (got != parts || got < 1 || got > 2) {
      throw bad_line(path,
                     lines.number(),
                     fmt::format("'{}' where {} wanted",
                                 printable(line),
                                 parts == 1   ? "one number was"
                                 : parts == 2 ? "real and imaginary part were"
                                              : "one or two numbers were"));
    }
    for (std::size_t i = 0; i < got; ++i) {
      std::string_view field = fields[i];
      if (field.size() > 1 && field[0] == '+') field.remove_prefix(1);
      double value = 0;
      const char* const end = field.data() + field.size();
      const auto [stop, error] = std::from_chars(field.data(), end, value);
      if (stop == end && error == std::errc::result_out_of_range) {
        throw bad_line(path,
                       lines.number(),
                       fmt::format("'{}' is beyond what a double holds", printable(fields[i])));
      }
      if (stop != end || error != std::errc{}) {
        throw bad_line(path,
                       lines.number(),
                       fmt::format("'{}' where a number was wanted", printable(fields[i])));
      }
      if (is_rounded_integer(field, value)) {
        throw bad_line(path,
                       lines.number(),
                       fmt::format("'{}' is an integer between two doubles; write {:.0f} if it may "
                                   "be rounded",
                                   printable(fields[i]),
                                   value));
      }
      check_fits(context, path, numbers);
      numbers.push_back(static_cast<T>(value));
    }
  }
  SignalArray<T> signals;
  signals.complex = parts == 2;
  signals.cols = static_cast<std::int64_t>(numbers.size() / std::max<std::size_t>(parts, 1));
  signals.numbers = Array<T>(static_cast<std::int64_t>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), signals.numbers.begin());
  return signals;
}

}  // namespace

SignalFile::SignalFile(std::string path) : path_(std::move(path)) {
  const InputFile file(path_);
  const std::string head = head_of(file);
  npy_ = is_npy(head);
  if (!npy_) return;
  const NpyLayout layout = npy_layout(path_, head);
  check_layout(path_, layout, file.size());
  const bool matrix = layout.shape.size() == 2;
  shape_ = {layout.kind == 'c',
            matrix,
            matrix && layout.fortran,
            matrix ? layout.shape[0] : 1,
            layout.shape.back()};
  single_ = (layout.kind == 'f' && layout.width == 4) || (layout.kind == 'c' && layout.width == 8);
}

template <class T>
std::uint64_t SignalFile::read_bytes() const {
  if (!shape_) return 0;
  const auto count = static_cast<std::uint64_t>(shape_->rows * shape_->cols);
  return count * sizeof(T) * (shape_->complex ? 2 : 1) * (shape_->fortran ? 2 : 1);
}

template <class T>
SignalArray<T> SignalFile::read(Context& context) const {
  if (npy_) return read_npy<T>(context, InputFile(path_));
  return read_text_signals<T>(context, path_);
}

template <class T>
void write_signals(Context& context, AtomicFile& file, const SignalArray<T>& signals) {
  const auto width = static_cast<int>(sizeof(T));
  if (file.path().ends_with(".npy")) {
    const std::string type =
        fmt::format("<{}{}", signals.complex ? 'c' : 'f', signals.complex ? 2 * width : width);
    file.write(signals.matrix ? npy_preamble(type, signals.rows, signals.cols)
                              : npy_preamble(type, signals.cols));
    constexpr std::int64_t piece = 1 << 20;
    for (std::int64_t done = 0; done < signals.numbers.size(); done += piece) {
      context.check_cancelled();
      const std::int64_t n = std::min(piece, signals.numbers.size() - done);
      file.write(signals.numbers.data() + done, static_cast<std::size_t>(n) * sizeof(T));
    }
    return;
  }
  if (signals.matrix) {
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: text holds one signal, this is a matrix; write a .npy file", file.path()));
  }
  const std::int64_t parts = signals.complex ? 2 : 1;
  std::string text;
  for (std::int64_t i = 0; i < signals.numbers.size(); ++i) {
    char number[number_text_bytes];
    char* end = nullptr;
    if constexpr (std::is_same_v<T, double>) {
      end = write_shortest(signals.numbers[i], number);
    } else {
      end = std::to_chars(number, number + sizeof(number), signals.numbers[i]).ptr;
    }
    text.append(number, static_cast<std::size_t>(end - number));
    text += (i + 1) % parts == 0 ? '\n' : ' ';
    if (text.size() < (1 << 20)) continue;
    context.check_cancelled();
    file.write(text);
    text.clear();
  }
  file.write(text);
}

template std::uint64_t SignalFile::read_bytes<float>() const;
template std::uint64_t SignalFile::read_bytes<double>() const;
template SignalArray<float> SignalFile::read(Context&) const;
template SignalArray<double> SignalFile::read(Context&) const;
template void write_signals(Context&, AtomicFile&, const SignalArray<float>&);
template void write_signals(Context&, AtomicFile&, const SignalArray<double>&);

}  // namespace yupana::io
