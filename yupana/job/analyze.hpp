#pragma once

#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "yupana/analysis/clustering.hpp"
#include "yupana/analysis/mds.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/graph/fermat.hpp"
#include "yupana/io/matrix_writer.hpp"
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

/// Of the files that some runs write and others do not.
inline constexpr std::initializer_list<const char*> optional_endings = {
    ".fermat.npy", ".nwk", ".graphml", ".gexf", ".mds.tsv", ".html", ".svg", ".pdf", ".png"};

/// PREFIX.fermat.npy, or PREFIX.alphaA.fermat.npy where a run has several alphas.
std::string fermat_file(const FermatJobParams& params,
                        bool several,
                        double alpha,
                        const std::string& ending);
/// Refuses files that cannot be written, or that the command reads, before the work.
///   errors: as AtomicFile's constructor
void check_fermat_files(const FermatJobParams& params);
/// The type of .fermat.npy: that of the lengths, or float64, which has an infinity and holds every
/// int32, for integers of which some pairs have none.
io::NpyType length_type(const AlphaFindings& run);
/// A length as .fermat.npy holds it: infinite where no path joins the pair.
template <class T>
double written_length(T length) {
  return length == graph::unreachable<T> ? std::numeric_limits<double>::infinity()
                                         : static_cast<double>(length);
}
/// What PREFIX.json holds.
std::string fermat_record(const FermatJobParams& params,
                          bool several,
                          bool has_tree,
                          const FermatJobResult& result);

/// The files of a Fermat run, written as it proceeds and made visible together at its end:
///   .dist.npy .fermat.npy .ids .mds.tsv .nwk .graphml .gexf .html .svg .pdf .png .json
/// With several alphas the files of one are named PREFIX.alphaA.fermat.npy and so on.
class FermatFiles {
 public:
  FermatFiles(const FermatJobParams& params, const FermatInput& input, bool several);

  /// d itself, row by row from d^2: .dist.npy
  void add_distances(Context& context);
  /// A matrix as the report and the table of coordinates show it.
  void add(MatrixAnalysis analysis);
  /// The files of one alpha: .fermat.npy, .nwk, .graphml, .gexf
  void add_alpha(Context& context,
                 const graph::FermatResult& paths,
                 const AlphaFindings& run,
                 AlphaAnalysis analysis);
  /// .fermat.npy alone
  void add_lengths(Context& context, const graph::FermatResult& paths, const AlphaFindings& run);
  /// Report, tables and record; then every file appears. Fills result.files.
  void write(Context& context, RetentionCurve curve, FermatJobResult& result);
  /// The record; then the matrices that were added appear. Fills result.files.
  void write_matrices(Context& context, FermatJobResult& result);

 private:
  std::string named(double alpha, const std::string& ending) const;
  void write_graphs(const graph::FermatResult& paths, std::vector<analysis::Edge> edges);
  void add_tree(const MatrixAnalysis& analysis);
  void write_coordinates();
  void write_report(Context& context, const FermatJobResult& result);

  const FermatJobParams& params_;
  const FermatInput& input_;
  bool several_;
  OutputFiles files_;
  report::Report report_;
};

/// What a run knows of relatives and populations, as tables of the report.
std::vector<report::TextTable> tables_of(const FermatJobResult& result);

}  // namespace yupana::job
