// Samples among the components of an earlier run.
#include <set>

#include "yupana/core/counted.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/loadings.hpp"
#include "yupana/job/pca.hpp"

namespace yupana::job {

Matrix<double> project(Context& context,
                       Input& input,
                       const std::string& path,
                       std::int64_t autosomes) {
  constexpr std::int64_t pass_sites = 2048;
  const io::Loadings loadings(path, autosomes);
  const std::int64_t n = std::ssize(input.cohort.samples());
  Matrix<double> scores(n, loadings.components());
  std::fill(scores.data(), scores.data() + n * loadings.components(), 0.0);
  const Stage stage(context, "projection");
  std::set<const double*> met;
  input.cohort.name_sites();
  input.cohort.rewind();
  genotype::CallBlock block;
  while (input.cohort.read(block, pass_sites)) {
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
        fmt::format("--project: {} of {} {} not in the input, and counted as missing calls",
                    loadings.sites() - std::ssize(met),
                    counted(loadings.sites(), "site"),
                    loadings.sites() - std::ssize(met) == 1 ? "is" : "are"));
  }
  return scores;
}

}  // namespace yupana::job
