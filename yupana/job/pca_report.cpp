#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "yupana/core/version.hpp"
#include "yupana/job/describe.hpp"
#include "yupana/job/grm.hpp"
#include "yupana/report/text.hpp"

namespace yupana::job {
namespace {

constexpr std::size_t most_arrows = 10;

/// Coordinates of norm sqrt(eigenvalue), so that their squared distances are those of the matrix.
Matrix<double> scores_of(const analysis::PcaResult& pca) {
  Matrix<double> scores(pca.vectors.rows(), pca.vectors.cols());
  for (std::int64_t i = 0; i < scores.rows(); ++i) {
    for (std::int64_t k = 0; k < scores.cols(); ++k) {
      const double value = pca.eigenvalues[static_cast<std::size_t>(k)];
      scores(i, k) = pca.vectors(i, k) * std::sqrt(std::max(value, 0.0));
    }
  }
  return scores;
}

std::string note_of(const PcaJobParams& params, std::int64_t arrows) {
  return fmt::format(
      "Principal components of the genomic relationship matrix (standardized as {}): eigenvectors, "
      "each times the root of its eigenvalue. Each title gives the share of the component: its "
      "eigenvalue over the sum of all.{}",
      params.standardize == genotype::Standardize::gcta ? "GCTA and PLINK 2" : "EIGENSOFT",
      arrows > 0 ? fmt::format(" Arrows are the loadings of the {} that {} most in the first two "
                               "components; the longest takes a third of the panel.",
                               grouped(arrows, "site"),
                               arrows == 1 ? "weighs" : "weigh")
                 : "");
}

const char* missing_sentence(const PcaJobParams& params) {
  using enum genotype::Missing;
  const genotype::Missing missing = params.input.cohort.missing;
  if (missing == error) return "refused (--missing error)";
  if (missing == mode) return "replaced by the site's most frequent genotype (--missing mode)";
  return params.approximate ? "count as their site's mean (--approx)"
                            : "left out of the pairs they touch (--missing pairwise)";
}

}  // namespace

void BiplotSites::add(const genotype::SiteName& site, std::vector<double> loadings) {
  const double length = loadings.size() < 2 ? 0 : std::hypot(loadings[0], loadings[1]);
  if (length == 0 || (sites_.size() == most_arrows && length <= sites_.back().first)) return;
  const bool named = !site.name.empty() && site.name != ".";
  std::string name = named ? site.name : fmt::format("{}:{}", site.chromosome, site.position);
  const auto place = std::find_if(
      sites_.begin(), sites_.end(), [&](const auto& other) { return other.first < length; });
  sites_.insert(place, {length, {std::move(name), std::move(loadings)}});
  if (sites_.size() > most_arrows) sites_.pop_back();
}

std::vector<report::Arrow> BiplotSites::arrows() const {
  std::vector<report::Arrow> arrows;
  for (const auto& site : sites_) arrows.push_back(site.second);
  return arrows;
}

void write_pca_report(Context& context,
                      const PcaJobParams& params,
                      const Components& components,
                      const genotype::Cohort& cohort,
                      const RunLabels& labels,
                      const BiplotSites& biplot,
                      OutputFiles& files) {
  const Stage stage(context, "report");
  report::Report report;
  report.title = std::filesystem::path(params.input.path).filename().string();
  report.individuals = cohort.samples();
  labels.show(report);
  report.figure_width = params.pictures.width;
  const analysis::PcaResult& pca = components.pca;
  for (const double value : pca.eigenvalues) report.scree.push_back(value / pca.trace);
  report.embeddings.push_back({"principal components", scores_of(pca), report.scree});
  report.side_by_side = {0, 0};
  report.axis = "PC";
  report.arrows = biplot.arrows();
  report.embedding_note = note_of(params, std::ssize(report.arrows));
  const std::string size = grouped(std::ssize(report.individuals), "individual") + ", " +
                           grouped(components.sites, "site");
  report.subtitle = size;
  if (report.scree.size() > 1) {
    report.findings.push_back(fmt::format("Two components hold {} of the variance of {}.",
                                          report::percent(report.scree[0] + report.scree[1]),
                                          size));
  }
  if (!params.command.empty()) report.summary.emplace_back("command", params.command);
  report.summary.emplace_back("input", params.input.path);
  if (!params.labels.empty()) {
    report.summary.emplace_back("labels", labels_text(params.labels, params.label_column));
  }
  report.summary.emplace_back("calls",
                              params.input.cohort.dosage ? "dosages (--dosage)" : "hard calls");
  report.summary.emplace_back("missing calls", missing_sentence(params));
  report.summary.emplace_back("filters", filters_of(params.input));
  report.summary.emplace_back("size", size);
  report.summary.emplace_back("version", std::string("yupana ") + version);
  report::write_report(files, params.out, report, params.pictures.figures);
}

}  // namespace yupana::job
