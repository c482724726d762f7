#include "yupana/io/signal_file.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/number_text.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/table.hpp"

namespace yupana::io {
namespace {

/// What to do about a line that holds `text` where a number is expected.
std::string advice_on(std::string_view text, std::int64_t line) {
  const bool number = begins_as_number(text);
  if (text.starts_with('(') || (number && (text.ends_with('j') || text.ends_with('i')))) {
    return "; write a complex number as real and imaginary part with a blank between";
  }
  const std::string advice = decimal_comma_advice(text);
  if (!advice.empty() || line > 1 || number) return advice;
  return "; leave a line of names out (tail -n +2)";
}

std::string fault_of(Field field, std::string_view text, double value, std::int64_t line) {
  if (field == Field::too_large) {
    return fmt::format("'{}' is beyond what a double holds", printable(text));
  }
  if (field == Field::no_number) {
    return fmt::format("expected a number, got '{}'{}", printable(text), advice_on(text, line));
  }
  return fmt::format("'{}' is an integer between two doubles; write {:.0f} if it may be rounded",
                     printable(text),
                     value);
}

/// Bytes of a vector that grew to `count` numbers by doubling, and of its copy.
template <class T>
std::uint64_t grown_bytes(std::int64_t count) {
  const auto numbers = static_cast<std::uint64_t>(count);
  return sizeof(T) * (std::bit_ceil(numbers) + numbers);
}

/// Numbers of a text; of those beyond the memory no more than how many there are.
template <class T>
class GrowingNumbers {
 public:
  explicit GrowingNumbers(std::uint64_t memory) : memory_(memory) {}

  void add(T number) {
    ++count_;
    if (!fits_) return;
    if (const std::size_t size = numbers_.size(); size == numbers_.capacity()) {
      fits_ = sizeof(T) * (3 * size + 1) <= memory_;
      if (!fits_) {
        numbers_ = {};
        return;
      }
      numbers_.reserve(std::max<std::size_t>(1, 2 * size));
    }
    numbers_.push_back(number);
  }

  std::int64_t count() const { return count_; }
  bool fit() const { return fits_ && grown_bytes<T>(count_) <= memory_; }
  const std::vector<T>& numbers() const { return numbers_; }

 private:
  std::uint64_t memory_;
  std::vector<T> numbers_;
  std::int64_t count_ = 0;
  bool fits_ = true;
};

template <class T>
SignalArray<T> read_text_signals(
    Context& context,
    const std::string& path,
    const std::function<std::uint64_t(const SignalFile::Shape&)>& work) {
  LineReader lines(path);
  std::string_view line;
  GrowingNumbers<T> found(context.memory());
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
        throw lines.fault(fault_of(field, fields[i], value, lines.number()));
      }
      found.add(static_cast<T>(value));
    }
  }
  if (without_numbers.comments() > 0) context.note(comments_note(path, without_numbers.comments()));
  SignalArray<T> signals;
  signals.complex = parts == 2;
  signals.cols = found.count() / (signals.complex ? 2 : 1);
  if (!found.fit()) {
    const SignalFile::Shape shape = {.complex = signals.complex, .cols = signals.cols};
    const std::uint64_t bytes = std::max(grown_bytes<T>(found.count()), work ? work(shape) : 0);
    throw resource_error("{}: {} need {} of memory, and {} are allowed; give --memory {}",
                         path,
                         counted(found.count(), "number"),
                         needed_bytes(static_cast<double>(bytes)),
                         allowed_bytes(context.memory()),
                         memory_option(static_cast<double>(bytes)));
  }
  signals.numbers = Array<T>(found.count());
  std::copy(found.numbers().begin(), found.numbers().end(), signals.numbers.begin());
  return signals;
}

}  // namespace

SignalFile::SignalFile(std::string path) : file_(std::move(path)) {
  if (!is_npy(file_)) return;
  npy_.emplace(file_,
               NpyKinds{.shape = "a vector or a matrix",
                        .min_dimensions = 1,
                        .with_complex = true,
                        .with_bool = true,
                        .with_half = true});
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
SignalArray<T> SignalFile::read(Context& context,
                                const std::function<std::uint64_t(const Shape&)>& work) const {
  if (!npy_) return read_text_signals<T>(context, file_.path(), work);
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
    if (text.size() < (1 << 16)) continue;
    context.check_cancelled();
    file.write(text);
    text.clear();
  }
  file.write(text);
}

template SignalArray<float> SignalFile::read(
    Context&, const std::function<std::uint64_t(const Shape&)>&) const;
template SignalArray<double> SignalFile::read(
    Context&, const std::function<std::uint64_t(const Shape&)>&) const;
YUPANA_FUNCTIONS(YUPANA_FLOATS, write_signals)

}  // namespace yupana::io
