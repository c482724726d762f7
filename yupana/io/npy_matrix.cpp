#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "yupana/core/array.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/matrix_writer.hpp"
#include "yupana/io/npy_file.hpp"

namespace yupana::io {
namespace {

// Rows a task: long enough to keep the producer's inner loops warm, short enough to stop soon.
constexpr std::int64_t task_numbers = std::int64_t{1} << 18;

std::string_view description(NpyType type) {
  constexpr std::string_view words[] = {"<f8", "<f4", "<i4", "<i8"};  // by NpyType
  return words[static_cast<std::size_t>(type)];
}

/// Calls body with a value of the type that the file holds.
template <class Body>
void with_type(NpyType type, const Body& body) {
  switch (type) {
    case NpyType::float64:
      return body(double{});
    case NpyType::float32:
      return body(float{});
    case NpyType::int32:
      return body(std::int32_t{});
    case NpyType::int64:
      return body(std::int64_t{});
  }
}

/// Where conversion happens, for messages.
struct FileRow {
  const AtomicFile& file;
  std::int64_t index;
};

template <class T>
void convert(const FileRow& at, const double* from, std::int64_t count, T* to) {
  if constexpr (std::is_floating_point_v<T>) {
    std::transform(from, from + count, to, [](double v) { return static_cast<T>(v); });
    return;
  }
  // Exact powers of two, so that the comparison holds for 64 bits too; NaN fails it.
  const double bound = std::ldexp(1.0, std::numeric_limits<T>::digits);
  for (std::int64_t j = 0; j < count; ++j) {
    const double value = from[j];
    if (!(value >= -bound && value < bound) || value != std::trunc(value)) {
      throw bad_file(at.file.path(),
                     "row {}, column {} is {}, which a {}-bit integer does not hold; write "
                     "float64, or give --missing mode where missing calls make fractions",
                     at.index + 1,
                     j + 1,
                     value,
                     sizeof(T) * 8);
    }
    to[j] = static_cast<T>(value);
  }
}

/// Rows [rows.begin, rows.end) x columns [0, rows.end) of a band, the square on the diagonal
/// mirrored already.
template <class T>
struct Band {
  Range rows;
  Array<T> values;
  T* row(std::int64_t i) { return values.data() + (i - rows.begin) * rows.end; }
};

template <class T>
Band<T> computed(Context& context,
                 const AtomicFile& file,
                 std::int64_t size,
                 Range rows,
                 const RowProducer& lower) {
  Band<T> band{rows, Array<T>(rows.size() * rows.end)};
  const std::int64_t grain = std::max<std::int64_t>(1, task_numbers / rows.end);
  context.parallel_for(rows.size(), grain, [&](std::int64_t begin, std::int64_t end) {
    Array<double> row(size);
    for (std::int64_t i = rows.begin + begin; i < rows.begin + end; ++i) {
      context.check_cancelled();
      lower(i, row.data());
      convert({file, i}, row.data(), i + 1, band.row(i));
    }
  });
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    for (std::int64_t j = i + 1; j < rows.end; ++j) band.row(i)[j] = band.row(j)[i];
  }
  return band;
}

}  // namespace

NpyMatrix::NpyMatrix(AtomicFile& file, std::int64_t size, NpyType type)
    : file_(file), size_(size), type_(type) {
  const std::string header = npy_preamble(description(type), size, size);
  header_ = static_cast<std::int64_t>(header.size());
  file_.write_at(0, header.data(), header.size());
}

std::int64_t NpyMatrix::offset(std::int64_t i, std::int64_t j) const {
  const std::int64_t bytes = type_ == NpyType::float64 || type_ == NpyType::int64 ? 8 : 4;
  return header_ + (i * size_ + j) * bytes;
}

void NpyMatrix::write_rows(Context& context, Range range, const RowProducer& rows) {
  if (size_ == 0) return;
  const std::int64_t grain = std::max<std::int64_t>(1, task_numbers / size_);
  context.parallel_for(range.size(), grain, [&](std::int64_t begin, std::int64_t end) {
    Array<double> row(size_);
    for (std::int64_t i = range.begin + begin; i < range.begin + end; ++i) {
      context.check_cancelled();
      rows(i, row.data());
      with_type(type_, [&](auto sample) {
        using T = decltype(sample);
        if constexpr (std::is_same_v<T, double>) {
          file_.write_at(offset(i, 0), row.data(), row.bytes());
        } else {
          Array<T> narrow(size_);
          convert({file_, i}, row.data(), size_, narrow.data());
          file_.write_at(offset(i, 0), narrow.data(), narrow.bytes());
        }
      });
    }
  });
}

void NpyMatrix::write_band(Context& context,
                           Range range,
                           const RowProducer& lower,
                           std::int64_t buffer) {
  with_type(type_, [&](auto sample) {
    using T = decltype(sample);
    const std::int64_t row_bytes = std::max<std::int64_t>(1, range.end) * sizeof(T);
    const std::int64_t most = std::max<std::int64_t>(1, buffer / row_bytes);
    for (Range part{range.begin, range.begin}; part.begin < range.end; part.begin = part.end) {
      part.end = std::min(range.end, part.begin + most);
      Band<T> band = computed<T>(context, file_, size_, part, lower);
      for (std::int64_t i = part.begin; i < part.end; ++i) {
        file_.write_at(offset(i, 0), band.row(i), static_cast<std::size_t>(part.end) * sizeof(T));
      }
      // Above the diagonal: column j of the band is a piece of row j. Gathered in runs of 64 bytes
      // of each band row, so that a cache line is read once.
      constexpr std::int64_t run = 64 / static_cast<std::int64_t>(sizeof(T));
      context.parallel_for(divide_up(part.begin, run), 64, [&](std::int64_t b, std::int64_t e) {
        Array<T> columns(run * part.size());
        for (std::int64_t first = b * run; first < std::min(e * run, part.begin); first += run) {
          context.check_cancelled();
          const std::int64_t width = std::min(run, part.begin - first);
          for (std::int64_t i = 0; i < part.size(); ++i) {
            const T* from = band.row(part.begin + i) + first;
            for (std::int64_t c = 0; c < width; ++c) columns[c * part.size() + i] = from[c];
          }
          for (std::int64_t c = 0; c < width; ++c) {
            file_.write_at(offset(first + c, part.begin),
                           columns.data() + c * part.size(),
                           static_cast<std::size_t>(part.size()) * sizeof(T));
          }
        }
      });
    }
  });
}

void write_npy(
    Context& context, AtomicFile& file, std::int64_t size, const RowProducer& rows, NpyType type) {
  const double cells = static_cast<double>(size) * static_cast<double>(size);
  Stage stage(context, "write " + file.path(), cells, "numbers");
  const RowProducer counted = [&](std::int64_t i, double* row) {
    rows(i, row);
    stage.advance(static_cast<double>(size));
  };
  NpyMatrix(file, size, type).write_rows(context, {0, size}, counted);
}

}  // namespace yupana::io
