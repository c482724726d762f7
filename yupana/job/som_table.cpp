#include "yupana/job/som_table.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "yupana/core/error.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/scratch_scope.hpp"
#include "yupana/io/npy_layout.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/table_columns.hpp"
#include "yupana/io/table_text.hpp"

namespace yupana::job {
namespace {

[[noreturn]] void refuse_cell(const std::string& path, const io::TableFile<float>& file) {
  const TableView<const float> table{
      file.table.column(0), file.table.rows(), file.table.columns(), file.table.rows()};
  for (std::int64_t row = 0; row < table.rows; ++row) {
    for (std::int64_t c = 0; c < table.columns; ++c) {
      const float value = table(row, c);
      if (std::isfinite(value)) continue;
      const std::string& name = file.table.names()[static_cast<std::size_t>(c)];
      throw bad_file(path,
                     fmt::format("row {} (from 1, without the header), column '{}': the value is "
                                 "{}; a map needs a finite number in every cell: fill it in, drop "
                                 "the row, or leave the column out with --ignore",
                                 row + 1,
                                 io::printable(name),
                                 std::isnan(value) ? "missing" : "infinite or beyond float32"));
    }
  }
  throw bad_file(path, "has values that are not finite");
}

/// Rows of the table's columns `order`; -1: a column of zeros.
Matrix<float> row_major(Context& context,
                        const io::TableFile<float>& file,
                        const std::vector<std::int64_t>& order,
                        const std::string& scratch) {
  const std::int64_t rows = file.table.rows(), cols = std::ssize(order);
  const double bytes = 4.0 * static_cast<double>(rows) *
                       (static_cast<double>(cols) + static_cast<double>(file.table.columns()));
  const bool fits = bytes <= static_cast<double>(context.memory());
  if (!fits && scratch.empty()) {
    throw Error(ErrorCode::out_of_resources,
                fmt::format("a table of {} x {} as read and as rows takes {}; memory is limited "
                            "to {}",
                            rows,
                            cols,
                            human_bytes(bytes),
                            human_bytes(static_cast<double>(context.memory()))));
  }
  if (!fits) {
    context.note(
        fmt::format("a table of {} x {} as read and as rows takes {}, memory is limited to "
                    "{}: it lies in {} while the run lasts",
                    rows,
                    cols,
                    human_bytes(bytes),
                    human_bytes(static_cast<double>(context.memory())),
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
      const std::int64_t from = order[static_cast<std::size_t>(c)];
      const float* const column = from < 0 ? nullptr : file.table.column(from);
      for (std::int64_t i = begin; i < end; ++i) samples(i, c) = column ? column[i] : 0;
    }
  });
  return samples;
}

SomTable taken(Context& context,
               const std::string& path,
               const io::TableFile<float>& file,
               const std::vector<std::int64_t>& order,
               const std::string& scratch) {
  if (file.missing > 0 || file.infinite > 0) refuse_cell(path, file);
  SomTable table;
  table.samples = row_major(context, file, order, scratch);
  table.features = file.table.names();
  table.label = file.label;
  table.classes = file.classes;
  table.codes.assign(file.codes.begin(), file.codes.end());
  return table;
}

std::vector<std::int64_t> all_columns(std::int64_t count) {
  std::vector<std::int64_t> order;
  for (std::int64_t c = 0; c < count; ++c) order.push_back(c);
  return order;
}

bool is_libsvm(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name.ends_with(".libsvm") || name.ends_with(".svm") || name.ends_with(".svmlight");
}

/// Names of a table's columns: of a file without a header "1", "2", ...
std::vector<std::string> column_names(Context& context,
                                      const std::string& path,
                                      const io::TableParams& reading) {
  const io::InputFile file(path);
  std::string head(static_cast<std::size_t>(std::min<std::int64_t>(file.size(), 1 << 16)), '\0');
  file.read_at(0, head.data(), head.size());
  std::vector<std::string> names;
  if (io::is_npy(head)) {
    const io::NpyLayout layout = io::npy_layout(path, head);
    const std::int64_t columns = layout.shape.size() == 2 ? layout.shape[1] : 0;
    // A longer list is of no use: no model has as many features.
    for (std::int64_t c = 1; c <= std::min<std::int64_t>(columns, 1 << 24); ++c) {
      names.push_back(std::to_string(c));
    }
    return names;
  }
  const io::TableText text(path, context.memory(), reading.scratch);
  if (text.pieces() == 0) return names;
  Array<char> buffer;
  io::TableParams plain;
  plain.header = reading.header;
  plain.delimiter = reading.delimiter;
  plain.comment = reading.comment;
  return io::table_columns(path, text.piece(0, buffer), plain).names;
}

bool are_numbers(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != std::to_string(i + 1)) return false;
  }
  return true;
}

/// Absent entries of a libsvm file are zeros, so it may end before the model's last feature.
std::vector<std::int64_t> libsvm_order(const std::string& path,
                                       const io::TableFile<float>& file,
                                       const io::SomModel& model) {
  std::map<std::string, std::int64_t> places;
  for (const std::string& name : file.table.names()) places.emplace(name, std::ssize(places));
  std::vector<std::int64_t> order;
  std::size_t known = 0;
  for (const std::string& name : model.features) {
    const auto place = places.find(name);
    order.push_back(place == places.end() ? -1 : place->second);
    known += place != places.end();
  }
  if (known < places.size()) {
    throw bad_file(path,
                   fmt::format("has {} features, of which the model knows {}; give the table that "
                               "the map is for",
                               places.size(),
                               known));
  }
  return order;
}

void apply_standardization(Context& context, const io::SomModel& model, Matrix<float>& samples) {
  if (model.scale.empty()) return;
  context.parallel_for(samples.rows(), 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t c = 0; c < samples.cols(); ++c) {
        const double mean = model.mean[static_cast<std::size_t>(c)];
        const double scale = model.scale[static_cast<std::size_t>(c)];
        samples(i, c) =
            scale == 0 ? 0.0f : static_cast<float>((double{samples(i, c)} - mean) / scale);
      }
    }
  });
}

/// Codes of the table's classes become those of the model.
void use_model_classes(Context& context, const io::SomModel& model, SomTable& table) {
  std::map<std::string, std::int64_t> places;
  for (const std::string& name : model.classes) places.emplace(name, std::ssize(places));
  std::vector<std::int64_t> known;
  for (const std::string& name : table.classes) {
    const auto place = places.find(name);
    known.push_back(place == places.end() ? -1 : place->second);
    if (place == places.end()) {
      context.note(fmt::format("class '{}' is not one of the model's", io::printable(name)));
    }
  }
  for (std::int64_t& code : table.codes) {
    if (code >= 0) code = known[static_cast<std::size_t>(code)];
  }
  table.classes = model.classes;
}

}  // namespace

SomTable read_som_table(Context& context, const std::string& path, const io::TableParams& reading) {
  const io::TableFile<float> file = io::read_table<float>(context, path, reading);
  return taken(context, path, file, all_columns(file.table.columns()), reading.scratch);
}

SomTable read_som_table(Context& context,
                        const std::string& path,
                        const io::TableParams& given,
                        const io::SomModel& model) {
  io::TableParams reading = given;
  const bool libsvm = is_libsvm(path);
  if (libsvm) {
    if (model.label == "label") reading.label = "label";
  } else {
    const std::vector<std::string> names = column_names(context, path, reading);
    const bool labelled = std::find(names.begin(), names.end(), model.label) != names.end();
    if (labelled && !model.label.empty()) reading.label = model.label;
    const std::int64_t features = std::ssize(names) - (reading.label.empty() ? 0 : 1);
    const bool in_order = are_numbers(names) && features == std::ssize(model.features);
    if (!in_order) reading.columns = model.features;
  }
  const io::TableFile<float> file = io::read_table<float>(context, path, reading);
  SomTable table =
      taken(context,
            path,
            file,
            libsvm ? libsvm_order(path, file, model) : all_columns(file.table.columns()),
            reading.scratch);
  apply_standardization(context, model, table.samples);
  if (!table.label.empty()) use_model_classes(context, model, table);
  return table;
}

som::NearestNeurons nearest_in_pieces(Context& context,
                                      MatrixView<const float> samples,
                                      MatrixView<const float> codebook,
                                      const std::string& scratch) {
  constexpr std::int64_t row_bytes = 2 * sizeof(std::int32_t) + 2 * sizeof(double);
  const std::int64_t n = samples.rows;
  const auto room = static_cast<std::int64_t>(context.memory() / row_bytes);
  if (n <= room) return som::nearest_neurons(context, samples, codebook);
  Stage stage(context, "nearest neurons", static_cast<double>(n), "samples");
  som::NearestNeurons all;
  {
    const ScratchScope scope(scratch);
    all = {Array<std::int32_t>(n), Array<std::int32_t>(n), Array<double>(n), Array<double>(n)};
  }
  const std::int64_t piece = std::max<std::int64_t>(room, 1 << 14);
  for (std::int64_t first = 0; first < n; first += piece) {
    const std::int64_t rows = std::min(piece, n - first);
    const som::NearestNeurons some = som::nearest_neurons(
        context, {samples.row(first), rows, samples.cols, samples.stride}, codebook);
    std::copy_n(some.best.data(), rows, all.best.data() + first);
    std::copy_n(some.second.data(), rows, all.second.data() + first);
    std::copy_n(some.best_distance.data(), rows, all.best_distance.data() + first);
    std::copy_n(some.second_distance.data(), rows, all.second_distance.data() + first);
    stage.advance(static_cast<double>(rows));
  }
  return all;
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
