#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "python/bindings/call.hpp"
#include "python/bindings/choices.hpp"
#include "python/bindings/views.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/som/clusters.hpp"
#include "yupana/som/nearest.hpp"
#include "yupana/som/som_backends.hpp"
#include "yupana/som/sums.hpp"
#include "yupana/som/train.hpp"

namespace yupana::python {
namespace {

using som::SomParams;

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

Matrix<float> copy_of(MatrixView<const float> from) {
  Matrix<float> copy(from.rows, from.cols);
  for (std::int64_t i = 0; i < from.rows; ++i) {
    std::copy(from.row(i), from.row(i) + from.cols, copy.row(i));
  }
  return copy;
}

void check_features(const Rows<float>& samples, const Rows<float>& codebook) {
  if (samples.shape(1) == codebook.shape(1)) return;
  throw input_error("the map has {} features, the samples {}", codebook.shape(1), samples.shape(1));
}

som::NeuronSums sums_of(Context& context,
                        const Rows<float>& samples,
                        const Rows<float>& codebook,
                        const som::FixedPoint& fixed) {
  if (std::ssize(fixed.scale) != static_cast<std::int64_t>(samples.shape(1))) {
    throw usage_error("sum_by_neuron: expected one scale for each feature");
  }
  if (context.backend() == Backend::reference) {
    return som::reference::sum_by_neuron(context, view_of(samples), view_of(codebook), fixed);
  }
  Stage stage(context, "som", static_cast<double>(samples.shape(0)), "samples");
  return som::cpu::Searcher(context, view_of(samples))
      .sum_by_neuron(view_of(codebook), fixed, stage);
}

/// The codebook after iteration t, of the sums of all samples.
nb::ndarray<nb::numpy, float> smoothed(const Options& options,
                                       Rows<float> codebook,
                                       Vector<std::int64_t> count,
                                       Vector<std::int64_t> sum,
                                       Vector<double> scale,
                                       const SomParams& params,
                                       std::int64_t iteration) {
  const std::int64_t neurons = params.grid.size(), features = size_of(scale);
  if (static_cast<std::int64_t>(codebook.shape(0)) != neurons || size_of(count) != neurons ||
      static_cast<std::int64_t>(codebook.shape(1)) != features ||
      size_of(sum) != neurons * features) {
    throw usage_error("smoothed: expected sums of this map");
  }
  som::NeuronSums sums = som::NeuronSums::zeros(neurons, features);
  std::copy_n(count.data(), neurons, sums.count.data());
  std::copy_n(sum.data(), neurons * features, sums.sum.data());
  const som::FixedPoint fixed{{scale.data(), scale.data() + scale.size()}};
  return to_numpy(call(options, Runs::on_the_processor, [&](Context& context) {
    Matrix<float> result = copy_of(view_of(codebook));
    const som::Schedule schedule = som::resolved(params.schedule, params.grid);
    const auto table =
        som::neighborhood_table(params.grid, params.neighborhood, schedule.sigma(iteration));
    som::smooth(context, sums, fixed, params.grid, table, result);
    return result;
  }));
}

void bind_training(nb::module_& m) {
  def<"_ _ codebook? params">(
      m,
      "train",
      [](const Options& options,
         AnyRows<float> samples,
         std::optional<Rows<float>> codebook,
         const SomParams& params) {
        return to_numpy(call_at(place_of(samples), options, [&](Context& context) {
          if (!codebook) return som::train(context, view_of(samples), params);
          return som::train_from(context, view_of(samples), copy_of(view_of(*codebook)), params);
        }));
      });
  m.def("sigmas", [](const SomParams& params) {
    const som::Schedule schedule = som::resolved(params.schedule, params.grid);
    std::vector<double> sigmas;
    for (std::int64_t t = 0; t < schedule.iterations; ++t) sigmas.push_back(schedule.sigma(t));
    return to_numpy(std::move(sigmas));
  });
}

/// Batch training in pieces, for samples that lie on several machines: sums of each part, added
/// there, and the new codebook of their sum.
void bind_parts(nb::module_& m) {
  m.def("check", [](const SomParams& params) {
    som::check_grid(params.grid);
    som::resolved(params.schedule, params.grid);
  });
  m.def("drawn_rows", [](std::int64_t samples, const SomParams& params) {
    return to_numpy(som::drawn_rows(samples, params.grid.size(), params.seed));
  });
  m.def("initial", [](const Options& options, Rows<float> samples, const SomParams& params) {
    return to_numpy(call(options, [&](Context& context) {
      return som::initial_codebook(context, view_of(samples), params);
    }));
  });
  m.def("largest_values", [](const Options& options, Rows<float> samples) {
    return to_numpy(call(options, Runs::on_the_processor, [&](Context& context) {
      return som::largest_values(context, view_of(samples));
    }));
  });
  m.def("scale", [](std::int64_t samples, Vector<float> largest) {
    return to_numpy(
        som::FixedPoint::of(samples, {largest.data(), largest.data() + largest.size()}).scale);
  });
  m.def(
      "sum_by_neuron",
      [](const Options& options, Rows<float> samples, Rows<float> codebook, Vector<double> scale) {
        check_features(samples, codebook);
        const som::FixedPoint fixed{{scale.data(), scale.data() + scale.size()}};
        som::NeuronSums sums = call(options, Runs::on_the_processor, [&](Context& context) {
          return sums_of(context, samples, codebook, fixed);
        });
        return std::pair(to_numpy(std::move(sums.count)), to_numpy(std::move(sums.sum)));
      });
  m.def("smoothed", &smoothed);
}

som::NearestNeurons nearest(const Options& options,
                            MatrixView<const float> samples,
                            const Rows<float>& codebook) {
  return call(options, [&](Context& context) {
    return som::nearest_neurons(context, samples, view_of(codebook));
  });
}

nb::dict quality_dict(const som::Quality& quality) {
  nb::dict result;
  result["quantization_error"] = quality.quantization_error;
  result["topographic_error"] = quality.topographic_error;
  result["empty"] = quality.empty;
  return result;
}

/// The nearest neurons and the quality of the map; on the host, or the neurons on the samples' GPU.
nb::object judged(const Options& options,
                  const AnyRows<float>& samples,
                  const Rows<float>& codebook,
                  const SomParams& params,
                  int neighbors) {
  const int place = place_of(samples);
  const std::int64_t n = extent(samples, 0);
  Made<std::int32_t> there;
  som::NearestNeurons found = call_at(place, options, [&](Context& context) {
    if (place < 0) return som::nearest_neurons(context, view_of(samples), view_of(codebook));
    there = Made<std::int32_t>(place, n);
    Made<std::int32_t> second(place, n);
    Made<double> distance(place, n), second_distance(place, n);
    som::find_nearest(context,
                      view_of(samples),
                      view_of(codebook),
                      {there.data(), second.data(), distance.data(), second_distance.data()});
    return som::NearestNeurons{
        there.fetched(), second.fetched(), distance.fetched(), second_distance.fetched()};
  });
  const nb::dict quality = quality_dict(som::quality(found, params.grid, neighbors));
  if (place >= 0) return nb::make_tuple(std::move(there).to_python({n}), quality);
  return nb::make_tuple(to_numpy(std::move(found.best)), quality);
}

void bind_use(nb::module_& m) {
  m.def("nearest",
        [](const Options& options, AnyRows<float> samples, Rows<float> codebook) -> nb::object {
          const int place = place_of(samples);
          if (place < 0)
            return nb::cast(to_numpy(nearest(options, view_of(samples), codebook).best));
          const auto find = [&](Context& context, std::int32_t* best) {
            som::find_nearest(context, view_of(samples), view_of(codebook), {.best = best});
          };
          return made_at<std::int32_t>(place, options, Runs::anywhere, {extent(samples, 0)}, find);
        });
  m.def("nearest_with_distances",
        [](const Options& options, Rows<float> samples, Rows<float> codebook) {
          som::NearestNeurons found = nearest(options, view_of(samples), codebook);
          return std::pair(to_numpy(std::move(found.best)),
                           to_numpy(std::move(found.best_distance)));
        });
  m.def("distances", [](const Options& options, AnyRows<float> samples, Rows<float> codebook) {
    const auto fill = [&](Context& context, double* distances) {
      som::fill_distances(context, view_of(samples), view_of(codebook), distances);
    };
    return made_at<double>(place_of(samples),
                           options,
                           Runs::on_the_processor,
                           {extent(samples, 0), extent(codebook, 0)},
                           fill);
  });
  m.def("judged", &judged);
  m.def("u_matrix", [](Rows<float> codebook, const SomParams& params) {
    return to_numpy(som::u_matrix(view_of(codebook), params.grid));
  });
  m.def("clusters",
        [](const Options& options,
           Rows<float> codebook,
           Vector<std::int64_t> hits,
           const SomParams& params,
           std::int64_t count) {
          som::Clusters clusters = call(options, Runs::on_the_processor, [&](Context& context) {
            return som::cluster_neurons(context,
                                        view_of(codebook),
                                        params.grid,
                                        {hits.data(), hits.data() + hits.size()},
                                        count);
          });
          return std::pair(to_numpy(std::move(clusters.of)),
                           to_numpy(std::move(clusters.silhouettes)));
        });
}

}  // namespace

void bind_som(nb::module_& module) {
  nb::module_ m = module.def_submodule("som", "Self-organizing maps.");
  nb::class_<SomParams>(m, "Params", "The map and how it is trained.");
  def<"rows cols lattice toroidal neighborhood iterations smooth sigma0 sigmaf tau initial "
      "training learning_rate seed">(m, "params", &params_of);
  bind_training(m);
  bind_parts(m);
  bind_use(m);
}

}  // namespace yupana::python
