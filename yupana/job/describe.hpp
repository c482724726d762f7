#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "yupana/job/fermat.hpp"

namespace yupana::job {

using Rows = std::vector<std::pair<std::string, std::string>>;

/// What was measured and with which options, as rows of name and value: command, input, metric,
/// missing calls, filters, graph, alpha, tree. The head of the report's table.
Rows run_rows(const FermatJobParams& params, const FermatJobResult& result);

/// "279 individuals, 8,723 sites, Euclidean distance of allele counts": one line.
std::string run_subtitle(const FermatJobParams& params, const FermatJobResult& result);

/// Sentences: of which pairs the curve of kept edges is, drawn from at most `sample` individuals.
std::string curve_note(const FermatJobParams& params,
                       std::int64_t individuals,
                       std::int64_t sample);

/// The active filters of a cohort as options a user could give.
std::string filters_of(const InputParams& input);

/// 8723 as "8,723".
std::string grouped(std::int64_t count);
/// 1 and "site" as "1 site", 8723 as "8,723 sites".
std::string grouped(std::int64_t count, std::string_view noun);

/// A file of labels, and the column that --label-column names.
std::string labels_text(const std::string& path, const std::string& column);

/// "pairwise", "mode" or "error".
std::string missing_name(genotype::Missing missing);

/// "euclidean"; of a given matrix "given" or, if it holds squares, "given, squared".
std::string metric_of(const FermatJobParams& params);

/// "average", "single" or "complete": of the trees that are drawn.
std::string linkage_name(analysis::TreeMethod method);
/// "nj", "bionj" or the linkage: of the tree that is written.
std::string tree_name(analysis::TreeMethod method);

/// Unit of d.
std::string distance_unit(const FermatJobParams& params);
/// Unit of d^alpha and F, whose lengths are in units of scale^alpha.
std::string powered_unit(const FermatJobParams& params, double alpha, double scale);

/// "α = 2".
std::string alpha_text(double alpha);

/// Shares of the pairs as records and --json have them: null of an estimate and where weights
/// vanish; there also "known_pairs", numbers of pairs without those of such a weight.
nlohmann::ordered_json edges_json(const AlphaFindings& run);

/// Sentences: what Fermat changed at each alpha, and whether the power alone did as much.
/// `matrices` holds d, then F^(1/alpha), d^alpha and F for every alpha in turn.
std::vector<std::string> findings_in_words(const FermatJobParams& params,
                                           const std::vector<AlphaFindings>& alphas,
                                           const std::vector<MatrixFindings>& matrices);

/// Sentences: what a reader of the lengths of one alpha must know. `has_paths`: whether there is a
/// third individual, and a distance, for a path to be shorter.
std::vector<std::string> notices_of(const FermatJobParams& params,
                                    const AlphaFindings& run,
                                    bool has_paths = true);
/// The unit of pictures, coordinates and tree of one alpha where it is not that of the lengths.
std::vector<std::string> notices_of_scale(const AlphaFindings& run);
/// A sentence that names the matrices without embedding and scores; none if there are none.
std::vector<std::string> notices_of_infinite(const std::vector<MatrixFindings>& matrices);

/// Shares as percent, with as many decimals (at least one) as show none of them as 0 % or 100 %
/// that is neither; all with the same number, so that complements add up.
std::vector<std::string> percent_texts(const std::vector<double>& shares);
/// "96.4 % of the edges kept, 3.6 % replaced": those of a run that are not zero.
std::string shares_text(const AlphaFindings& run);

}  // namespace yupana::job
