#pragma once

#include <limits>
#include <string>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/io/npy_matrix.hpp"
#include "yupana/job/fermat.hpp"
#include "yupana/job/understanding.hpp"
#include "yupana/report/report.hpp"

namespace yupana::job {

/// PREFIX.fermat.npy, or PREFIX.alphaA.fermat.npy where a run has several alphas.
std::string fermat_file(const FermatJobParams& params,
                        bool several,
                        double alpha,
                        const std::string& ending);
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
                          const FermatJobResult& result);

/// The files of a Fermat run, gathered as the run goes and made visible together at its end:
///   .dist.npy .fermat.npy .ids .mds.tsv .nwk .graphml .gexf .html .svg .png .json
/// With several alphas the files of one are named PREFIX.alphaA.fermat.npy and so on.
class FermatFiles {
 public:
  FermatFiles(const FermatJobParams& params,
              const std::vector<std::string>& names,
              const RunLabels& labels,
              bool several);

  /// d itself, row by row from d^2: .dist.npy
  void add_distances(Context& context, const graph::AnyMatrix& distances, bool squared);
  /// A matrix as the report and the table of coordinates show it.
  void add(Understanding understanding);
  /// What belongs to one alpha: .fermat.npy, .nwk, .graphml, .gexf
  void add_alpha(Context& context,
                 const graph::FermatResult& closed,
                 const AlphaFindings& run,
                 const graph::AnyMatrix& distances,
                 bool squared,
                 const Understanding& fermat);
  /// .fermat.npy alone
  void add_lengths(Context& context, const graph::FermatResult& closed, const AlphaFindings& run);
  /// Share of kept edges against alpha.
  void add_curve(Context& context,
                 const graph::AnyMatrix& distances,
                 bool squared,
                 const std::vector<double>& alphas);
  /// Report, tables and record; then every file appears. Fills result.files.
  void write(Context& context, FermatJobResult& result);
  /// The record; then the matrices that were added appear. Fills result.files.
  void write_matrices(Context& context, FermatJobResult& result);

 private:
  /// Axes point the way those of the first embedding do, so that pictures compare.
  void align(analysis::MdsResult& embedding) const;
  const std::string& input_path() const;
  std::string named(double alpha, const std::string& ending) const;
  void write_graphs(Context& context,
                    const graph::FermatResult& closed,
                    const graph::AnyMatrix& distances,
                    bool squared);
  void add_tree(const std::string& name, const std::vector<analysis::Merge>& merges);
  void set_units(const FermatJobResult& result);
  void write_coordinates();
  void commit(Context& context, FermatJobResult& result);
  void write_report(Context& context, const FermatJobResult& result);

  const FermatJobParams& params_;
  const std::vector<std::string>& names_;
  const RunLabels& labels_;
  bool several_;
  OutputFiles files_;
  report::Report report_;
  std::vector<analysis::MdsResult> embeddings_;
  std::vector<std::string> embedding_names_;
};

}  // namespace yupana::job
