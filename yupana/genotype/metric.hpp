#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
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

}  // namespace yupana::genotype
