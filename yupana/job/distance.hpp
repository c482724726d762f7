#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/genotype/metric.hpp"
#include "yupana/io/matrix_writer.hpp"
#include "yupana/io/npy_matrix.hpp"
#include "yupana/io/plink_matrix.hpp"
#include "yupana/job/counting.hpp"
#include "yupana/job/input.hpp"
#include "yupana/job/plan.hpp"

namespace yupana::job {

/// Which files a distance run writes. With `plink` set only PLINK's own, otherwise those named.
struct DistanceOutputs {
  bool npy = true;  ///< PREFIX.dist.npy
  io::NpyType type = io::NpyType::float64;
  bool tsv = false;                      ///< PREFIX.dist.tsv
  bool phylip = false;                   ///< PREFIX.dist.phy
  bool shared = false;                   ///< PREFIX.shared.npy: sites called in both, int64
  std::optional<io::PairFilter> pairs;   ///< PREFIX.pairs.tsv
  std::optional<io::PlinkLayout> plink;  ///< --distance
  std::vector<io::PlinkContent> plink_contents;
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
  std::int64_t samples = 0;
  std::int64_t sites = 0;
  std::int64_t pairs_without_sites = 0;  ///< NaN in the matrix
  std::int64_t pairs_listed = 0;         ///< of PREFIX.pairs.tsv
  std::int64_t passes = 1;
  std::vector<std::string> files;
};

/// Genotypes in, a distance matrix in files out.
DistanceJobResult run_distances(Context& context, const DistanceJobParams& params);

/// The plan of the same run, without running it.
Plan plan_distances(Context& context, const DistanceJobParams& params);

}  // namespace yupana::job
