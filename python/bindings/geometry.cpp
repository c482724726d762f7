#include <nanobind/stl/string.h>

#include "python/bindings/call.hpp"
#include "python/bindings/numpy.hpp"
#include "yupana/core/error.hpp"
#include "yupana/geometry/closest_pair.hpp"

namespace yupana::python {
namespace {

geometry::ClosestMethod method_of(const std::string& name) {
  if (name == "auto") return geometry::ClosestMethod::automatic;
  if (name == "grid") return geometry::ClosestMethod::grid;
  if (name == "divide") return geometry::ClosestMethod::divide;
  throw Error(ErrorCode::usage,
              fmt::format("method: '{}' is unknown; use auto, grid or divide", name));
}

template <class T>
void bind_type(nb::module_& m) {
  m.def("closest_pair", [](const Options& options, Rows<T> points, const std::string& method) {
    const geometry::ClosestPairParams params{method_of(method)};
    const geometry::ClosestPair pair = call(options, [&](Context& context) {
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
