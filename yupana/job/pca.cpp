#include "yupana/job/pca.hpp"

#include "yupana/core/messages.hpp"
#include "yupana/job/distances.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

void refuse_unshared_pairs(const genotype::Grm& grm, const std::vector<std::string>& names) {
  std::int64_t pairs = 0;
  if (grm.missing_both.empty()) return;
  for (std::int64_t i = 0; i < grm.samples; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) pairs += grm.shared(i, j) == 0;
  }
  refuse_unshared(pairs, names, {0, grm.samples}, [&](std::int64_t i, std::int64_t j) {
    return grm.shared(i, j) > 0;
  });
}

/// As PLINK 2: a header "#FID IID PC1 ...", or "#IID PC1 ..." of inputs without families.
void write_vectors(AtomicFile& file, const Input& input, const Matrix<double>& vectors) {
  const bool families = !input.families.empty();
  std::string text = families ? "#FID\tIID" : "#IID";
  for (std::int64_t k = 1; k <= vectors.cols(); ++k) text += fmt::format("\tPC{}", k);
  file.write(text + "\n");
  for (std::int64_t i = 0; i < vectors.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    text =
        families ? input.families[at] + "\t" + input.individuals[at] : input.cohort.samples()[at];
    for (std::int64_t k = 0; k < vectors.cols(); ++k) text += fmt::format("\t{}", vectors(i, k));
    file.write(text + "\n");
  }
}

}  // namespace

Components find_components(Context& context,
                           Input& input,
                           genotype::Standardize standardize,
                           const analysis::PcaParams& params) {
  // A square of doubles is 16 bytes a pair.
  const GrmPlan plan = plan_grm(context, input, 16, true);
  Components result;
  SquareMatrix<double> matrix;
  {
    const genotype::Grm grm =
        count_grm(context, input, plan, {.standardize = standardize, .rows = {}});
    result.sites = grm.sites;
    refuse_unshared_pairs(grm, input.cohort.samples());
    matrix = grm_matrix(context, grm);
  }
  if (params.components > matrix.size()) {
    context.note(fmt::format("{} samples have no more components", matrix.size()));
  }
  const Stage stage(context, "components");
  result.pca = analysis::pca(context, matrix.view(), params);
  return result;
}

PcaJobResult run_pca(Context& context, const PcaJobParams& params) {
  Input input = open_input(context, params.input);
  Components components = find_components(context, input, params.standardize, params.pca);
  analysis::PcaResult& pca = components.pca;
  PcaJobResult result;
  result.cohort = input.cohort.summary();
  result.samples = pca.vectors.rows();
  result.sites = components.sites;
  OutputFiles files;
  write_vectors(files.add(params.out + ".eigenvec"), input, pca.vectors);
  AtomicFile& values = files.add(params.out + ".eigenval");
  for (const double value : pca.eigenvalues) values.write(fmt::format("{}\n", value));
  commit_files(context, files, result.files);
  result.eigenvalues = std::move(pca.eigenvalues);
  result.trace = pca.trace;
  return result;
}

}  // namespace yupana::job
