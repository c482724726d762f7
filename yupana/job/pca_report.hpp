#pragma once

#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/job/load.hpp"
#include "yupana/job/pca.hpp"
#include "yupana/report/report.hpp"

namespace yupana::job {

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
