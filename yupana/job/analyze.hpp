#pragma once

#include <string>
#include <vector>

#include "yupana/analysis/clustering.hpp"
#include "yupana/analysis/fermat_edges.hpp"
#include "yupana/analysis/mds.hpp"
#include "yupana/core/context.hpp"
#include "yupana/graph/fermat.hpp"
#include "yupana/job/fermat.hpp"
#include "yupana/job/load.hpp"
#include "yupana/job/units.hpp"
#include "yupana/report/report.hpp"

namespace yupana::job {

/// The power of every entry in float (or double), "no path" as +inf; the diagonal stays zero.
template <class To = float>
SquareMatrix<To> powered(Context& context, const graph::AnyMatrix& matrix, const Power& power);
/// Whether both give the same floats, bit for bit, without making them.
bool same_powers(Context& context,
                 const graph::AnyMatrix& a,
                 const Power& power_a,
                 const graph::AnyMatrix& b,
                 const Power& power_b);

/// The rows of the report's tables and pictures for one distance matrix.
struct MatrixAnalysis {
  MatrixFindings findings;
  analysis::MdsResult mds;
  std::vector<analysis::Merge> merges;  ///< of linkage_of() of the run's tree
  report::HeatMap heat_map;
  report::Histogram histogram;
};

/// Embedding, tree, scores (where there are labels) and pictures of one matrix.
template <class T>
MatrixAnalysis analyze_matrix(Context& context,
                              const std::string& name,
                              const std::string& unit,
                              const SquareMatrix<T>& distances,
                              const analysis::Labels& labels,
                              const FermatJobParams& params);

/// The same for a matrix that holds the same numbers.
MatrixAnalysis renamed(const MatrixAnalysis& other,
                       const std::string& name,
                       const std::string& unit);

/// How a matrix is shown and scored: in units of scale^alpha, in double where float would lose its
/// smallest entries.
struct Shown {
  double scale = 1;
  bool wide = false;
};

/// F^(1/alpha), d^alpha and F of one alpha, and the graph of its paths. The tree of the one that is
/// written (F, with --root its root) is that of the numbers written.
struct AlphaAnalysis {
  MatrixAnalysis roots, weights, lengths;
  analysis::Phylogeny tree;
  std::vector<double> support;  ///< percent for each node of the tree; empty: not asked for
  std::vector<analysis::Edge> edges;
};

/// Share of kept edges against alpha, over at most `sample` individuals.
struct RetentionCurve {
  static constexpr std::int64_t sample = 512;
  std::vector<double> alphas, kept_edges;
};

/// The analyses of a run. Axes of embeddings point the way those of the first one do, so that
/// pictures compare.
class FermatAnalysis {
 public:
  /// Analyzes d.
  FermatAnalysis(Context& context, const FermatJobParams& params, const FermatInput& input);

  const MatrixAnalysis& distances() const { return distances_; }
  /// Sets the scales of `findings`.
  AlphaAnalysis alpha(const graph::FermatResult& paths, AlphaFindings& findings);
  RetentionCurve curve(const std::vector<double>& alphas);

 private:
  MatrixAnalysis analyze(const std::string& name,
                         const std::string& unit,
                         const graph::AnyMatrix& matrix,
                         const Power& power,
                         bool wide);
  /// Analyzes a power of the lengths, given the analysis of the power of d to compare it with.
  /// Where every pair is its own shortest path both most often hold the same floats: nothing is
  /// computed then.
  MatrixAnalysis analyze_lengths(const std::string& name,
                                 const std::string& unit,
                                 const graph::FermatResult& paths,
                                 const Power& power,
                                 bool wide,
                                 const Power& other_power,
                                 const MatrixAnalysis& other);
  std::vector<analysis::Merge> merges_of(const graph::AnyMatrix& lengths);
  Power distances_shown() const;
  std::vector<analysis::Edge> edges(const graph::FermatResult& paths, const Power& power);
  void align(analysis::MdsResult& embedding);

  Context& context_;
  const FermatJobParams& params_;
  const FermatInput& input_;
  double least_ = 0, most_ = 0;  ///< of d
  Shown shown_;                  ///< d and F^(1/alpha)
  std::string unit_;             ///< of these
  MatrixAnalysis distances_;
  Matrix<double> axes_;  ///< points of the first embedding
};

}  // namespace yupana::job
