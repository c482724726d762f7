#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/analysis/pca.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/job/grm.hpp"
#include "yupana/job/load.hpp"
#include "yupana/report/pictures.hpp"
#include "yupana/report/report.hpp"

namespace yupana::job {

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
