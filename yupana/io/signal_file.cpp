#include "yupana/io/signal_file.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/number_field.hpp"
#include "yupana/io/number_text.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

std::string fault_of(Field field, std::string_view text, double value) {
  if (field == Field::too_large) {
    return fmt::format("'{}' is beyond what a double holds", printable(text));
  }
  if (field == Field::no_number) return fmt::format("expected a number, got '{}'", printable(text));
  return fmt::format("'{}' is an integer between two doubles; write {:.0f} if it may be rounded",
                     printable(text),
                     value);
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
      throw lines.fault("expected {}, got '{}'",
                        parts == 1   ? "one number"
                        : parts == 2 ? "real and imaginary part"
                                     : "one or two numbers",
                        printable(line));
    }
    for (std::size_t i = 0; i < got; ++i) {
      double value = 0;
      const Field field = read_field(fields[i], value);
      if (field != Field::number) {
        throw lines.fault(fault_of(field, fields[i], value));
      }
      if (const std::size_t size = numbers.size(); size == numbers.capacity()) {
        check_growing(
            path, context.memory(), sizeof(T) * (size + 1), std::ssize(numbers) + 1, "number");
      }
      numbers.push_back(static_cast<T>(value));
    }
  }
  if (without_numbers.comments() > 0) context.note(comments_note(path, without_numbers.comments()));
  SignalArray<T> signals;
  signals.complex = parts == 2;
  signals.cols = static_cast<std::int64_t>(numbers.size() / std::max<std::size_t>(parts, 1));
  signals.numbers = Array<T>(static_cast<std::int64_t>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), signals.numbers.begin());
  return signals;
}

}  // namespace

SignalFile::SignalFile(std::string path) : file_(std::move(path)) {
  if (!is_npy(file_)) return;
  npy_.emplace(
      file_, NpyKinds{.shape = "a vector or a matrix", .min_dimensions = 1, .with_complex = true});
}

std::optional<SignalFile::Shape> SignalFile::shape() const {
  if (!npy_) return {};
  const bool matrix = npy_->layout().shape.size() == 2;
  return Shape{npy_->is_complex(),
               matrix,
               matrix && npy_->layout().fortran,
               matrix ? npy_->rows() : 1,
               matrix ? npy_->cols() : npy_->rows()};
}

template <class T>
SignalArray<T> SignalFile::read(Context& context) const {
  if (!npy_) return read_text_signals<T>(context, file_.path());
  const Shape extents = *shape();
  SignalArray<T> signals{
      Array<T>(npy_->count()), extents.complex, extents.matrix, extents.rows, extents.cols};
  npy_->read_rows(context, signals.numbers.data());
  return signals;
}

void check_signals_fit(const std::string& path, bool matrix) {
  if (!matrix || is_npy_name(path)) return;
  throw usage_error("{}: text holds one signal, this is a matrix; write a .npy file", path);
}

template <class T>
void write_signals(Context& context, AtomicFile& file, const SignalArray<T>& signals) {
  const auto width = static_cast<int>(sizeof(T));
  if (is_npy_name(file.path())) {
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
  const std::int64_t parts = signals.complex ? 2 : 1;
  std::string text;
  for (std::int64_t i = 0; i < signals.numbers.size(); ++i) {
    append_number(text, signals.numbers[i]);
    text += (i + 1) % parts == 0 ? '\n' : ' ';
    if (text.size() < (1 << 20)) continue;
    context.check_cancelled();
    file.write(text);
    text.clear();
  }
  file.write(text);
}

template SignalArray<float> SignalFile::read(Context&) const;
template SignalArray<double> SignalFile::read(Context&) const;
YUPANA_FUNCTIONS(YUPANA_FLOATS, write_signals)

}  // namespace yupana::io
