#include <nanobind/stl/string.h>

#include "python/bindings/choices.hpp"
#include "python/bindings/genotype.hpp"
#include "python/bindings/numpy.hpp"
#include "yupana/job/pca.hpp"

namespace yupana::python {
namespace {

using genotype::Standardize;

const Choices<Standardize> scales{{"gcta", Standardize::gcta},
                                  {"eigensoft", Standardize::eigensoft}};

/// The input with dosages instead of hard calls, or as it is.
GenotypeInput with_dosages(GenotypeInput input, bool dosage) {
  input.file.cohort.dosage = dosage;
  return input;
}

SquareMatrix<double> grm(Context& context, const GenotypeInput& input, Standardize standardize) {
  job::Input opened = open_genotypes(context, input);
  // A square of doubles is 16 bytes a pair.
  const job::GrmPlan plan =
      job::plan_grm(context, opened, input.file, {.cell_bytes = 16, .one_band = true});
  return job::grm_matrix(
      context, job::count_grm(context, opened, plan, {.standardize = standardize, .rows = {}}));
}

}  // namespace

void bind_relationships(nb::module_& m) {
  m.def(
      "grm",
      [](const GenotypeInput& given,
         const Options& options,
         const std::string& standardize,
         bool dosage) {
        const Standardize scale = chosen("standardize", standardize, scales);
        const GenotypeInput input = with_dosages(given, dosage);
        return to_numpy<double>(
            call(options, [&](Context& context) { return grm(context, input, scale); }));
      },
      nb::arg(),
      nb::arg(),
      nb::arg("standardize"),
      nb::arg("dosage"));
  m.def(
      "pca",
      [](const GenotypeInput& given,
         const Options& options,
         std::int64_t components,
         const std::string& standardize,
         bool dosage) {
        const Standardize scale = chosen("standardize", standardize, scales);
        const GenotypeInput input = with_dosages(given, dosage);
        analysis::PcaResult result = call(options, [&](Context& context) {
          job::Input opened = open_genotypes(context, input);
          job::PcaJobParams params;
          params.input = input.file;
          params.standardize = scale;
          params.pca = {components};
          return job::find_components(context, opened, params).pca;
        });
        nb::dict facts;
        facts["vectors"] = to_numpy<double>(std::move(result.vectors));
        facts["eigenvalues"] = to_numpy(std::move(result.eigenvalues));
        facts["trace"] = result.trace;
        return facts;
      },
      nb::arg(),
      nb::arg(),
      nb::arg("components"),
      nb::arg("standardize"),
      nb::arg("dosage"));
  m.def("pca_project",
        [](const GenotypeInput& given,
           const Options& options,
           const std::string& loadings,
           bool dosage) {
          const GenotypeInput input = with_dosages(given, dosage);
          return to_numpy<double>(call(options, Runs::on_the_processor, [&](Context& context) {
            job::Input opened = open_genotypes(context, input);
            return job::project(context, opened, loadings, input.file.autosomes);
          }));
        });
}

}  // namespace yupana::python
