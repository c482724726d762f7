#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "yupana/analysis/neighbor_joining.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/genotype/block_bootstrap.hpp"
#include "yupana/genotype/kinship.hpp"
#include "yupana/genotype/metric.hpp"
#include "yupana/io/matrix_writer.hpp"
#include "yupana/io/pair_table.hpp"
#include "yupana/job/count.hpp"
#include "yupana/job/input.hpp"
#include "yupana/job/plan.hpp"

namespace yupana::job {

/// Which files a distance run writes. With `plink` set only PLINK's own, otherwise those named.
struct DistanceOutputs {
  bool npy = true;  ///< PREFIX.dist.npy
  io::NpyType type = io::NpyType::float64;
  bool tsv = false;                     ///< PREFIX.dist.tsv
  bool phylip = false;                  ///< PREFIX.dist.phy
  bool shared = false;                  ///< PREFIX.shared.npy: sites called in both, int64
  std::optional<io::PairFilter> pairs;  ///< PREFIX.pairs.tsv or .pairs.parquet
  io::PairFormat pair_format = io::PairFormat::tsv;
  std::optional<io::PlinkLayout> plink;  ///< --distance
  std::vector<io::PlinkContent> plink_contents;
  /// --distance: incomplete pairs are scaled by the sites they share, not by their weights.
  bool flat_missing = true;
  std::optional<analysis::TreeMethod> tree;  ///< PREFIX.nwk
  genotype::BootstrapParams bootstrap;       ///< of its support; in one process
  /// PREFIX.kin0 or .kin0.parquet (pair_format): pairs of at least this kinship, and no other file.
  std::optional<double> kinships;
  bool ibd = false;  ///< that table has shares by descent; in one process
};

struct DistanceJobParams {
  InputParams input;
  genotype::MetricParams metric;
  DistanceOutputs outputs;
  CheckpointParams checkpoint;
  std::string out;  ///< prefix of the files
};

struct DistanceJobResult {
  genotype::CohortSummary cohort;
  std::int64_t pairs_without_sites = 0;  ///< NaN in the matrix
  std::int64_t passes = 1;
  std::int64_t pairs = 0;                      ///< that the table of pairs lists; the first rank's
  std::int64_t bootstrap_blocks = 0;           ///< that replicates were drawn from; 0: none
  genotype::RelationshipCounts relationships;  ///< of the pairs in the table
  std::vector<std::string> names;              ///< of the samples
  std::vector<std::string> files;
};

/// The metric of one of PLINK's files.
genotype::Metric plink_metric(io::PlinkContent content);

/// True if every d^2 of these counts is an integer that an int32 holds with room: no call missing.
bool has_integer_squares(const genotype::PairCounts& counts);

/// Throws bad_input where `pairs` pairs of samples of `input` share no called site, naming the
/// first of them. shares(i, j), j < i, answers for i in `rows`. With `comm` every rank calls it,
/// with pairs and rows of its own; all throw the same.
void refuse_unshared(const std::string& input,
                     std::int64_t pairs,
                     const std::vector<std::string>& names,
                     Range rows,
                     const std::function<bool(std::int64_t, std::int64_t)>& shares,
                     Comm* comm = nullptr);

/// Genotypes in, a distance matrix in files out.
DistanceJobResult run_distances(Context& context, const DistanceJobParams& params);

/// The plan of the same run, without running it.
Plan plan_distances(Context& context, const DistanceJobParams& params);

/// Writes the files that are made from the counts of the whole triangle at once. With `weights`
/// incomplete pairs of PLINK's matrices are scaled by them; null: not.
void add_whole_files(Context& context,
                     const Input& input,
                     const DistanceJobParams& params,
                     const genotype::PairCounts& counts,
                     const genotype::MissingWeights* weights,
                     OutputFiles& files);

}  // namespace yupana::job
