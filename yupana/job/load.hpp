#pragma once

#include <optional>
#include <string>
#include <vector>

#include "yupana/analysis/scores.hpp"
#include "yupana/core/context.hpp"
#include "yupana/genotype/kinship.hpp"
#include "yupana/graph/fermat.hpp"
#include "yupana/io/sample_lists.hpp"
#include "yupana/job/fermat.hpp"
#include "yupana/job/input.hpp"
#include "yupana/job/plan.hpp"
#include "yupana/report/style.hpp"

namespace yupana::job {

/// Populations of the individuals: names, and per individual which one (-1: none). All are empty
/// in a run without labels; where the labels are numbers of many values, there is a covariate and
/// no population.
struct RunLabels {
  std::vector<std::string> names = {};
  analysis::Labels classes = {};
  std::vector<std::int32_t> styles = {};  ///< per name: of its colour and marker
  std::optional<report::Covariate> covariate = {};

  /// Adds the labels to a report.
  void show(report::Report& report) const;
};

/// Labels of a file for these samples; notes what lacks one, and a covariate. The same label has
/// the same colour whichever samples are kept.
///   errors: bad_input where all have the same
RunLabels read_run_labels(Context& context,
                          const std::string& path,
                          const std::string& column,
                          const io::SampleNames& names);

/// What a Fermat run starts from: names and d (or d^2).
struct FermatInput {
  std::vector<std::string> names;
  RunLabels labels;
  graph::AnyMatrix distances;
  DeviceMatrix on_device;  ///< the same on a GPU, if they were made there
  Entries entries = Entries::squares;
  std::optional<genotype::CohortSummary> cohort;
  std::optional<genotype::RelationshipCounts> relationships;  ///< --relationships
  std::optional<genotype::PopulationPairs> populations;       ///< of labelled genotypes

  std::int64_t size() const;
};

/// Counts genotypes, whose distances stay on the GPU that counted them. Faults of the labels show
/// before the work. Every rank calls it; the first one has the distances.
FermatInput load_cohort(Context& context,
                        const FermatJobParams& params,
                        Input& input,
                        const Plan& plan);

/// d^2 of the counts, as load_cohort() makes it: what a bootstrap's replicate starts from.
FermatInput from_counts(Context& context, const Input& input, const genotype::PairCounts& counts);

/// Reads a matrix (--from-distances). Throws out_of_resources where a run from it would not fit.
FermatInput load_distances(Context& context, const FermatJobParams& params);

/// Individuals that --alpha auto looks at, at the most.
inline constexpr std::int64_t automatic_alpha_sample = 2048;

/// The alphas of a run: those given or, of --alpha auto, the one that its distances call for.
std::vector<double> alphas_of(Context& context,
                              const FermatJobParams& params,
                              const FermatInput& input);

/// Shortest paths of one alpha; the distances stay.
graph::FermatResult shortest_paths(Context& context,
                                   const FermatJobParams& params,
                                   const FermatInput& input,
                                   double alpha);

/// Facts about a call of graph::fermat, as records have them.
AlphaFindings findings_of(const graph::FermatFacts& facts);

}  // namespace yupana::job
