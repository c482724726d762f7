#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
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

}  // namespace yupana::job
