#include <algorithm>
#include <cmath>
#include <utility>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/io/model_columns.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/som_files.hpp"

namespace yupana::job {
namespace {

[[noreturn]] void refuse_cell(const std::string& path,
                              const io::TableParams& reading,
                              const io::TableFile<float>& file) {
  const TableView<const float> table{
      file.table.column(0), file.table.rows(), file.table.columns(), file.table.rows()};
  for (std::int64_t row = 0; row < table.rows; ++row) {
    for (std::int64_t c = 0; c < table.columns; ++c) {
      const float value = table(row, c);
      if (std::isfinite(value)) continue;
      const std::string& name = file.table.names()[static_cast<std::size_t>(c)];
      throw bad_file(path,
                     "row {} (from 1, a header not counted), column '{}': the value is {}; a map "
                     "needs a finite "
                     "number in every cell: fill it in, {}",
                     row + 1,
                     io::printable(name),
                     std::isnan(value) ? "missing" : "infinite or beyond float32",
                     reading.for_model ? "or drop the row"
                     : reading.columns.empty()
                         ? "drop the row, or leave the column out with --ignore"
                         : "drop the row, or leave the column out of --columns");
    }
  }
  throw bad_file(path, "has values that are not finite");
}

/// The samples row after row.
Matrix<float> row_major(Context& context,
                        const io::TableFile<float>& file,
                        const std::string& scratch) {
  const std::int64_t rows = file.table.rows(), cols = file.table.columns();
  const double bytes = 8.0 * static_cast<double>(rows) * static_cast<double>(cols);
  const bool fits = bytes <= static_cast<double>(context.memory());
  const std::string what = fmt::format("a table of {} x {} as read and as rows", rows, cols);
  if (scratch.empty()) check_memory(context, what, static_cast<std::uint64_t>(bytes));
  if (!fits) {
    context.note(
        fmt::format("{} takes {}, memory is limited to {}: it lies in {} while the run lasts",
                    what,
                    needed_bytes(bytes),
                    allowed_bytes(context.memory()),
                    scratch));
  }
  Matrix<float> samples;
  {
    const ScratchScope scope(fits ? std::string() : scratch);
    samples = Matrix<float>(rows, cols);
  }
  context.parallel_for(rows, 256, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t c = 0; c < cols; ++c) {
      const float* const column = file.table.column(c);
      for (std::int64_t i = begin; i < end; ++i) samples(i, c) = column[i];
    }
  });
  return samples;
}

SomTable taken(Context& context,
               const std::string& path,
               const io::TableParams& reading,
               io::TableFile<float>& file) {
  if (file.missing > 0 || file.infinite > 0) refuse_cell(path, reading, file);
  // Not in the files that a table beyond the memory lies in.
  check_memory(context,
               fmt::format("{}: --id of {}", path, counted(file.table.rows(), "row")),
               static_cast<std::uint64_t>(file.ids.bytes()));
  SomTable table;
  table.samples = row_major(context, file, reading.scratch);
  table.features = file.table.names();
  table.label = file.label;
  table.classes = file.classes;
  table.codes = std::move(file.codes);
  table.ids = std::move(file.ids);
  return table;
}

/// Whether float32 loses what a map could see: of one value alone only a whole number is known to.
bool loses_values(const RoundedColumn& own) {
  const double range = own.largest - own.least;
  return range > 0 ? own.error > 0x1p-20 * range : own.error >= 0.5;
}

/// The columns whose offset is so large next to their range that float32 may not hold them.
std::vector<RoundedColumn> with_offsets(Context& context, TableView<float> table) {
  std::vector<RoundedColumn> columns;
  std::vector<char> found(static_cast<std::size_t>(table.columns), 0);
  context.parallel_for(table.columns, 1, [&](std::int64_t c) {
    const auto [least, largest] =
        std::minmax_element(table.column(c), table.column(c) + table.rows);
    const double size = std::max(std::fabs(double{*least}), std::fabs(double{*largest}));
    // A value is rounded by 2^-24 of its size at most.
    found[static_cast<std::size_t>(c)] = size > 16 * (double{*largest} - double{*least});
  });
  for (std::size_t c = 0; c < found.size(); ++c) {
    if (found[c]) columns.push_back({c, HUGE_VAL, -HUGE_VAL, 0});
  }
  return columns;
}

/// Compares the columns that float32 may not hold with what the file says.
std::vector<RoundedColumn> rounded_columns(Context& context,
                                           const std::string& path,
                                           io::TableParams reading,
                                           TableView<float> table) {
  std::vector<RoundedColumn> columns = with_offsets(context, table);
  if (columns.empty()) return columns;
  const Stage stage(context, "compare with float32");
  reading.notes = false;
  const auto bytes =
      static_cast<std::int64_t>(std::min<std::uint64_t>(context.memory() / 10, 1 << 28));
  const auto compare = [&](io::TableFile<double>&& part) {
    for (RoundedColumn& own : columns) {
      const double* const column = part.table.column(static_cast<std::int64_t>(own.feature));
      for (std::int64_t i = 0; i < part.table.rows(); ++i) {
        own.least = std::min(own.least, column[i]);
        own.largest = std::max(own.largest, column[i]);
        own.error =
            std::max(own.error, std::fabs(column[i] - double{static_cast<float>(column[i])}));
      }
    }
  };
  try {
    io::read_table_parts<double>(context, path, reading, bytes, compare);
  } catch (const Error& error) {
    // An integer that no double equals was a float32 all the same: how far from it is not known.
    if (error.code() != ErrorCode::bad_input) throw;
    for (RoundedColumn& own : columns) {
      const float* const column = table.column(static_cast<std::int64_t>(own.feature));
      const auto [least, largest] = std::minmax_element(column, column + table.rows);
      own.least = *least;
      own.largest = *largest;
      own.error = 0x1p-24 * std::max(std::fabs(own.least), std::fabs(own.largest));
    }
  }
  std::erase_if(columns, [](const RoundedColumn& own) { return !loses_values(own); });
  return columns;
}

void apply_standardization(Context& context, const io::SomModel& model, Matrix<float>& samples) {
  if (model.scale.empty()) return;
  context.parallel_for(samples.rows(), 256, [&](std::int64_t i) {
    for (std::int64_t c = 0; c < samples.cols(); ++c) {
      const double mean = model.mean[static_cast<std::size_t>(c)];
      const double scale = model.scale[static_cast<std::size_t>(c)];
      samples(i, c) =
          scale == 0 ? 0.0f : static_cast<float>((double{samples(i, c)} - mean) / scale);
    }
  });
}

/// Codes of the table's classes become those of the model; classes that it does not know go after.
void use_model_classes(const io::SomModel& model, SomTable& table) {
  std::vector<std::int32_t> places = io::places_of(table.classes, model.classes);
  std::vector<std::string> classes = model.classes;
  for (std::size_t c = 0; c < places.size(); ++c) {
    if (places[c] >= 0) continue;
    if (table.unknown_class.empty()) table.unknown_class = io::printable(table.classes[c]);
    places[c] = static_cast<std::int32_t>(classes.size());
    classes.push_back(table.classes[c]);
  }
  for (std::int32_t& code : table.codes) {
    if (code >= 0) code = places[static_cast<std::size_t>(code)];
    table.unknown += code < 0 || code >= std::ssize(model.classes);
  }
  table.classes = std::move(classes);
}

/// Bytes of what is found of a sample.
constexpr std::int64_t found_bytes = 2 * sizeof(std::int32_t) + 2 * sizeof(double);

/// Whether memory holds what is found of so many samples.
bool fits_memory(const Context& context, std::int64_t samples) {
  return samples <= static_cast<std::int64_t>(context.memory() / found_bytes);
}

/// A number a sample, in the folder where memory does not hold what is found of so many.
Array<std::int32_t> numbers_of(const Context& context,
                               std::int64_t samples,
                               const std::string& scratch) {
  const ScratchScope scope(fits_memory(context, samples) ? std::string() : scratch);
  return Array<std::int32_t>(samples);
}

/// body(first, some of the samples) with as many as memory holds what is found of.
template <class Body>
void for_pieces(const Context& context, MatrixView<const float> samples, const Body& body) {
  const std::int64_t rows =
      std::max(static_cast<std::int64_t>(context.memory() / found_bytes), std::int64_t{1} << 14);
  for (std::int64_t first = 0; first < samples.rows; first += rows) {
    const std::int64_t some = std::min(rows, samples.rows - first);
    body(first, {samples.row(first), some, samples.cols, samples.stride});
  }
}

}  // namespace

SomTable read_som_table(Context& context, const std::string& path, const io::TableParams& reading) {
  io::TableFile<float> file = io::read_table<float>(context, path, reading);
  SomTable table = taken(context, path, reading, file);
  table.rounded = rounded_columns(context, path, reading, file.table.view());
  return table;
}

SomTable read_som_table(Context& context,
                        const std::string& path,
                        const io::TableParams& given,
                        const io::SomModel& model) {
  const io::TableParams reading = io::reading_for_model(
      context, path, given, {model.features, {}, model.label, true, true, model.zero_based});
  io::TableFile<float> file = io::read_table<float>(context, path, reading);
  SomTable table = taken(context, path, reading, file);
  table.rounded = rounded_columns(context, path, reading, file.table.view());
  apply_standardization(context, model, table.samples);
  if (!table.label.empty()) use_model_classes(model, table);
  return table;
}

som::NearestNeurons nearest_in_pieces(Context& context,
                                      MatrixView<const float> samples,
                                      MatrixView<const float> codebook,
                                      const std::string& scratch) {
  const std::int64_t n = samples.rows;
  if (fits_memory(context, n)) return som::nearest_neurons(context, samples, codebook);
  Stage stage(context, "nearest neurons", static_cast<double>(n), "samples");
  som::NearestNeurons all;
  {
    const ScratchScope scope(scratch);
    all = {Array<std::int32_t>(n), Array<std::int32_t>(n), Array<double>(n), Array<double>(n)};
  }
  for_pieces(context, samples, [&](std::int64_t first, MatrixView<const float> piece) {
    const som::NearestNeurons some = som::nearest_neurons(context, piece, codebook);
    std::copy_n(some.best.data(), piece.rows, all.best.data() + first);
    std::copy_n(some.second.data(), piece.rows, all.second.data() + first);
    std::copy_n(some.best_distance.data(), piece.rows, all.best_distance.data() + first);
    std::copy_n(some.second_distance.data(), piece.rows, all.second_distance.data() + first);
    stage.advance(static_cast<double>(piece.rows));
  });
  return all;
}

Array<std::int32_t> classes_of_neurons(const Context& context,
                                       const som::NearestNeurons& nearest,
                                       const std::vector<std::int64_t>& neuron_classes,
                                       const std::string& scratch) {
  Array<std::int32_t> classes = numbers_of(context, nearest.best.size(), scratch);
  std::transform(nearest.best.begin(), nearest.best.end(), classes.begin(), [&](std::int32_t i) {
    return static_cast<std::int32_t>(neuron_classes[static_cast<std::size_t>(i)]);
  });
  return classes;
}

Array<std::int32_t> classified_in_pieces(Context& context,
                                         MatrixView<const float> samples,
                                         const io::SomModel& model,
                                         const std::string& scratch) {
  Array<std::int32_t> classes = numbers_of(context, samples.rows, scratch);
  for_pieces(context, samples, [&](std::int64_t first, MatrixView<const float> piece) {
    const Array<std::int32_t> some =
        som::classified(context, piece, model.codebook.view(), model.neuron_classes);
    std::copy(some.begin(), some.end(), classes.begin() + first);
  });
  return classes;
}

Standardization standardize(Context& context, Matrix<float>& samples) {
  const Stage stage(context, "standardize");
  const std::int64_t rows = samples.rows(), cols = samples.cols();
  io::SomModel scales;
  scales.mean.resize(static_cast<std::size_t>(cols));
  scales.scale.resize(static_cast<std::size_t>(cols));
  const auto width = static_cast<std::size_t>(cols);
  std::vector<double> sums(width, 0), squares(width, 0);
  std::vector<char> varies(width, 0);
  // Rows after rows, for samples may lie on a disk; 16 floats of a row are a cache line.
  constexpr std::int64_t block = 4096;
  const auto each_block = [&](const auto& body) {
    for (std::int64_t first = 0; first < rows; first += block) {
      context.check_cancelled();
      const std::int64_t last = std::min(rows, first + block);
      context.parallel_for((cols + 15) / 16, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = first; i < last; ++i) {
          for (std::int64_t c = 16 * begin; c < std::min(cols, 16 * end); ++c) {
            body(samples(i, c), static_cast<std::size_t>(c));
          }
        }
      });
    }
  };
  each_block([&](float x, std::size_t c) {
    sums[c] += x;
    if (x != samples(0, static_cast<std::int64_t>(c))) varies[c] = 1;
  });
  for (double& sum : sums) sum /= static_cast<double>(rows);
  each_block([&](float x, std::size_t c) {
    const double off = x - sums[c];
    squares[c] += off * off;
  });
  for (std::size_t c = 0; c < width; ++c) {
    scales.mean[c] = varies[c] ? sums[c] : double{samples(0, static_cast<std::int64_t>(c))};
    scales.scale[c] = varies[c] ? std::sqrt(squares[c] / static_cast<double>(rows)) : 0;
  }
  apply_standardization(context, scales, samples);
  return {std::move(scales.mean), std::move(scales.scale)};
}

}  // namespace yupana::job
