#pragma once

#include "yupana/core/context.hpp"
#include "yupana/graph/fermat.hpp"
#include "yupana/job/fermat.hpp"
#include "yupana/job/load.hpp"

namespace yupana::job {

/// The alphas of a run: those given or, of --alpha auto, the one that its distances call for.
std::vector<double> alphas_of(Context& context,
                              const FermatJobParams& params,
                              const FermatInput& input);

/// Shortest paths of one alpha; the distances stay.
graph::FermatResult shortest_paths(Context& context,
                                   const FermatJobParams& params,
                                   const FermatInput& input,
                                   double alpha);

/// Names of the types of lengths and weights, in the order of graph::AnyMatrix, as records have
/// them.
inline constexpr const char* precision_names[] = {"int32", "float32", "float64"};

/// Facts about a shortest-path result; FermatResult and RankFermatResult.
template <class Result>
AlphaFindings findings_of(const Result& result) {
  AlphaFindings findings;
  findings.alpha = result.alpha;
  findings.unit = {result.alpha, result.weight_scale, result.rooted};
  findings.kept_edges = result.kept_edges;
  findings.replaced_edges = result.replaced_edges;
  findings.unreachable_pairs = result.unreachable_pairs;
  findings.method = result.method;
  findings.precision = precision_names[result.lengths.index()];
  findings.weights_precision = precision_names[result.precision == graph::Precision::integer   ? 0
                                               : result.precision == graph::Precision::float32 ? 1
                                                                                               : 2];
  findings.components = result.components;
  if constexpr (requires { result.largest_rank; }) {
    findings.longer_edges = result.longer_edges;
    findings.certified = result.certified;
    findings.largest_rank = result.largest_rank;
  }
  return findings;
}

}  // namespace yupana::job
