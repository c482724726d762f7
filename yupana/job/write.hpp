#pragma once

#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/io/npy_matrix.hpp"
#include "yupana/job/analyze.hpp"
#include "yupana/job/fermat.hpp"
#include "yupana/report/report.hpp"

namespace yupana::job {

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
