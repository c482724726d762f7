#pragma once

#include <string>
#include <utility>
#include <vector>

#include "yupana/job/fermat.hpp"

namespace yupana::job {

using Rows = std::vector<std::pair<std::string, std::string>>;

/// What was measured and with which options, as rows of name and value: command, input, metric,
/// missing calls, filters, graph, alpha, linkage. The head of the report's table.
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

/// "pairwise", "mode" or "error".
std::string missing_name(genotype::Missing missing);

/// "euclidean"; of a given matrix "given" or, if it holds squares, "given, squared".
std::string metric_of(const FermatJobParams& params);

/// "average", "single" or "complete".
std::string linkage_name(analysis::Linkage linkage);

/// Unit of d.
std::string distance_unit(const FermatJobParams& params);
/// Unit of d^alpha and F, whose lengths are in units of scale^alpha.
std::string powered_unit(const FermatJobParams& params, double alpha, double scale);

}  // namespace yupana::job
