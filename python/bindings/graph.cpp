#include "python/bindings/graph.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/call.hpp"
#include "python/bindings/choices.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/graph/shortest_paths.hpp"
#include "yupana/graph/sparse.hpp"

namespace yupana::python {
namespace {

using graph::AnyMatrix;
/// Vertices of a matrix on the host or on a GPU.
template <class NdArray>
std::int64_t vertices_of(const char* name, const NdArray& matrix) {
  if (matrix.shape(0) == matrix.shape(1)) return static_cast<std::int64_t>(matrix.shape(0));
  throw input_error(
      "{}: expected a square matrix, got {} x {}", name, matrix.shape(0), matrix.shape(1));
}

/// Vertices of weights and their closure.
template <class A, class B>
std::int64_t check_pair(const A& weights, const B& closure) {
  check_same_device("lengths", closure, weights);
  if (weights.shape(0) == weights.shape(1) && closure.shape(0) == weights.shape(0) &&
      closure.shape(1) == weights.shape(1)) {
    return static_cast<std::int64_t>(weights.shape(0));
  }
  throw input_error(
      "paths: weights ({} x {}) and their closure ({} x {}) must be square and of one size",
      weights.shape(0),
      weights.shape(1),
      closure.shape(0),
      closure.shape(1));
}

template <class T>
void copy(Context& context, const AnyRows<T>& matrix, T* to) {
  const std::int64_t n = size_of(matrix);
#ifdef YUPANA_CUDA
  if (place_of(matrix) >= 0) {
    const auto bytes = static_cast<std::size_t>(n) * sizeof(T);
    yupana::cuda::check(cudaMemcpy(to, matrix.data(), bytes, cudaMemcpyDeviceToDevice),
                        "copy weights");
    return yupana::cuda::check(cudaDeviceSynchronize(), "copy weights");
  }
#endif
  context.parallel_for(n, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    std::copy(matrix.data() + begin, matrix.data() + end, to + begin);
  });
}

/// A copy, which the library works in.
template <class T>
SquareMatrix<T> copied(Context& context, const AnyRows<T>& matrix) {
  SquareMatrix<T> result(static_cast<std::int64_t>(matrix.shape(0)));
  copy(context, matrix, result.data());
  return result;
}

const Choices<graph::Precision> precisions{{"auto", graph::Precision::automatic},
                                           {"int", graph::Precision::integer},
                                           {"float32", graph::Precision::float32},
                                           {"float64", graph::Precision::float64}};
const Choices<graph::LandmarkEstimate> estimates{{"upper", graph::LandmarkEstimate::upper},
                                                 {"lower", graph::LandmarkEstimate::lower},
                                                 {"mean", graph::LandmarkEstimate::mean}};
const Choices<graph::PathMethod> path_methods{
    {"auto", graph::PathMethod::automatic},
    {"symmetric", graph::PathMethod::symmetric},
    {"directed", graph::PathMethod::directed},
    {"floyd_warshall", graph::PathMethod::floyd_warshall}};

nb::dict fermat_dict(const graph::FermatFacts& facts, nb::object lengths) {
  nb::dict result;
  result["alpha"] = facts.alpha;
  result["rooted"] = facts.rooted;
  result["scale"] = facts.scale;
  result["kept_edges"] = facts.kept_edges;
  result["certified"] = facts.certified;
  result["method"] = facts.method;
  result["largest_rank"] = facts.max_neighbor_rank;
  result["components"] = facts.components;
  result["replaced_edges"] = facts.replaced_edges;
  result["longer_edges"] = facts.longer_edges;
  result["unreachable_pairs"] = facts.unreachable_pairs;
  result["lengths"] = std::move(lengths);
  return result;
}

using AnyWeights = AsItIs<nb::ro, nb::ndim<2>, nb::c_contig>;
using Vertices = std::vector<std::int64_t>;

/// body(the matrix's values).
template <class Body>
Vertices with_type(const AnyWeights& matrix, const Body& body) {
  const auto type = matrix.dtype();
  const void* const data = matrix.data();
  if (type == nb::dtype<std::int32_t>()) return body(static_cast<const std::int32_t*>(data));
  if (type == nb::dtype<float>()) return body(static_cast<const float*>(data));
  if (type == nb::dtype<double>()) return body(static_cast<const double*>(data));
  throw nb::type_error("path: expected int32, float32 or float64");
}

/// One function for all types, as what a call hands over may be read once. Two types are compared
/// as double.
Vertices path_of(const Options& options,
                 const AnyWeights& weights,
                 const AnyWeights& closure,
                 std::int64_t from,
                 std::int64_t to) {
  const std::int64_t n = check_pair(weights, closure);
  if (from < 0 || to < 0 || from >= n || to >= n) {
    throw input_error(
        "path: expected weights and lengths of one size and vertices from 0 to {}, got {} and {}",
        n - 1,
        from,
        to);
  }
  return call_at(place_of(weights), options, Runs::on_the_processor, [&](Context&) {
    return with_type(weights, [&]<class W>(const W* w) {
      return with_type(closure, [&]<class L>(const L* lengths) -> Vertices {
#ifdef YUPANA_CUDA
        if (place_of(weights) >= 0) {
          return graph::cuda::path<W, L>({w, n, n}, {lengths, n, n}, from, to);
        }
#endif
        if constexpr (std::is_same_v<W, L>) {
          return graph::path<W>({w, n, n}, {lengths, n, n}, from, to);
        } else {
          throw usage_error("lengths: expected the type of the weights");
        }
      });
    });
  });
}

template <class T>
void bind_paths(nb::module_& m) {
  def<"_ _ squared alpha? root precision neighbors landmarks estimate seed">(
      m,
      "fermat",
      [](const Options& options,
         AnyRows<T> distances,
         bool squared,
         std::optional<double> alpha,
         bool root,
         const std::string& precision,
         std::int64_t neighbors,
         std::int64_t landmarks,
         const std::string& estimate,
         std::uint64_t seed) {
        vertices_of("distances", distances);
        graph::FermatParams params;
        params.root = root;
        params.precision = chosen("precision", precision, precisions);
        params.neighbors = neighbors;
        params.landmarks = landmarks;
        params.estimate = chosen("estimate", estimate, estimates);
        params.seed = seed;
        const Entries entries = squared ? Entries::squares : Entries::distances;
#ifdef YUPANA_CUDA
        if (const int place = place_of(distances); place >= 0) {
          params.alpha = alpha.value_or(params.alpha);
          auto [facts, lengths] = call_at(place, options, [&](Context& context) {
            return graph::cuda::fermat<T>(context, place, view_of(distances), entries, params);
          });
          return fermat_dict(facts, to_python(std::move(lengths)));
        }
#endif
        graph::FermatResult result = call(options, [&](Context& context) {
          AnyMatrix copy = copied(context, distances);
          params.alpha = alpha ? *alpha : graph::automatic_alpha(context, copy, entries);
          return graph::fermat(context, std::move(copy), entries, params);
        });
        return fermat_dict(result, to_python(std::move(result.lengths)));
      });
  m.def(
      "shortest_paths", [](const Options& options, AnyRows<T> weights, const std::string& method) {
        const std::int64_t n = vertices_of("weights", weights);
        const graph::ShortestPathsParams params{chosen("method", method, path_methods)};
        return made_at<T>(
            place_of(weights), options, Runs::anywhere, {n, n}, [&](Context& context, T* closure) {
              copy(context, weights, closure);
              graph::shortest_paths(context, MatrixView(closure, n, n), params);
            });
      });
  m.def("predecessors", [](const Options& options, AnyRows<T> weights, AnyRows<T> closure) {
    const std::int64_t n = check_pair(weights, closure);
    return made_at<std::int32_t>(
        place_of(weights),
        options,
        Runs::on_the_processor,
        {n, n},
        [&](Context& context, std::int32_t* result) {
          graph::fill_predecessors<T>(
              context, view_of(weights), view_of(closure), MatrixView(result, n, n));
        });
  });
  m.def("keep_neighbors", [](const Options& options, AnyRows<T> weights, std::int64_t k) {
    vertices_of("weights", weights);
    return to_numpy<T>(call(options, Runs::on_the_processor, [&](Context& context) {
      SquareMatrix<T> kept = copied(context, weights);
      graph::keep_neighbors(context, kept, k);
      return kept;
    }));
  });
}

}  // namespace

void bind_graph(nb::module_& module) {
  nb::module_ m = module.def_submodule("graph", "Fermat distances and shortest paths.");
  bind_paths<std::int32_t>(m);
  bind_paths<float>(m);
  bind_paths<double>(m);
  m.def("path", &path_of);
  m.attr("unreachable_int32") = graph::unreachable<std::int32_t>;
  m.def("sparse_shortest_paths",
        [](const Options& options,
           Vector<std::int64_t> offsets,
           Vector<std::int64_t> targets,
           Vector<double> weights,
           Vector<std::int64_t> sources,
           bool with_predecessors) -> nb::object {
          const auto copy = [](const auto& v) {
            return std::vector(v.data(), v.data() + v.size());
          };
          const graph::SparseGraph<double> sparse{copy(offsets), copy(targets), copy(weights)};
          const auto from = copy(sources);
          if (!with_predecessors) {
            return nb::cast(to_numpy(call(options, Runs::on_the_processor, [&](Context& context) {
              return graph::shortest_paths(context, sparse, from);
            })));
          }
          auto paths = call(options, Runs::on_the_processor, [&](Context& context) {
            return graph::shortest_paths_and_predecessors(context, sparse, from);
          });
          return nb::make_tuple(to_numpy(std::move(paths.lengths)),
                                to_numpy(std::move(paths.predecessors)));
        });
}

}  // namespace yupana::python
