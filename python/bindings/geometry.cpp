#include <nanobind/stl/string.h>

#include "python/bindings/call.hpp"
#include "python/bindings/choices.hpp"
#include "python/bindings/views.hpp"
#include "yupana/geometry/closest_pair.hpp"

namespace yupana::python {
namespace {

using geometry::ClosestMethod;

const Choices<ClosestMethod> methods{{"auto", ClosestMethod::automatic},
                                     {"grid", ClosestMethod::grid},
                                     {"divide", ClosestMethod::divide}};

/// Rows may lie apart.
template <class T>
using PointsIn = nb::ndarray<const T, nb::ndim<2>>;

template <class T>
void bind_type(nb::module_& m) {
  m.def("closest_pair", [](const Options& options, PointsIn<T> points, const std::string& method) {
    const geometry::ClosestPairParams params{chosen("method", method, methods)};
    const geometry::ClosestPair pair = call_at(place_of(points), options, [&](Context& context) {
      return geometry::closest_pair(context, view_of(points), params);
    });
    return nb::make_tuple(pair.i, pair.j, pair.distance);
  });
}

}  // namespace

void bind_geometry(nb::module_& module) {
  nb::module_ m = module.def_submodule("geometry", "The closest pair of points.");
  bind_type<float>(m);
  bind_type<double>(m);
}

}  // namespace yupana::python
