// Fermat distances in the memory of a GPU.
#ifdef YUPANA_CUDA
#include "python/bindings/device_fermat.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <optional>
#include <type_traits>
#include <variant>

#include "python/bindings/device_views.hpp"
#include "python/bindings/graph.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/graph/fermat_weights.hpp"
#include "yupana/graph/shortest_paths_cuda.hpp"

namespace yupana::python {
namespace {

using device::DistancesSummary;
using device::nowhere;
using yupana::cuda::Stream;

template <class T>
Error bad_pair(const T* d, std::int64_t n, unsigned long long cell, const char* what) {
  const auto at = static_cast<std::int64_t>(cell);
  const std::int64_t i = at / n, j = at % n;
  return input_error("fermat: the distance between {} and {} is {} (back: {}): {}",
                     i,
                     j,
                     fetched(d + at),
                     fetched(d + j * n + i),
                     what);
}

/// As fermat() checks those in host memory.
template <class T>
graph::WeightRange checked(const T* d, std::int64_t n) {
  const DistancesSummary summary = device::summarize_distances(d, n);
  if (summary.diagonal != nowhere) {
    const auto i = static_cast<std::int64_t>(summary.diagonal);
    throw input_error("fermat: the distance from {} to itself is {}; the diagonal must be zero",
                      i,
                      fetched(d + i * n + i));
  }
  if (summary.not_a_number != nowhere) {
    throw bad_pair(d,
                   n,
                   summary.not_a_number,
                   "a pair without a common called site has no distance; leave such samples out or "
                   "impute");
  }
  if (summary.negative != nowhere) {
    throw bad_pair(d, n, summary.negative, "distances must not be negative");
  }
  if (summary.asymmetric != nowhere) {
    throw bad_pair(d, n, summary.asymmetric, "distances must be symmetric");
  }
  if (summary.too_large != nowhere) {
    throw bad_pair(
        d, n, summary.too_large, "use float64 distances where they are 2^30 - 1 or more");
  }
  return {summary.largest, summary.least, summary.fractional == 0, summary.unreachable != 0};
}

using Lengths = std::variant<DeviceArray<std::int32_t>, DeviceArray<float>, DeviceArray<double>>;

struct Found {
  Lengths lengths;
  graph::WeightRule rule;
  std::int64_t kept = 0;  ///< pairs whose length is their weight, finite or not
  device::Reach reach;
};

template <class To, class From>
Found closed(Context& context,
             int device,
             const From* distances,
             std::int64_t n,
             const graph::WeightRule& rule,
             bool far,
             const graph::FermatParams& params) {
  DeviceArray<To> weights(n * n);
  if (n == 0) return {std::move(weights), rule, 0, {}};
  device::make_weights(distances, n * n, rule.power, 1 / rule.scale, weights.data());
  context.check_cancelled();
  const Stream stream;
  const std::int64_t kept =
      graph::cuda::close_symmetric<To>(context, device, weights.data(), n, n, stream);
  const device::Reach reach =
      far ? device::summarize_reach(weights.data(), n) : device::Reach{0, 1};
  if (!params.root) return {std::move(weights), rule, kept, reach};
  using Root = std::conditional_t<std::is_integral_v<To>, double, To>;
  if constexpr (std::is_same_v<Root, To>) {
    device::make_roots(weights.data(), n * n, params.alpha, rule.unit, weights.data());
    return {std::move(weights), rule, kept, reach};
  } else {
    DeviceArray<Root> roots(n * n);
    device::make_roots(weights.data(), n * n, params.alpha, rule.unit, roots.data());
    return {std::move(roots), rule, kept, reach};
  }
}

template <class T>
Found found(Context& context,
            int device,
            const T* distances,
            std::int64_t n,
            bool squared,
            const graph::FermatParams& params) {
  const graph::WeightRange range = checked(distances, n);
  const bool far = range.unreachable;
  const graph::WeightRule rule = graph::weight_rule(range, n, squared, params);
  if (rule.vanishing) graph::note_vanishing(context, params.alpha);
  switch (rule.precision) {
    case graph::Precision::integer:
      return closed<std::int32_t>(context, device, distances, n, rule, far, params);
    case graph::Precision::float64:
      return closed<double>(context, device, distances, n, rule, far, params);
    default:
      return closed<float>(context, device, distances, n, rule, far, params);
  }
}

nb::dict facts_of(Found&& found, std::size_t n, int device, const graph::FermatParams& params) {
  const double pairs = static_cast<double>(n) * (static_cast<double>(n) - 1) / 2;
  nb::dict facts;
  facts["alpha"] = params.alpha;
  facts["rooted"] = params.root;
  facts["scale"] = params.root ? 1.0 : found.rule.unit;
  const auto unreachable = static_cast<double>(found.reach.unreachable);
  const double kept = static_cast<double>(found.kept) - unreachable;
  facts["kept_edges"] = n > 1 ? kept / pairs : 1.0;
  facts["replaced_edges"] = n > 1 ? (pairs - kept - unreachable) / pairs : 0.0;
  facts["longer_edges"] = 0.0;
  if (found.rule.vanishing) {
    for (const char* share : {"kept_edges", "replaced_edges", "longer_edges"}) {
      facts[share] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  facts["unreachable_pairs"] = n > 1 ? unreachable / pairs : 0.0;
  facts["certified"] = 0.0;
  facts["method"] = "symmetric blocked Floyd-Warshall on the GPU";
  facts["largest_rank"] = 0;
  facts["components"] = static_cast<std::int64_t>(found.reach.components);
  std::visit(
      [&](auto&& lengths) {
        facts["lengths"] = to_dlpack(std::move(lengths), {n, n}, device);
      },
      std::move(found.lengths));
  return facts;
}

template <class T>
void bind_type(nb::module_& m) {
  m.def(
      "fermat",
      [](const Options& options,
         DeviceRows<T> distances,
         bool squared,
         double alpha,
         bool root,
         const std::string& precision) {
        if (distances.shape(0) != distances.shape(1)) {
          throw input_error("distances: expected a square matrix, got {} x {}",
                            distances.shape(0),
                            distances.shape(1));
        }
        graph::FermatParams params;
        params.alpha = alpha;
        params.root = root;
        params.precision = precision_named(precision);
        const int device = distances.device_id();
        Found result = call_on_device(options, device, [&](Context& context) {
          return found(context,
                       device,
                       distances.data(),
                       static_cast<std::int64_t>(distances.shape(0)),
                       squared,
                       params);
        });
        return facts_of(std::move(result), distances.shape(0), device, params);
      },
      nb::arg("options"),
      taken("distances"),
      nb::arg("squared"),
      nb::arg("alpha"),
      nb::arg("root"),
      nb::arg("precision"));
}

}  // namespace

void bind_device_fermat(nb::module_& m) {
  bind_type<std::int32_t>(m);
  bind_type<float>(m);
  bind_type<double>(m);
}

}  // namespace yupana::python

#endif
