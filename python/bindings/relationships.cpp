#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/choices.hpp"
#include "python/bindings/genotype.hpp"
#include "python/bindings/views.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/job/fermat.hpp"
#include "yupana/job/grm.hpp"

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

/// What is drawn of a run, and where.
struct Drawing {
  std::string out, labels, label_column;
  std::vector<std::string> figures;
  std::optional<double> width;
};

report::PictureParams pictures_of(const Drawing& drawing) {
  constexpr double low = report::smallest_figure_width, high = report::largest_figure_width;
  const double width = drawing.width.value_or(low);
  if (!(width >= low && width <= high)) {
    throw usage_error(
        "--figure-width: expected a number from {} to {}, got '{}'", low, high, width);
  }
  return {drawing.width.value_or(0), report::formats_named(drawing.figures)};
}

template <class Params>
void set(Params& job, const GenotypeInput& input, const Drawing& drawing) {
  if (input.is_array()) {
    throw usage_error(
        "source: expected genotypes of a file, got an array; write it by yupana.filter first");
  }
  if (!drawing.label_column.empty() && drawing.labels.empty()) {
    throw usage_error("--label-column has no effect without --labels; leave it out");
  }
  job.input = input.file;
  job.labels = drawing.labels;
  job.label_column = drawing.label_column;
  job.pictures = pictures_of(drawing);
  job.out = drawing.out;
}

}  // namespace

void bind_relationships(nb::module_& m) {
  def<"_ _ standardize dosage">(
      m,
      "grm",
      [](const GenotypeInput& given,
         const Options& options,
         const std::string& standardize,
         bool dosage) {
        const Standardize scale = chosen("standardize", standardize, scales);
        const GenotypeInput input = with_dosages(given, dosage);
        return to_numpy<double>(
            call(options, [&](Context& context) { return grm(context, input, scale); }));
      });
  def<"_ _ components standardize dosage">(
      m,
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
      });
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

void bind_report(nb::module_& module) {
  nb::module_ m = module.def_submodule("report", "Pages and figures of whole runs.");
  nb::class_<Drawing>(m, "Drawing")
      .def(nb::init<>())
      .def_rw("out", &Drawing::out)
      .def_rw("labels", &Drawing::labels)
      .def_rw("label_column", &Drawing::label_column)
      .def_rw("figures", &Drawing::figures)
      .def_rw("width", &Drawing::width);
  m.def("fermat",
        [](const Options& options,
           const GenotypeInput& input,
           const Drawing& drawing,
           std::vector<double> alphas) {
          job::FermatJobParams job;
          job.automatic_alpha = alphas.empty();
          job.alphas = std::move(alphas);
          return call(options, [&](Context& context) {
            set(job, input, drawing);
            return job::run_fermat(context, job).files;
          });
        });
  def<"_ _ _ components">(m,
                          "pca",
                          [](const Options& options,
                             const GenotypeInput& input,
                             const Drawing& drawing,
                             std::int64_t components) {
                            job::PcaJobParams job;
                            job.report = true;
                            job.pca.components = components;
                            return call(options, Runs::on_the_processor, [&](Context& context) {
                              set(job, input, drawing);
                              return job::run_pca(context, job).files;
                            });
                          });
}

}  // namespace yupana::python
