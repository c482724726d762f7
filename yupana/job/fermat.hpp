#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yupana/analysis/neighbor_joining.hpp"
#include "yupana/analysis/scores.hpp"
#include "yupana/core/context.hpp"
#include "yupana/genotype/block_bootstrap.hpp"
#include "yupana/genotype/kinship.hpp"
#include "yupana/graph/fermat.hpp"
#include "yupana/graph/fermat_weights.hpp"
#include "yupana/io/matrix_reader.hpp"
#include "yupana/job/count.hpp"
#include "yupana/job/input.hpp"
#include "yupana/job/plan.hpp"
#include "yupana/job/units.hpp"
#include "yupana/report/report.hpp"

namespace yupana::job {

/// The genomic job: cohort (or distances) in; distances, Fermat distances, pictures and scores out.
struct FermatJobParams {
  InputParams input;
  std::string distances;     ///< --from-distances: a matrix file instead of genotypes
  bool squared = false;      ///< that matrix holds d^2
  std::string labels;        ///< sample <tab> label
  std::string label_column;  ///< name or number of the label's column; empty: the second
  report::PictureParams pictures;
  std::vector<double> alphas = {2.0};  ///< equal ones are computed once, and a note says so
  bool automatic_alpha = false;        ///< --alpha auto
  graph::FermatParams fermat;          ///< its alpha is set from `alphas`
  analysis::TreeMethod tree = analysis::TreeMethod::average;  ///< of the Newick file
  genotype::BootstrapParams bootstrap;  ///< of its support; needs genotypes, in one process
  std::int64_t dimensions = 10;         ///< of the embeddings
  bool relationships = false;           ///< --relationships: pairs by kinship
  /// .dist.npy, .fermat.npy, .ids and .json alone, by the dense closure. With ranks none of them
  /// holds a matrix: tiles are spread over all.
  bool matrix_only = false;
  CheckpointParams checkpoint;
  std::string out;      ///< prefix of the files
  std::string command;  ///< the command line, for record and report; may be empty
};

/// Facts about one matrix that the report compares.
struct MatrixFindings {
  std::string name;
  std::vector<double> share;  ///< explained share per dimension
  std::optional<analysis::LabelScores> scores;
  bool finite = true;  ///< else it has no embedding and no scores
};

/// One alpha of a run.
struct AlphaFindings : graph::FermatFacts {
  LengthUnit unit = {};  ///< of the lengths
  // What is shown and scored is in units of these distances.
  double shown_scale = 1;           ///< F, to the power alpha
  double shown_weight_scale = 1;    ///< d^alpha; the same as of F unless float cannot hold both
  double shown_distance_scale = 1;  ///< d and F^(1/alpha)
  bool estimated = false;           ///< through landmarks: which edges are kept is not known
  std::string lengths_precision = {};
  std::string weights_precision = {};  ///< of weights and closure
  graph::KnownEdges known = {};  ///< where the shares of edges are NaN and the matrices are here
};

struct FermatJobResult {
  std::int64_t samples = 0;
  std::optional<genotype::CohortSummary> cohort;
  std::vector<std::string> names;
  std::optional<genotype::RelationshipCounts> relationships;
  std::vector<std::string> populations;  ///< names of those compared; empty: none
  genotype::PopulationPairs population_pairs;
  std::int64_t bootstrap_blocks = 0;  ///< that replicates were drawn from; 0: no replicates
  std::vector<AlphaFindings> alphas;
  std::vector<MatrixFindings> matrices;
  std::vector<std::string> findings;  ///< sentences
  std::vector<std::string> notices;
  std::vector<std::string> files;
};

/// With ranks whose first cannot hold the matrices that embedding and tree need, the run writes the
/// matrices alone, and a note says so.
FermatJobResult run_fermat(Context& context, const FermatJobParams& params);

/// The plan of the same run, without running it.
Plan plan_fermat(Context& context, const FermatJobParams& params);

/// What is known of the distances that a run starts from before they are there.
struct DistanceSizes {
  std::int64_t samples = -1;    ///< -1: not before they are read
  int cell = 8;                 ///< bytes of a number
  bool whole = false;           ///< integers
  double largest = 0x1p29;      ///< a bound on these
  std::int64_t text_bytes = 0;  ///< of text that they are read from, held next to them
};

/// d^2 in int32 where no call is missing, in float64 otherwise.
DistanceSizes sizes_of_cohort(const PlanParams& sizes, bool missing);
/// Those of a matrix that is about to be read.
DistanceSizes sizes_of_matrix(const io::MatrixSize& size);

/// The most that a run holds at once after its distances are there, these included: the largest of
///   the closure of an alpha, or its search among --knn or from --landmarks
///   the analysis of its last matrix: distances, lengths, what is shown of them, and clustering or
///   embedding
///   the pictures, and the page, of all matrices
/// each with what is kept of the matrices before. Fitted to the peaks of runs of 200 to 4000
/// samples on the CPU. Where the type of lengths depends on the distances, the wider is taken.
std::uint64_t fermat_bytes(const FermatJobParams& params, const DistanceSizes& given);
/// The same of a replicate of --bootstrap, of which the trees alone are made.
std::uint64_t replicate_bytes(const FermatJobParams& params, const DistanceSizes& given);

/// Bytes of all its files.
std::uint64_t fermat_output_bytes(const FermatJobParams& params, const DistanceSizes& given);

/// Throws out_of_resources if --memory cannot hold a run from this many distances, or its disk not
/// what it writes.
void check_fermat_fits(const Context& context,
                       const FermatJobParams& params,
                       const DistanceSizes& given);

/// The plan of a run from distances. Text has to be read to know its samples.
Plan plan_of_distances(Context& context, const FermatJobParams& params);

/// True if the ranks can share the matrices of this run: from genotypes, paths over all of them,
/// given powers.
bool can_distribute(const Context& context, const FermatJobParams& params);

/// The option that keeps the matrices of several ranks on the first; empty if none does.
std::string needs_first_rank(const FermatJobParams& params);

/// Counts, distances, weights, lengths, each rank its own tiles; every rank writes rows of
/// .dist.npy and .fermat.npy. The same bytes as those of one process with `matrix_only`.
FermatJobResult run_distributed(Context& context, const FermatJobParams& params, Input& input);

/// Its plan: memory is that of each rank.
Plan plan_distributed(Context& context, const Input& input, const FermatJobParams& params);

}  // namespace yupana::job
