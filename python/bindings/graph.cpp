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
template <class T>
using SquareIn = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
void check_square(const SquareIn<T>& matrix) {
  if (matrix.shape(0) == matrix.shape(1)) return;
  throw input_error("expected a square matrix, got {} x {}", matrix.shape(0), matrix.shape(1));
}

/// A copy, which the library works in.
template <class T>
SquareMatrix<T> copied(Context& context, const SquareIn<T>& matrix) {
  const auto n = static_cast<std::int64_t>(matrix.shape(0));
  SquareMatrix<T> copy(n);
  context.parallel_for(n, 64, [&](std::int64_t begin, std::int64_t end) {
    std::copy(matrix.data() + begin * n, matrix.data() + end * n, copy.row(begin));
  });
  return copy;
}

const Choices<graph::Precision> precisions{{"auto", graph::Precision::automatic},
                                           {"int", graph::Precision::integer},
                                           {"float32", graph::Precision::float32},
                                           {"float64", graph::Precision::float64}};
const Choices<graph::LandmarkEstimate> estimates{{"upper", graph::LandmarkEstimate::upper},
                                                 {"lower", graph::LandmarkEstimate::lower},
                                                 {"mean", graph::LandmarkEstimate::mean}};
const Choices<graph::PathMethod> methods{{"auto", graph::PathMethod::automatic},
                                         {"symmetric", graph::PathMethod::symmetric},
                                         {"directed", graph::PathMethod::directed},
                                         {"floyd_warshall", graph::PathMethod::floyd_warshall}};

nb::dict fermat_dict(graph::FermatResult&& result) {
  nb::dict facts;
  facts["alpha"] = result.alpha;
  facts["rooted"] = result.rooted;
  facts["scale"] = result.scale;
  facts["kept_edges"] = result.kept_edges;
  facts["certified"] = result.certified;
  facts["method"] = result.method;
  facts["largest_rank"] = result.max_neighbor_rank;
  facts["components"] = result.components;
  facts["replaced_edges"] = result.replaced_edges;
  facts["longer_edges"] = result.longer_edges;
  facts["unreachable_pairs"] = result.unreachable_pairs;
  facts["lengths"] = to_python(std::move(result.lengths));
  return facts;
}

template <class T>
void bind_type(nb::module_& m) {
  m.def(
      "fermat",
      [](const Options& options,
         SquareIn<T> distances,
         bool squared,
         std::optional<double> alpha,
         bool root,
         const std::string& precision,
         std::int64_t neighbors,
         std::int64_t landmarks,
         const std::string& estimate,
         std::uint64_t seed) {
        check_square(distances);
        graph::FermatParams params;
        params.root = root;
        params.precision = precision_named(precision);
        params.neighbors = neighbors;
        params.landmarks = landmarks;
        params.estimate = chosen("estimate", estimate, estimates);
        params.seed = seed;
        return fermat_dict(call(options, [&](Context& context) {
          AnyMatrix copy = copied(context, distances);
          params.alpha = alpha ? *alpha : graph::automatic_alpha(context, copy, squared);
          return graph::fermat(context, std::move(copy), squared, params);
        }));
      },
      nb::arg(),
      nb::arg(),
      nb::arg("squared"),
      nb::arg("alpha").none(),
      nb::arg("root"),
      nb::arg("precision"),
      nb::arg("neighbors"),
      nb::arg("landmarks"),
      nb::arg("estimate"),
      nb::arg("seed"));
  m.def("shortest_paths",
        [](const Options& options, SquareIn<T> weights, const std::string& method) {
          check_square(weights);
          const graph::ShortestPathsParams params{chosen("method", method, methods)};
          return to_numpy<T>(call(options, [&](Context& context) {
            SquareMatrix<T> closure = copied(context, weights);
            graph::shortest_paths(context, closure.view(), params);
            return closure;
          }));
        });
  m.def("path",
        [](const Options& options,
           SquareIn<T> weights,
           SquareIn<T> closure,
           std::int64_t from,
           std::int64_t to) {
          check_square(weights);
          check_square(closure);
          const auto n = static_cast<std::int64_t>(weights.shape(0));
          if (static_cast<std::int64_t>(closure.shape(0)) != n || from < 0 || to < 0 || from >= n ||
              to >= n) {
            throw input_error(
                "path: expected weights and lengths of one size and vertices from 0 to {}, got {} "
                "and {}",
                n - 1,
                from,
                to);
          }
          return call(options, Runs::on_the_processor, [&](Context&) {
            return graph::path<T>({weights.data(), n, n}, {closure.data(), n, n}, from, to);
          });
        });
  m.def("predecessors", [](const Options& options, SquareIn<T> weights, SquareIn<T> closure) {
    check_square(weights);
    check_square(closure);
    const auto n = static_cast<std::int64_t>(weights.shape(0));
    if (static_cast<std::int64_t>(closure.shape(0)) != n) {
      throw input_error("predecessors: expected weights and lengths of one size");
    }
    return to_numpy<std::int32_t>(call(options, Runs::on_the_processor, [&](Context& context) {
      return graph::predecessors<T>(context, {weights.data(), n, n}, {closure.data(), n, n});
    }));
  });
  m.def("keep_neighbors", [](const Options& options, SquareIn<T> weights, std::int64_t k) {
    check_square(weights);
    return to_numpy<T>(call(options, Runs::on_the_processor, [&](Context& context) {
      SquareMatrix<T> kept = copied(context, weights);
      graph::keep_neighbors(context, kept, k);
      return kept;
    }));
  });
}

}  // namespace

graph::Precision precision_named(const std::string& name) {
  return chosen("precision", name, precisions);
}

void bind_graph(nb::module_& module) {
  nb::module_ m = module.def_submodule("graph", "Fermat distances and shortest paths.");
  bind_type<std::int32_t>(m);
  bind_type<float>(m);
  bind_type<double>(m);
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
