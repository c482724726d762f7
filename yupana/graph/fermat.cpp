#include "yupana/graph/fermat.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "yupana/core/error.hpp"
#include "yupana/graph/fermat_backends.hpp"
#include "yupana/graph/fermat_weights.hpp"
#include "yupana/graph/shortest_paths_ranks.hpp"

namespace yupana::graph {
namespace {

// That of one process, whose choices and bits do not change where ranks share the work.
template <class T>
DenseClosure<T> dense_closure(const Context& context, std::int64_t n, const FermatParams& params) {
  DenseClosure<T> dense = cpu::dense_closure<T>(context, n);
  if (params.comm != nullptr) {
    dense.close = [&comm = *params.comm](Context& all, MatrixView<T> weights) {
      return shortest_paths_symmetric_ranks(all, comm, weights);
    };
  }
  return dense;
}

template <class T>
Closing dispatch(Context& context,
                 SquareMatrix<T>& weights,
                 const FermatParams& params,
                 [[maybe_unused]] const DeviceSource& source) {
  const bool prune = params.prune;
  switch (context.backend()) {
    case Backend::reference:
      return reference::close(context, weights);
    case Backend::cpu:
      return cpu::close(context, weights, prune, dense_closure<T>(context, weights.size(), params));
    case Backend::cuda:
#ifdef YUPANA_CUDA
      return cpu::close(
          context, weights, prune, cuda::dense_closure<T>(context, weights.size(), source));
#else
      break;
#endif
  }
  throw Error(ErrorCode::device, "fermat: this build has no CUDA version; use --device cpu");
}

template <class T>
std::int64_t solve(Context& context,
                   SquareMatrix<T>& weights,
                   const FermatParams& params,
                   const DeviceSource& source,
                   FermatResult& result) {
  if (params.neighbors > 0) {
    SquareMatrix<T> lengths = close_neighbors(context, weights, params.neighbors, result);
    const std::int64_t kept = equal_pairs(context, weights, lengths);
    weights = std::move(lengths);
    result.method = fmt::format("Dijkstra on {} nearest neighbours", params.neighbors);
    return kept;
  }
  if (params.landmarks > 0) {
    const std::int64_t count = std::min(params.landmarks, weights.size());
    result.method = fmt::format("estimate through {} landmarks", count);
    return weights.size() > 0 ? estimate_by_landmarks(context, weights, params) : 0;
  }
  const Closing closing = dispatch(context, weights, params, source);
  result.certified = closing.certified;
  result.method = closing.method;
  return closing.kept;
}

template <class T>
AnyMatrix rooted(Context& context, SquareMatrix<T> lengths, double alpha, double scale) {
  using To = std::conditional_t<std::is_integral_v<T>, double, T>;
  const std::int64_t n = lengths.size();
  SquareMatrix<To> roots(n);
  context.parallel_for(n, 16, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        roots(i, j) = root_of<To>(lengths(i, j), alpha, scale);
      }
    }
  });
  return roots;
}

void check_params(const FermatParams& params) {
  if (params.neighbors < 0 || params.landmarks < 0) {
    throw Error(ErrorCode::bad_input,
                fmt::format("fermat: neighbours and landmarks of 0 or more wanted, {} and {} given",
                            params.neighbors,
                            params.landmarks));
  }
  if (params.neighbors > 0 && params.landmarks > 0) {
    throw Error(ErrorCode::bad_input,
                "fermat: nearest neighbours and landmarks are two ways out; choose one");
  }
}

}  // namespace

template <class T>
std::int64_t equal_pairs(Context& context, const SquareMatrix<T>& a, const SquareMatrix<T>& b) {
  std::atomic<std::int64_t> equal{0};
  context.parallel_for(a.size(), 16, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t mine = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = i + 1; j < a.size(); ++j) mine += a(i, j) == b(i, j);
    }
    equal.fetch_add(mine, std::memory_order_relaxed);
  });
  return equal.load();
}

FermatResult fermat(Context& context,
                    AnyMatrix distances,
                    bool squared,
                    const FermatParams& params,
                    const DeviceMatrix& on_device) {
  check_params(params);
  FermatWeights weights = fermat_weights(context, std::move(distances), squared, params);
  FermatResult result;
  result.alpha = params.alpha;
  result.rooted = params.root;
  result.scale = weights.scale;
  DeviceSource source;
  source.power = squared ? params.alpha / 2 : params.alpha;
  // Other powers, and scaled distances, are worked out on the host: its pow has other bits.
  if (weights.scale == 1 && (source.power == 1 || source.power == 2)) source.distances = on_device;
  std::visit(
      [&](auto& matrix) {
        const std::int64_t n = matrix.size();
        result.kept_edges = 1;
        result.components = n > 0 ? 1 : 0;
        const std::int64_t kept = solve(context, matrix, params, source, result);
        if (n > 1) {
          const double pairs = static_cast<double>(n) * static_cast<double>(n - 1) / 2;
          result.kept_edges = static_cast<double>(kept) / pairs;
        }
        if (params.root) {
          result.lengths = rooted(context, std::move(matrix), params.alpha, weights.scale);
          result.scale = 1;
        } else {
          result.lengths = std::move(matrix);
        }
      },
      weights.values);
  return result;
}

template std::int64_t equal_pairs(Context&,
                                  const SquareMatrix<std::int32_t>&,
                                  const SquareMatrix<std::int32_t>&);
template std::int64_t equal_pairs(Context&, const SquareMatrix<float>&, const SquareMatrix<float>&);
template std::int64_t equal_pairs(Context&,
                                  const SquareMatrix<double>&,
                                  const SquareMatrix<double>&);

}  // namespace yupana::graph
