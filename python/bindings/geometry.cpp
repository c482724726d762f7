#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "python/bindings/call.hpp"
#include "python/bindings/choices.hpp"
#include "python/bindings/views.hpp"
#include "yupana/geometry/closest_pair.hpp"
#include "yupana/geometry/neighbors.hpp"

namespace yupana::python {
namespace {

using geometry::ClosestMethod;

const Choices<ClosestMethod> closest_methods{{"auto", ClosestMethod::automatic},
                                             {"grid", ClosestMethod::grid},
                                             {"divide", ClosestMethod::divide}};

/// Rows may lie apart.
template <class T>
using PointsIn = AsItIs<const T, nb::ndim<2>>;

/// Columns i, j and distance.
nb::tuple columns_of(const std::vector<geometry::ClosestPair>& pairs) {
  Array<std::int64_t> i(std::ssize(pairs)), j(std::ssize(pairs));
  Array<double> distance(std::ssize(pairs));
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto at = static_cast<std::int64_t>(p);
    i[at] = pairs[p].i;
    j[at] = pairs[p].j;
    distance[at] = pairs[p].distance;
  }
  return nb::make_tuple(
      to_numpy(std::move(i)), to_numpy(std::move(j)), to_numpy(std::move(distance)));
}

template <class T>
void bind_points(nb::module_& m) {
  using Queries = std::optional<Rows<T>>;
  def<"_ _ k queries">(
      m,
      "neighbors",
      [](const Options& options, Rows<T> points, std::int64_t k, const Queries& queries) {
        geometry::Neighbors found = call(options, Runs::on_the_processor, [&](Context& context) {
          return queries ? geometry::nearest_neighbors<T>(
                               context, view_of(points), view_of(*queries), k)
                         : geometry::nearest_neighbors<T>(context, view_of(points), k);
        });
        return nb::make_tuple(to_numpy(std::move(found.indices)),
                              to_numpy(std::move(found.distances)));
      });
  def<"_ _ radius queries">(
      m,
      "pairs_within",
      [](const Options& options, Rows<T> points, double radius, const Queries& queries) {
        return columns_of(call(options, Runs::on_the_processor, [&](Context& context) {
          return queries ? geometry::pairs_within<T>(
                               context, view_of(points), view_of(*queries), radius)
                         : geometry::pairs_within<T>(context, view_of(points), radius);
        }));
      });
  m.def("closest_between", [](const Options& options, Rows<T> a, Rows<T> b) {
    const auto pair = call(options, Runs::on_the_processor, [&](Context& context) {
      return geometry::closest_between<T>(context, view_of(a), view_of(b));
    });
    return nb::make_tuple(pair.i, pair.j, pair.distance);
  });
  m.def("closest_pair", [](const Options& options, PointsIn<T> points, const std::string& method) {
    const geometry::ClosestPairParams params{chosen("method", method, closest_methods)};
    const geometry::ClosestPair pair = call_at(place_of(points), options, [&](Context& context) {
      return geometry::closest_pair(context, view_of(points), params);
    });
    return nb::make_tuple(pair.i, pair.j, pair.distance);
  });
}

}  // namespace

void bind_geometry(nb::module_& module) {
  nb::module_ m = module.def_submodule("geometry", "The closest pair of points, and neighbors.");
  bind_points<float>(m);
  bind_points<double>(m);
}

}  // namespace yupana::python
