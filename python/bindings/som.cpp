#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/call.hpp"
#include "python/bindings/numpy.hpp"
#include "yupana/core/error.hpp"
#include "yupana/som/quality.hpp"
#include "yupana/som/train.hpp"

namespace yupana::python {
namespace {

using som::SomParams;

template <class Value>
Value chosen(const char* what,
             const std::string& name,
             std::initializer_list<std::pair<const char*, Value>> choices) {
  std::string known;
  for (const auto& [other, value] : choices) {
    if (name == other) return value;
    known += (known.empty() ? "" : ", ") + std::string(other);
  }
  throw Error(ErrorCode::usage, fmt::format("{}: '{}' is unknown; use {}", what, name, known));
}

SomParams params_of(std::int64_t rows,
                    std::int64_t cols,
                    const std::string& lattice,
                    bool toroidal,
                    const std::string& neighborhood,
                    std::int64_t iterations,
                    std::int64_t smooth,
                    double sigma0,
                    double sigmaf,
                    double tau,
                    const std::string& initial,
                    const std::string& training,
                    double learning_rate,
                    std::uint64_t seed) {
  SomParams params;
  params.grid = {rows,
                 cols,
                 chosen<som::Lattice>("lattice",
                                      lattice,
                                      {{"rectangular", som::Lattice::rectangular},
                                       {"hexagonal", som::Lattice::hexagonal}}),
                 toroidal};
  params.neighborhood = chosen<som::Neighborhood>("neighborhood",
                                                  neighborhood,
                                                  {{"gaussian", som::Neighborhood::gaussian},
                                                   {"truncated", som::Neighborhood::truncated},
                                                   {"bubble", som::Neighborhood::bubble}});
  params.schedule = {iterations, smooth, sigma0, sigmaf, tau};
  params.initial = chosen<som::Initial>("initial",
                                        initial,
                                        {{"uniform", som::Initial::uniform},
                                         {"samples", som::Initial::samples},
                                         {"pca", som::Initial::pca}});
  params.training = chosen<som::Training>(
      "training", training, {{"batch", som::Training::batch}, {"online", som::Training::online}});
  params.learning_rate = learning_rate;
  params.seed = seed;
  return params;
}

nb::dict nearest_dict(som::NearestNeurons&& nearest) {
  nb::dict result;
  result["best"] = to_numpy(std::move(nearest.best));
  result["second"] = to_numpy(std::move(nearest.second));
  result["best_distance"] = to_numpy(std::move(nearest.best_distance));
  result["second_distance"] = to_numpy(std::move(nearest.second_distance));
  return result;
}

/// Distances of every sample to every neuron, n x K, as the search defines them.
Matrix<double> all_distances(Context& context,
                             MatrixView<const float> samples,
                             MatrixView<const float> codebook) {
  som::check_finite(context, samples, "samples");
  Matrix<double> result(samples.rows, codebook.rows);
  context.parallel_for(samples.rows, 256, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t k = 0; k < codebook.rows; ++k) {
        result(i, k) =
            std::sqrt(som::squared_distance(samples.row(i), codebook.row(k), samples.cols));
      }
    }
  });
  return result;
}

void check_features(const Rows<float>& samples, const Rows<float>& codebook) {
  if (samples.shape(1) == codebook.shape(1)) return;
  throw Error(
      ErrorCode::bad_input,
      fmt::format("the map has {} features, the samples {}", codebook.shape(1), samples.shape(1)));
}

void bind_training(nb::module_& m) {
  m.def(
      "train",
      [](const Options& options,
         Rows<float> samples,
         std::optional<Rows<float>> codebook,
         const SomParams& params) {
        return to_numpy(call(options, [&](Context& context) {
          if (!codebook) return som::train(context, view_of(samples), params);
          const MatrixView<const float> from = view_of(*codebook);
          Matrix<float> copy(from.rows, from.cols);
          for (std::int64_t i = 0; i < from.rows; ++i) {
            std::copy(from.row(i), from.row(i) + from.cols, copy.row(i));
          }
          return som::train_from(context, view_of(samples), std::move(copy), params);
        }));
      },
      nb::arg(),
      nb::arg(),
      nb::arg("codebook").none(),
      nb::arg("params"));
  m.def("sigmas", [](const SomParams& params) {
    const som::Schedule schedule = som::resolved(params.schedule, params.grid);
    std::vector<double> sigmas;
    for (std::int64_t t = 0; t < schedule.iterations; ++t) sigmas.push_back(schedule.sigma(t));
    return to_numpy(std::move(sigmas));
  });
}

void bind_use(nb::module_& m) {
  m.def("nearest", [](const Options& options, Rows<float> samples, Rows<float> codebook) {
    return nearest_dict(call(options, [&](Context& context) {
      return som::nearest_neurons(context, view_of(samples), view_of(codebook));
    }));
  });
  m.def("distances", [](const Options& options, Rows<float> samples, Rows<float> codebook) {
    check_features(samples, codebook);
    return to_numpy(call(
        options,
        [&](Context& context) {
          return all_distances(context, view_of(samples), view_of(codebook));
        },
        Runs::on_the_processor));
  });
  m.def("quality",
        [](const Options& options,
           Rows<float> samples,
           Rows<float> codebook,
           const SomParams& params,
           int neighbors) {
          const som::Quality quality = call(options, [&](Context& context) {
            return som::quality(som::nearest_neurons(context, view_of(samples), view_of(codebook)),
                                params.grid,
                                neighbors);
          });
          nb::dict result;
          result["quantization_error"] = quality.quantization_error;
          result["topographic_error"] = quality.topographic_error;
          result["empty"] = quality.empty;
          return result;
        });
  m.def("u_matrix", [](Rows<float> codebook, const SomParams& params) {
    return to_numpy(som::u_matrix(view_of(codebook), params.grid));
  });
}

}  // namespace

void bind_som(nb::module_& module) {
  nb::module_ m = module.def_submodule("som", "Self-organizing maps.");
  nb::class_<SomParams>(m, "Params", "The map and how it is trained.");
  m.def("params",
        &params_of,
        nb::arg("rows"),
        nb::arg("cols"),
        nb::arg("lattice"),
        nb::arg("toroidal"),
        nb::arg("neighborhood"),
        nb::arg("iterations"),
        nb::arg("smooth"),
        nb::arg("sigma0"),
        nb::arg("sigmaf"),
        nb::arg("tau"),
        nb::arg("initial"),
        nb::arg("training"),
        nb::arg("learning_rate"),
        nb::arg("seed"));
  bind_training(m);
  bind_use(m);
}

}  // namespace yupana::python
