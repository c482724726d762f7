// Self-organizing maps of samples in the memory of a GPU.
#ifdef YUPANA_CUDA
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

#include "python/bindings/device_summaries.hpp"
#include "python/bindings/device_views.hpp"
#include "python/bindings/numpy.hpp"
#include "python/bindings/som.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/som/distances_cuda.hpp"
#include "yupana/som/search_cuda.hpp"
#include "yupana/som/train.hpp"
#include "yupana/som/train_cuda.hpp"

namespace yupana::python {
namespace {

using som::SomParams;
using yupana::cuda::check;
using yupana::cuda::Stream;

/// Their largest sizes by feature.
std::vector<float> checked_extents(const DeviceRows<float>& samples) {
  const auto rows = static_cast<std::int64_t>(samples.shape(0));
  const auto cols = static_cast<std::int64_t>(samples.shape(1));
  if (rows < 1 || cols < 1) {
    throw input_error("som: expected at least 1 sample of 1 feature, got {} of {}", rows, cols);
  }
  std::vector<float> extents = device::column_extents(samples.data(), rows, cols);
  for (std::size_t j = 0; j < extents.size(); ++j) {
    if (std::isfinite(extents[j])) continue;
    throw input_error(
        "som: expected finite numbers, column {} of the samples has NaN or infinity; fill or leave "
        "out such rows",
        j + 1);
  }
  return extents;
}

Matrix<float> first_codebook(Context& context,
                             const DeviceRows<float>& samples,
                             const SomParams& params) {
  const auto rows = static_cast<std::int64_t>(samples.shape(0));
  const auto cols = static_cast<std::int64_t>(samples.shape(1));
  if (params.initial == som::Initial::pca) {
    throw usage_error(
        "initial: expected samples or uniform for samples on a GPU, got pca; or copy them to host "
        "memory");
  }
  if (params.initial == som::Initial::uniform) {
    return som::initial_codebook(context, {nullptr, rows, cols}, params);
  }
  Matrix<float> codebook(params.grid.size(), cols);
  device::fetch_rows(samples.data(),
                     cols,
                     som::drawn_rows(rows, params.grid.size(), params.seed),
                     codebook.data());
  return codebook;
}

Matrix<float> given_codebook(Context& context,
                             const Rows<float>& start,
                             const SomParams& params,
                             std::int64_t features) {
  const MatrixView<const float> view = view_of(start);
  if (view.rows != params.grid.size() || view.cols != features) {
    throw input_error("som: expected a codebook of {} x {}, got {} x {}",
                      params.grid.size(),
                      features,
                      view.rows,
                      view.cols);
  }
  som::check_finite(context, view, "codebook");
  Matrix<float> codebook(view.rows, view.cols);
  for (std::int64_t i = 0; i < view.rows; ++i) {
    std::copy_n(view.row(i), view.cols, codebook.row(i));
  }
  return codebook;
}

Matrix<float> trained(Context& context,
                      const DeviceRows<float>& samples,
                      const std::optional<Rows<float>>& start,
                      const SomParams& params) {
  const auto rows = static_cast<std::int64_t>(samples.shape(0));
  const auto cols = static_cast<std::int64_t>(samples.shape(1));
  if (params.training == som::Training::online) {
    throw usage_error(
        "training: expected batch for samples on a GPU, got online; or copy them to host memory");
  }
  som::check_grid(params.grid);
  SomParams whole = params;
  whole.schedule = som::resolved(params.schedule, params.grid);
  const std::vector<float> extents = checked_extents(samples);
  if (rows < params.grid.size()) {
    context.note(fmt::format("som: {} samples for {} neurons", rows, params.grid.size()));
  }
  Matrix<float> codebook = start ? given_codebook(context, *start, whole, cols)
                                 : first_codebook(context, samples, whole);
  som::cuda::train_resident(
      context, {{samples.device_id(), samples.data(), rows}}, extents, whole, codebook);
  return codebook;
}

/// Nearest neurons, on the device of the samples; all but `best` are empty unless requested.
struct Nearest {
  DeviceArray<std::int32_t> best, second;
  DeviceArray<double> best_distance, second_distance;
};

/// The codebook of a map that fits the samples, which are finite, and so is it.
MatrixView<const float> fitting(Context& context,
                                const DeviceRows<float>& samples,
                                const Rows<float>& codebook) {
  const auto cols = static_cast<std::int64_t>(samples.shape(1));
  const MatrixView<const float> view = view_of(codebook);
  if (view.cols != cols) {
    throw input_error(
        "som: expected samples of {} features, as the map has, got {}", view.cols, cols);
  }
  if (view.rows < 1) throw input_error("som: a map without neurons");
  checked_extents(samples);
  som::check_finite(context, view, "codebook");
  return view;
}

/// body(first, count) on samples in pieces of about a fifth of a second, so long as a call that is
/// cancelled waits, and the end of each.
template <class Body>
void in_pieces(Context& context,
               std::int64_t rows,
               std::int64_t cells,
               const char* name,
               const Stream& stream,
               const Body& body) {
  Stage stage(context, name, static_cast<double>(rows), "samples");
  constexpr std::int64_t most_work = 1'000'000'000'000;
  const std::int64_t piece = std::max<std::int64_t>(1 << 14, most_work / cells);
  for (std::int64_t first = 0; first < rows; first += piece) {
    const std::int64_t count = std::min(piece, rows - first);
    body(first, count);
    stream.wait();
    stage.advance(static_cast<double>(count));
  }
}

Nearest nearest_there(Context& context,
                      const DeviceRows<float>& samples,
                      const Rows<float>& codebook,
                      bool whole) {
  const auto rows = static_cast<std::int64_t>(samples.shape(0));
  const auto cols = static_cast<std::int64_t>(samples.shape(1));
  const MatrixView<const float> view = fitting(context, samples, codebook);
  const std::int64_t others = whole ? rows : 0;
  Nearest found{DeviceArray<std::int32_t>(rows),
                DeviceArray<std::int32_t>(others),
                DeviceArray<double>(others),
                DeviceArray<double>(others)};
  DeviceArray<float> weights = som::cuda::copied(view, 0, view.rows);
  const Stream stream;
  const auto search = [&](std::int64_t first, std::int64_t count) {
    som::cuda::launch_exact({samples.data() + first * cols, count, cols, cols},
                            {weights.data(), nullptr, view.rows, cols},
                            nullptr,
                            nullptr,
                            {found.best.data() + first,
                             whole ? found.second.data() + first : nullptr,
                             whole ? found.best_distance.data() + first : nullptr,
                             whole ? found.second_distance.data() + first : nullptr},
                            stream);
  };
  in_pieces(context, rows, view.rows * cols, "nearest neurons", stream, search);
  return found;
}

DeviceArray<double> distances_there(Context& context,
                                    const DeviceRows<float>& samples,
                                    const Rows<float>& codebook) {
  const auto rows = static_cast<std::int64_t>(samples.shape(0));
  const auto cols = static_cast<std::int64_t>(samples.shape(1));
  const MatrixView<const float> view = fitting(context, samples, codebook);
  DeviceArray<double> distances(rows * view.rows);
  DeviceArray<float> weights = som::cuda::copied(view, 0, view.rows);
  const Stream stream;
  const auto measure = [&](std::int64_t first, std::int64_t count) {
    som::cuda::launch_distances({samples.data() + first * cols, count, cols, cols},
                                {weights.data(), nullptr, view.rows, cols},
                                distances.data() + first * view.rows,
                                stream);
  };
  in_pieces(context, rows, view.rows * cols, "distances", stream, measure);
  return distances;
}

template <class T>
Array<T> fetched(const DeviceArray<T>& from) {
  Array<T> to(from.size());
  fetch(from.data(), from.size(), to.data());
  return to;
}

/// The nearest neurons, and how good the map is.
struct Judged {
  Nearest nearest;
  som::Quality quality;
};

Judged judged(Context& context,
              const DeviceRows<float>& samples,
              const Rows<float>& codebook,
              const SomParams& params,
              int neighbors) {
  Judged result{nearest_there(context, samples, codebook, true), {}};
  const Nearest& found = result.nearest;
  result.quality = som::quality({fetched(found.best),
                                 fetched(found.second),
                                 fetched(found.best_distance),
                                 fetched(found.second_distance)},
                                params.grid,
                                neighbors);
  return result;
}

}  // namespace

void bind_device_som(nb::module_& m) {
  m.def(
      "train",
      [](const Options& options,
         DeviceRows<float> samples,
         std::optional<Rows<float>> codebook,
         const SomParams& params) {
        return to_numpy(call_on_device(options, samples.device_id(), [&](Context& context) {
          return trained(context, samples, codebook, params);
        }));
      },
      nb::arg("options"),
      taken("samples"),
      nb::arg("codebook").none(),
      nb::arg("params"));
  m.def(
      "nearest",
      [](const Options& options, DeviceRows<float> samples, Rows<float> codebook) {
        Nearest found = call_on_device(options, samples.device_id(), [&](Context& context) {
          return nearest_there(context, samples, codebook, false);
        });
        return to_dlpack(std::move(found.best), {samples.shape(0)}, samples.device_id());
      },
      nb::arg("options"),
      taken("samples"),
      nb::arg("codebook"));
  m.def(
      "distances",
      [](const Options& options, DeviceRows<float> samples, Rows<float> codebook) {
        return made_on_device(
            options,
            samples.device_id(),
            {samples.shape(0), codebook.shape(0)},
            [&](Context& context) { return distances_there(context, samples, codebook); });
      },
      nb::arg("options"),
      taken("samples"),
      nb::arg("codebook"));
  m.def(
      "judged",
      [](const Options& options,
         DeviceRows<float> samples,
         Rows<float> codebook,
         const SomParams& params,
         int neighbors) {
        Judged found = call_on_device(options, samples.device_id(), [&](Context& context) {
          return judged(context, samples, codebook, params, neighbors);
        });
        return std::pair(
            to_dlpack(std::move(found.nearest.best), {samples.shape(0)}, samples.device_id()),
            quality_dict(found.quality));
      },
      nb::arg("options"),
      taken("samples"),
      nb::arg("codebook"),
      nb::arg("params"),
      nb::arg("neighbors"));
}

}  // namespace yupana::python

#endif
