#pragma once

#include <string>
#include <vector>

#include "yupana/analysis/clustering.hpp"
#include "yupana/analysis/mds.hpp"
#include "yupana/analysis/scores.hpp"
#include "yupana/core/context.hpp"
#include "yupana/graph/fermat.hpp"
#include "yupana/job/fermat.hpp"
#include "yupana/report/report.hpp"

namespace yupana::job {

/// outer * (inner * entry)^exponent in float, "no path" as +inf; the diagonal stays zero.
struct Power {
  double exponent = 1;
  double inner = 1;
  double outer = 1;
};
SquareMatrix<float> powered(Context& context, const graph::AnyMatrix& matrix, const Power& power);
/// Whether both give the same floats, bit for bit, without making them.
bool same_powers(Context& context,
                 const graph::AnyMatrix& a,
                 const Power& power_a,
                 const graph::AnyMatrix& b,
                 const Power& power_b);

/// Populations of the individuals: names, and per individual which one (-1: none). Both are empty
/// in a run without labels.
struct RunLabels {
  std::vector<std::string> names;
  analysis::Labels classes;
};

/// Unit of the distances in which d^alpha and F fit the floats of pictures and scores: that of the
/// lengths, or the largest distance where its power would not fit.
double shown_scale(const graph::FermatResult& closed,
                   const graph::AnyMatrix& distances,
                   bool squared);

/// What is worked out for one distance matrix: the rows of the report's tables and pictures.
struct Understanding {
  MatrixFindings findings;
  analysis::MdsResult mds;
  std::vector<analysis::Merge> merges;  ///< of the run's linkage
  report::HeatMap heat_map;
  report::Histogram histogram;
};

/// Embedding, tree, scores (where there are labels) and pictures of one matrix.
Understanding understand(Context& context,
                         const std::string& name,
                         const SquareMatrix<float>& distances,
                         const analysis::Labels& labels,
                         const FermatJobParams& params);

/// The same for a matrix that holds the same numbers.
Understanding renamed(const Understanding& understood, const std::string& name);

/// Sentences: what Fermat changed at each alpha, and whether the power alone did as much.
/// `matrices` holds d, then F^(1/alpha), d^alpha and F for every alpha in turn.
std::vector<std::string> findings_in_words(const FermatJobParams& params,
                                           const std::vector<AlphaFindings>& alphas,
                                           const std::vector<MatrixFindings>& matrices);

/// Sentences: what a reader of the lengths of one alpha must know.
std::vector<std::string> notices_of(const FermatJobParams& params, const AlphaFindings& run);
/// A sentence that names the matrices without embedding and scores; none if there are none.
std::vector<std::string> notices_of_infinite(const std::vector<MatrixFindings>& matrices);

/// Shares as percent, with as many decimals (at least one) as show none of them as 0 % or 100 %
/// that is neither; all with the same number, so that complements add up.
std::vector<std::string> percent_texts(const std::vector<double>& shares);
/// "96.4 % of the edges kept, 3.6 % replaced": those of a run that are not zero.
std::string shares_text(const AlphaFindings& run);

}  // namespace yupana::job
