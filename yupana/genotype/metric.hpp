#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/comm.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/pair_counts.hpp"

namespace yupana::genotype {

/// Formulas on pair counts; m = sites, P = shared sites of the pair. A sample against itself is 0
/// (ibs 1, king 0.5), even where it has no call.
enum class Metric {
  squared_euclidean,  ///< (IBS1 + 4 IBS0) m / P
  euclidean,          ///< square root of it
  manhattan,          ///< allele-count distance (IBS1 + 2 IBS0) m / P
  ibs,                ///< 1 - (IBS1 + 2 IBS0) / (2 P), a similarity
  one_minus_ibs,      ///< (IBS1 + 2 IBS0) / (2 P)
  hamming,            ///< discordant calls (IBS1 + IBS0) m / P
  king,               ///< KING-robust kinship over shared sites, as PLINK 2
  normalized,         ///< |x_i|^2/s_i^2 + |x_j|^2/s_j^2 - 2 x_i.x_j/(s_i s_j), s = sum of x
};

struct MetricParams {
  Metric metric = Metric::squared_euclidean;
  /// Scale counts of incomplete pairs by m / P; PLINK's flat-missing does the same.
  bool rescale = true;
};

/// Metric from its name as users write it ("sqeuclidean", "1-ibs", ...); throws usage.
Metric metric_from_name(std::string_view name);
std::string_view metric_name(Metric metric);
/// Names of all metrics, for --help.
std::vector<std::string_view> metric_names();

/// Throws if the counts cannot give the metric: usage for king with missing calls but without
/// hethet; bad_input for normalized with missing calls, or with a sample whose genotypes are all 0
/// (called by its name, or its number where `names` is empty).
void check_metric(const PairCounts& counts,
                  const MetricParams& params,
                  std::span<const std::string> names = {});

/// Row i of the symmetric metric matrix, columns [0, samples), from counts of the whole triangle.
/// Pairs without a shared site give NaN. Doubles: one rounding per operation of the formula; exact
/// for counts of pairs that share every site. Throws as check_metric; usage for a band of rows.
void metric_row(const PairCounts& counts, const MetricParams& params, std::int64_t i, double* row);

/// Columns [0, i] of row i, from counts of any band that holds the row.
void metric_lower_row(const PairCounts& counts,
                      const MetricParams& params,
                      std::int64_t i,
                      double* row);

/// The whole matrix; pairs without a shared site are NaN and reported by a note with their count.
SquareMatrix<double> distances(Context& context,
                               const PairCounts& counts,
                               const MetricParams& params = {});

/// Squared Euclidean distances as integers where no call is missing; throws usage otherwise.
/// At most 4 m; throws out_of_resources where that passes 2^31 - 1.
SquareMatrix<std::int32_t> integer_squared_distances(Context& context, const PairCounts& counts);

/// Pairs that share no site.
std::int64_t pairs_without_shared_site(Context& context, const PairCounts& counts);

/// How much of the expected differences a pair loses to missing calls. A site weighs the allele
/// difference |x - x'| to be expected of two samples, 4 p q (p^2 + q^2) + 4 p^2 q^2 with p its
/// allele frequency and q = 1 - p, rounded to a multiple of 2^-30. So the correction of PLINK 1.9's
/// --distance, but for sites without variation: they weigh 0 here, there 4.
///   work: the square of the samples that miss a site, for each; memory: bytes(), once a call is
///   missing
///   determinism: integer sums, the same for any threads, blocks and ranks
class MissingWeights {
 public:
  /// Frequencies are over the samples at the places `counted` of a row, all of `samples` if empty.
  MissingWeights(Context& context, std::int64_t samples, std::vector<std::int64_t> counted);

  void add(const CallBlock& block);
  /// The sums of all ranks, each over other sites. Collective.
  void sum_over(Comm& comm);
  /// The weight of all sites over that of the sites called in both, i != j; infinite for 0.
  double factor(std::int64_t i, std::int64_t j) const;
  static std::uint64_t bytes(std::int64_t samples);

 private:
  Context& context_;
  std::int64_t samples_;
  std::vector<std::int64_t> counted_;
  std::uint64_t total_ = 0;
  std::vector<std::uint64_t> missing_;  ///< per sample: of the sites it misses
  Array<std::uint64_t> both_;           ///< j < i: of the sites that both miss; empty: none
};

}  // namespace yupana::genotype
