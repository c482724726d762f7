#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/genotype.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/job/fermat.hpp"
#include "yupana/job/pca.hpp"

namespace yupana::python {
namespace {

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
  m.def(
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
      },
      nb::arg(),
      nb::arg(),
      nb::arg(),
      nb::arg("components"));
}

}  // namespace yupana::python
