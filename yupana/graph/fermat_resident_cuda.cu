// Fermat distances of distances that are on a device.
#pragma nv_diag_suppress 554  // as in paths_cuda.cu
#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/graph/fermat_backends.hpp"
#include "yupana/graph/fermat_weights_cuda.hpp"
#include "yupana/graph/matrix_facts_cuda.hpp"
#include "yupana/graph/shortest_paths_cuda.hpp"

namespace yupana::graph::cuda {

using namespace yupana::cuda;

namespace {

/// Throws where there is such a cell.
template <class T>
void refuse(MatrixView<const T> d, unsigned long long cell, const char* why) {
  if (cell == nowhere) return;
  const auto [i, j] = cell_of(cell, d.rows);
  throw bad_distance(i, j, fetched(d.row(i) + j), fetched(d.row(j) + i), why);
}

/// As fermat() checks those in host memory.
template <class T>
WeightRange checked(MatrixView<const T> d, cudaStream_t stream) {
  const MatrixFacts facts = matrix_facts(d, stream);
  if (facts.diagonal != nowhere) {
    const auto i = static_cast<std::int64_t>(facts.diagonal);
    throw bad_self_distance(i, fetched(d.row(i) + i));
  }
  refuse(d, facts.not_a_number, missing_distance);
  refuse(d, facts.negative, negative_distance);
  refuse(d, facts.asymmetric, asymmetric_distance);
  if constexpr (std::is_integral_v<T>) {
    refuse(d,
           std::min(facts.out_of_range, facts.unreachable),
           "use float64 distances where they are 2^30 - 1 or more");
  }
  return {facts.largest, facts.least, facts.fractional == nowhere, facts.unreachable != nowhere};
}

template <class T>
DeviceMatrix matrix_of(DeviceArray<T>&& values, int device, std::int64_t n) {
  const auto memory = std::make_shared<DeviceArray<T>>(std::move(values));
  return {device, n, DeviceMatrix::type_of<T>, std::shared_ptr<void>(memory, memory->data())};
}

template <class To, class From>
DeviceFermat closed(Context& context,
                    int device,
                    MatrixView<const From> distances,
                    const WeightRule& rule,
                    bool far,
                    const FermatParams& params,
                    const Stream& stream) {
  const std::int64_t n = distances.rows;
  DeviceFermat result{make_facts(params, rule.unit, rule.precision, n), {}};
  FermatFacts& facts = result.facts;
  facts.method = "symmetric blocked Floyd-Warshall on the GPU";
  DeviceArray<To> weights(n * n);
  make_weights(distances.data, n * n, rule, weights.data(), stream);
  context.check_cancelled();
  const std::int64_t kept = close_symmetric(context, device, weights.data(), n, n, stream);
  std::int64_t apart = 0;
  if (far) {
    const Reach reach = summarize_reach(weights.data(), n, stream);
    apart = static_cast<std::int64_t>(reach.unreachable);
    facts.components = static_cast<std::int64_t>(reach.components);
  }
  set_shares({kept - apart, 0, apart}, n, rule.vanishing, facts);
  if (!params.root) {
    result.lengths = matrix_of(std::move(weights), device, n);
    return result;
  }
  DeviceArray<RootOf<To>> roots;
  if constexpr (std::is_integral_v<To>) roots = DeviceArray<RootOf<To>>(n * n);
  auto* const to = roots.empty() ? reinterpret_cast<RootOf<To>*>(weights.data()) : roots.data();
  make_roots(weights.data(), n * n, params.alpha, rule.unit, to, stream);
  stream.wait();
  if constexpr (!std::is_integral_v<To>) roots = std::move(weights);
  result.lengths = matrix_of(std::move(roots), device, n);
  return result;
}

}  // namespace

template <class T>
DeviceFermat fermat(Context& context,
                    int device,
                    MatrixView<const T> distances,
                    Entries entries,
                    const FermatParams& params) {
  if (params.neighbors != 0 || params.landmarks != 0) {
    throw usage_error(
        "fermat: expected all edges for distances on a GPU, got {} neighbours and {} landmarks; "
        "copy the distances to host memory",
        params.neighbors,
        params.landmarks);
  }
  const DeviceScope scope(device);
  const Stream stream;
  const WeightRange range = checked(distances, stream);
  const WeightRule rule = weight_rule(range, distances.rows, entries, params);
  if (rule.vanishing) note_vanishing(context, params.alpha);
  const auto close = [&]<class To>() {
    return closed<To>(context, device, distances, rule, range.unreachable, params, stream);
  };
  switch (rule.precision) {
    case Precision::integer:
      return close.template operator()<std::int32_t>();
    case Precision::float64:
      return close.template operator()<double>();
    default:
      return close.template operator()<float>();
  }
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, fermat)

}  // namespace yupana::graph::cuda
