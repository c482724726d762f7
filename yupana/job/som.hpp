#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/io/table.hpp"
#include "yupana/som/nearest.hpp"
#include "yupana/som/train.hpp"

namespace yupana::job {

/// Instead of a number of clusters: chosen by silhouettes, none, or those that the model has.
inline constexpr std::int64_t chosen_clusters = 0, no_clusters = -1, clusters_of_model = -2;

struct SomFitParams {
  std::string table;
  io::TableParams reading;
  som::SomParams som;
  bool standardize = false;     ///< every feature to mean 0 and standard deviation 1
  int neighbors = 0;            ///< of the topographic error: 4, 6, 8; 0: 8, hexagonal 6
  std::int64_t image_rows = 0;  ///< samples are images of this size; 0: they are not
  std::int64_t image_cols = 0;
  std::optional<bool> p_matrix;  ///< nothing: where it is less than max_p_matrix_work
  std::int64_t clusters = chosen_clusters;
  std::string title;  ///< of the report; empty: names the table
  std::string out;    ///< prefix of the files
};

struct SomApplyParams {
  std::string model;  ///< the .json of a fit
  std::string table;
  io::TableParams reading;
  int neighbors = 0;                          ///< 0: as the model was fitted
  std::optional<bool> p_matrix;               ///< of a report
  std::int64_t clusters = clusters_of_model;  ///< of a report
  std::string title;                          ///< of a report; empty: names the table
  std::string out;
};

struct SomResult {
  som::Grid grid;
  som::Schedule schedule;  ///< without zeros
  std::int64_t samples = 0, features = 0;
  int neighbors = 0;
  som::Quality quality;
  std::int64_t clusters = 0;        ///< of the neurons; 0: none were made
  std::vector<double> silhouettes;  ///< of 2, 3, ... clusters, where their number was chosen
  std::optional<double> accuracy;   ///< share of samples whose class is the neuron's
  std::int64_t unknown = 0;         ///< samples of a class that the model does not know, all wrong
  std::vector<std::string> notices;
  std::vector<std::string> files;
};

/// Trains a map and writes
///   .json .codebook.npy  the model (io/som_model.hpp)
///   .bmu.tsv             of each sample its neuron, counted from 0, and the distance to it
///   .umatrix.npy .hits.npy .clusters.npy .pmatrix.npy   rows x cols (the last where it is counted)
///   .html .svg .png      the report; .images.png: the neurons as images
/// All of them or, after an error, none. The same bytes for any device, number of threads and
/// memory: a table beyond the context's memory lies in files without names next to the output while
/// the run lasts, and every iteration goes through it once.
///   errors: usage for a map, radius or count that cannot be, bad_input for the table, naming row
///   and column, out_of_resources
SomResult som_fit(Context& context, const SomFitParams& params);

/// Neurons, distances and, where the model has classes, the class of each sample: .bmu.tsv. A
/// sample's class is that of the nearest neuron that has one; accuracy where the table has classes.
SomResult som_apply(Context& context, const SomApplyParams& params);

/// The report again; with a table its hits, errors and P-matrix instead of the training's.
SomResult som_report(Context& context, const SomApplyParams& params);

/// Samples x neurons x features: seconds on one core. A larger P-matrix is left out with a notice
/// unless --p-matrix is given.
inline constexpr double max_p_matrix_work = 4e9;

}  // namespace yupana::job
