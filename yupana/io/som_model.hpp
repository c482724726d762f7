#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/som/nearest.hpp"
#include "yupana/som/train.hpp"

namespace yupana::io {

/// A trained map and all that it takes to apply it to another table.
struct SomModel {
  som::SomParams params;   ///< the schedule without zeros: as it ran
  Matrix<float> codebook;  ///< K x d, in standardized features where `scale` is not empty
  std::vector<std::string> features;  ///< names, d
  /// Of every feature, x -> (x - mean) / scale; scale 0 (a constant feature): x -> 0. Empty: as is.
  std::vector<double> mean, scale;
  bool zero_based = false;                   ///< of a libsvm file whose indices begin at 0
  std::string label;                         ///< the column of classes; empty: none
  std::vector<std::string> classes;          ///< its values, in order
  std::vector<std::int64_t> neuron_classes;  ///< K, -1: none; empty without label
  std::vector<std::int64_t> clusters;  ///< of the neurons, K, see som/clusters.hpp; empty: none
  std::vector<double> silhouettes;     ///< by which their number was chosen; empty: it was given
  std::int64_t image_rows = 0, image_cols = 0;  ///< of samples that are images; 0: they are not

  // What the samples of the training say about the map.
  std::int64_t samples = 0;
  int neighbors = 8;  ///< that count as adjacent in the topographic error
  som::Quality quality;
  std::vector<std::int64_t> hits;      ///< K
  double radius = 0;                   ///< of the P-matrix
  std::vector<std::int64_t> p_matrix;  ///< K; empty: not counted
};

/// How many clusters a map has; 0: it was not clustered.
std::int64_t count_clusters(const SomModel& model);

/// Weights in the units of the table: w scale + mean.
Matrix<float> in_units(const SomModel& model);

/// Writes the model as JSON, and its codebook, which JSON names, as .npy (float32, C order) next to
/// it. The owner of the files commits both. Throws bad_input for names that are not UTF-8.
void write_som_model(AtomicFile& json, AtomicFile& codebook, const SomModel& model);

/// Reads both files. Throws bad_input naming the file for what is no model, another version, a
/// codebook of another model, parts that do not fit together.
SomModel read_som_model(Context& context, const std::string& path);

/// The names of the choices in files and on the command line.
const char* name_of(som::Lattice lattice);
const char* name_of(som::Neighborhood neighborhood);
const char* name_of(som::Initial initial);
const char* name_of(som::Training training);

}  // namespace yupana::io
