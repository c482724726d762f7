#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/io/som_model.hpp"
#include "yupana/io/table.hpp"
#include "yupana/report/som_map.hpp"
#include "yupana/som/nearest.hpp"

namespace yupana::job {

/// A table of the samples' neurons, all counted from 0; with a column of classes, labels (-1: none)
/// or clusters where those are not empty.
struct SomRows {
  const som::NearestNeurons* nearest = nullptr;
  som::Grid grid;
  std::vector<std::string> class_names;
  std::span<const std::int32_t> labels, classes;
  std::vector<std::int64_t> clusters;  ///< of the neurons
  const io::RowIds* ids = nullptr;     ///< go between the row's number and the neuron
};
void write_som_rows(Context& context, AtomicFile& file, const SomRows& rows);

/// A map's values as rows x cols .npy: float64 or int64.
void write_map_npy(AtomicFile& file, const som::Grid& grid, const std::vector<double>& values);
void write_map_npy(AtomicFile& file,
                   const som::Grid& grid,
                   const std::vector<std::int64_t>& values);

/// Component planes that a report shows, and values in all its panels: fewer planes for huge maps.
inline constexpr std::int64_t max_planes = 24;
inline constexpr std::int64_t max_report_values = 1'500'000;

/// What is shown of a map: U-matrix, hits, P-matrix, classes, clusters, and planes or images.
report::MapReport map_report(const io::SomModel& model, const std::string& title);

/// .html .svg .png and, where there are images, .images.png.
void add_report_files(OutputFiles& files, const std::string& out, const report::MapReport& report);

/// A column that float32 does not hold: the error of its values is over 2^-20 of their range.
struct RoundedColumn {
  std::size_t feature = 0;
  double least = 0, largest = 0;  ///< as the file has them
  double error = 0;               ///< the largest
};

/// A table as a map takes it: samples are rows, every cell is a finite number.
struct SomTable {
  Matrix<float> samples;
  std::vector<std::string> features;
  std::string label;
  std::vector<std::string> classes;
  Array<std::int32_t> codes;  ///< class of each sample; empty without label
  io::RowIds ids = {};
  std::vector<RoundedColumn> rounded = {};
  std::int64_t unknown = 0;   ///< samples whose class is none of the model's
  std::string unknown_class;  ///< one of these classes, as printed
};

/// Means and standard deviations (of all samples: divided by n) of the features; 0 for a feature
/// whose values are all the same.
struct Standardization {
  std::vector<double> mean, scale;
};

/// Reads a table for training; one beyond the context's memory lies in the folder reading.scratch
/// while it lives. Throws bad_input naming row and column of the first cell that is
/// missing or infinite.
SomTable read_som_table(Context& context, const std::string& path, const io::TableParams& reading);

/// Reads the features of `model` from a table (io::reading_for_model), standardized as it says.
/// With the model's column of classes where the table has one; codes are the model's, and classes
/// that it does not know go after its own.
SomTable read_som_table(Context& context,
                        const std::string& path,
                        const io::TableParams& reading,
                        const io::SomModel& model);

/// Nearest neurons of samples of any number: in pieces, and kept in the folder `scratch` where they
/// are beyond the context's memory.
som::NearestNeurons nearest_in_pieces(Context& context,
                                      MatrixView<const float> samples,
                                      MatrixView<const float> codebook,
                                      const std::string& scratch);

/// Of each sample the class of its neuron, and of the nearest labelled one: where they are beyond
/// memory likewise.
Array<std::int32_t> classes_of_neurons(const Context& context,
                                       const som::NearestNeurons& nearest,
                                       const std::vector<std::int64_t>& neuron_classes,
                                       const std::string& scratch);
Array<std::int32_t> classified_in_pieces(Context& context,
                                         MatrixView<const float> samples,
                                         const io::SomModel& model,
                                         const std::string& scratch);

/// Standardizes in place; sums in order of the samples.
Standardization standardize(Context& context, Matrix<float>& samples);

}  // namespace yupana::job
