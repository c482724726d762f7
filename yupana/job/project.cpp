// Samples among the components of an earlier run.
#include <filesystem>
#include <set>

#include "yupana/core/counted.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/loadings.hpp"
#include "yupana/job/count.hpp"
#include "yupana/job/pca.hpp"
#include "yupana/job/plan.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

constexpr std::int64_t sites_at_once = 2048;

}  // namespace

std::uint64_t projection_bytes(const PlanParams& sizes, const PcaJobParams& params, bool dosage) {
  constexpr std::int64_t components = 10;
  std::error_code none;
  const auto file = std::filesystem::file_size(params.project, none);
  const std::uint64_t loadings = none ? 0 : static_cast<std::uint64_t>(file) * 3 / 2;
  const std::int64_t codes = (dosage ? 5 : 1) * sizes.samples;
  const std::int64_t blocks = sites_at_once * (3 * codes / 4 + 400);
  return sizes.reader_bytes + loadings +
         static_cast<std::uint64_t>(blocks + sizes.samples * (8 * components + 100));
}

Matrix<double> project(Context& context,
                       Input& input,
                       const std::string& path,
                       std::int64_t autosomes) {
  const io::Loadings loadings(path, autosomes);
  if (!loadings.counted()) {
    context.note(fmt::format(
        "{}: written by an earlier version, which did not say how many sites there are: that it is "
        "whole is not known",
        path));
  }
  const std::int64_t n = std::ssize(input.cohort.samples());
  Matrix<double> scores(n, loadings.components());
  std::fill(scores.data(), scores.data() + n * loadings.components(), 0.0);
  const Stage stage(context, "projection");
  std::set<const double*> met;
  input.cohort.name_sites();
  input.cohort.rewind();
  genotype::CallBlock block;
  while (input.cohort.read(block, sites_at_once)) {
    std::vector<genotype::SiteScore> sites;
    for (std::int64_t k = 0; k < block.codes.sites; ++k) {
      const genotype::SiteName& name = block.codes.names.at(static_cast<std::size_t>(k));
      sites.push_back(loadings.score(name));
      if (sites.back().weights == nullptr || met.insert(sites.back().weights).second) continue;
      throw input_error("site {}:{} {} {} appears twice among those of {}; leave one out",
                        name.chromosome,
                        name.position,
                        name.a1,
                        name.a2,
                        path);
    }
    genotype::add_scores(context, block, sites, scores.view());
  }
  if (met.empty()) {
    throw input_error(
        "--project: no site of {} is in the input; expected the same chromosomes, positions and "
        "alleles",
        path);
  }
  if (std::ssize(met) < loadings.sites()) {
    context.note(
        fmt::format("--project: {} of {} {} not among the sites of the input that are kept, and "
                    "counted as missing calls",
                    loadings.sites() - std::ssize(met),
                    counted(loadings.sites(), "site"),
                    loadings.sites() - std::ssize(met) == 1 ? "is" : "are"));
  }
  return scores;
}

}  // namespace yupana::job
