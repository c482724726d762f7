#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yupana/analysis/mds.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/genotype/grm.hpp"
#include "yupana/io/matrix_writer.hpp"
#include "yupana/job/input.hpp"
#include "yupana/job/load.hpp"
#include "yupana/job/plan.hpp"
#include "yupana/report/report.hpp"

namespace yupana::job {

struct GrmJobParams {
  InputParams input;
  genotype::Standardize standardize = genotype::GrmParams{}.standardize;
  bool gcta = true;  ///< PREFIX.grm.bin, .grm.N.bin, .grm.id
  bool npy = true;   ///< PREFIX.grm.npy
  io::NpyType type = io::NpyType::float64;
  std::optional<double> cutoff;  ///< PREFIX.grm.sp: pairs of this relationship or more
  std::string out;               ///< prefix of the files
};

struct GrmJobResult {
  genotype::CohortSummary cohort;
  std::int64_t pairs_without_sites = 0;  ///< NaN in the matrix
  std::int64_t passes = 1;               ///< over the input
  std::vector<std::string> files;
};

/// Sites that are read at a time, and bands of rows that memory holds. Blocks are as large as
/// memory allows up to 1 GiB: more sites then share a weight.
struct GrmPlan {
  std::int64_t block_sites = 0;
  std::vector<Range> bands;
  std::uint64_t block_bytes = 0;  ///< of the sites of a block
  std::uint64_t cells = 0;        ///< pairs of the largest band, with those of a sample and itself
  std::uint64_t write_bytes = 0;  ///< of rows of a .npy that are written at a time
  /// Memory with which one pass would do, where there are several; else 0.
  std::uint64_t one_pass_bytes = 0;
};

/// What a run holds besides its sums of pairs.
struct GrmNeeds {
  int cell_bytes = 0;             ///< of a pair, next to its sums
  bool one_band = false;          ///< it needs all pairs at once
  std::uint64_t later_bytes = 0;  ///< at least, when all that is gone
};

///   errors: out_of_resources where one row, or with `one_band` all of them, do not fit
/// Pairs of the rows without a called site in common.
std::int64_t pairs_without_sites(const genotype::Grm& grm);

GrmPlan plan_grm(const Context& context,
                 const Input& input,
                 const InputParams& params,
                 const GrmNeeds& needs);

/// The same in the words of --plan: memory of the program too; no files yet.
Plan plan_of_grm(const Context& context,
                 const Input& input,
                 const InputParams& params,
                 const GrmPlan& grm);

/// Adds a time of the run to its peak: `held`, sums of so many pairs and `cell_bytes` of each.
void hold_sums(Plan& plan, std::uint64_t held, std::uint64_t cell_bytes, std::uint64_t cells);

/// What run_grm() would hold and write.
Plan plan_grm_job(Context& context, const GrmJobParams& params);

/// Rows of the matrix over the whole input, with progress.
genotype::Grm count_grm(Context& context,
                        Input& input,
                        const GrmPlan& plan,
                        const genotype::GrmParams& params);

/// The whole matrix, symmetric.
SquareMatrix<double> grm_matrix(Context& context, const genotype::Grm& grm);

/// Notes that frequencies are of samples with parents too, where there are some.
void note_frequencies(const Context& context, const Input& input);

/// Genotypes in, a genomic relationship matrix in files out. One process.
GrmJobResult run_grm(Context& context, const GrmJobParams& params);

struct PcaJobParams {
  InputParams input;
  genotype::Standardize standardize = genotype::GrmParams{}.standardize;
  analysis::PcaParams pca;
  bool approximate = false;
  bool loadings = false;  ///< PREFIX.loadings.tsv
  bool report = false;    ///< PREFIX.html, .svg, .pdf and .png
  std::string labels;     ///< of the report
  std::string label_column;
  report::PictureParams pictures;
  std::string command;  ///< the command line, for the report
  std::string project;  ///< PREFIX.loadings.tsv of an earlier run, instead of components
  std::string out;      ///< prefix of the files
};

struct PcaJobResult {
  genotype::CohortSummary cohort;
  std::vector<double> eigenvalues;
  double trace = 0;  ///< sum of all eigenvalues
  std::vector<std::string> files;
};

struct Components {
  analysis::PcaResult pca;
  std::int64_t sites = 0;
};

/// Components of the relationships of an input.
///   memory: 28 bytes a pair of samples
///   errors: bad_input where a pair of samples has no called site in common
Components find_components(Context& context, Input& input, const PcaJobParams& params);

/// Coordinates of the samples of an input among the components of an earlier run, whose loadings
/// are at `path`, with that run's frequencies: of its own samples, where no call is missing, their
/// vectors. Missing calls and sites that the input does not have count as the mean; alleles may be
/// exchanged. One pass; memory: the loadings.
///   errors: those of io::Loadings; bad_input where no site is found, or one twice
Matrix<double> project(Context& context,
                       Input& input,
                       const std::string& path,
                       std::int64_t autosomes);

/// What run_pca() would hold and write.
Plan plan_pca(Context& context, const PcaJobParams& params);

/// Genotypes in, the principal components of their relationship matrix out: PREFIX.eigenvec and
/// PREFIX.eigenval; PREFIX.loadings.tsv. Of a projection
/// PREFIX.eigenvec alone. One process, on the CPU.
PcaJobResult run_pca(Context& context, const PcaJobParams& params);

/// The sites that weigh most in the first two components.
class BiplotSites {
 public:
  void add(const genotype::SiteName& site, std::vector<double> loadings);
  std::vector<report::Arrow> arrows() const;

 private:
  std::vector<std::pair<double, report::Arrow>> sites_;  ///< by length, longest first
};

/// PREFIX.html, .svg, .pdf and .png of principal components: individuals, shares of the axes and,
/// where loadings are known, arrows of the sites that weigh most.
void write_pca_report(Context& context,
                      const PcaJobParams& params,
                      const Components& components,
                      const genotype::Cohort& cohort,
                      const RunLabels& labels,
                      const BiplotSites& biplot,
                      OutputFiles& files);

}  // namespace yupana::job
