#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>

#include <complex>

#include "python/bindings/call.hpp"
#include "python/bindings/choices.hpp"
#include "python/bindings/views.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/sparse/triangular.hpp"

namespace yupana::python {
namespace {

using namespace sparse;

const Choices<SolveMethod> solve_methods{{"auto", SolveMethod::automatic},
                                         {"serial", SolveMethod::serial},
                                         {"level_set", SolveMethod::level_set},
                                         {"sync_free", SolveMethod::sync_free}};

const Choices<Operation> operations{
    {"N", Operation::none}, {"T", Operation::transpose}, {"C", Operation::conjugate_transpose}};

/// A system of scipy's arrays. Their ends are checked here: the library trusts them.
template <class V, class I>
CsrView<V, I> matrix_of(std::int64_t columns,
                        const Vector<I>& offsets,
                        const Vector<I>& indices,
                        const Vector<V>& values) {
  const std::int64_t rows = size_of(offsets) - 1;
  if (rows < 0 || offsets.data()[0] != 0) {
    throw input_error("indptr: expected rows + 1 numbers that begin with 0");
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    if (offsets.data()[i] <= offsets.data()[i + 1]) continue;
    throw input_error("indptr: row {} (from 1) ends before it begins", i + 1);
  }
  if (offsets.data()[rows] != size_of(indices) || size_of(indices) != size_of(values)) {
    throw input_error("indptr ends at {}, there are {} indices and {} values",
                      offsets.data()[rows],
                      size_of(indices),
                      size_of(values));
  }
  return {rows, columns, offsets.data(), indices.data(), values.data()};
}

/// A class of the module needs a type of its own for each pair of types.
template <class V, class I>
struct System {
  TriangularSystem<V, I> solver;
};

template <class V, class I>
void bind_system(nb::module_& m, const char* name) {
  using Bound = System<V, I>;
  nb::class_<Bound> bound(m, name, "A triangular system, analysed once.");
  def<"_ _ _ _ _ lower unit_diagonal ignore_other method trans">(
      bound,
      "__init__",
      [](Bound* self,
         const Options& options,
         std::int64_t columns,
         Vector<I> offsets,
         Vector<I> indices,
         Vector<V> values,
         bool lower,
         bool unit_diagonal,
         bool ignore_other,
         const std::string& method,
         const std::string& trans) {
        TriangularParams params;
        params.operation = chosen("trans", trans, operations);
        params.triangle = lower ? Triangle::lower : Triangle::upper;
        params.method = chosen("method", method, solve_methods);
        params.unit_diagonal = unit_diagonal;
        params.sort_columns = true;
        params.ignore_other = ignore_other;
        const CsrView<V, I> matrix = matrix_of(columns, offsets, indices, values);
        new (self) Bound{call(options, [&](Context& context) {
          return TriangularSystem<V, I>(context, matrix, params);
        })};
      });
  bound.def_prop_ro("rows", [](const Bound& self) { return self.solver.rows(); })
      .def_prop_ro("levels", [](const Bound& self) { return self.solver.analysis().levels; })
      .def_prop_ro("warps", [](const Bound& self) { return self.solver.analysis().warps; })
      .def_prop_ro("method",
                   [](const Bound& self) { return name_of(self.solver.method(), solve_methods); })
      .def("level",
           [](const Bound& self) {
             const Array<I>& level = self.solver.analysis().level;
             return to_numpy(std::vector<I>(level.begin(), level.end()));
           })
      .def("update_values",
           [](Bound& self, const Options& options, Vector<V> values, std::int64_t entries) {
             check_size("values", entries, size_of(values));
             call(options,
                  [&](Context& context) { self.solver.update_values(context, values.data()); });
           })
      .def("solve", [](const Bound& self, const Options& options, Rows<V> b, std::int64_t parts) {
        return to_numpy(call(options, [&](Context& context) {
          Matrix<V> x(static_cast<std::int64_t>(b.shape(0)), static_cast<std::int64_t>(b.shape(1)));
          self.solver.solve(context, view_of(b), x.view());
          note_not_finite<V>(context, x.view(), parts);
          return x;
        }));
      });
#ifdef YUPANA_CUDA
  if constexpr (is_complex<V>) return;
  using There = AsItIs<const V, nb::ndim<2>, nb::c_contig, nb::device::cuda>;
  bound.def("solve", [](const Bound& self, const Options& options, There b, std::int64_t) {
    if (extent(b, 0) != self.solver.rows()) {
      throw usage_error("b: expected {} rows, got {}", self.solver.rows(), b.shape(0));
    }
    const auto solve = [&](Context& context, V* x) {
      self.solver.solve(context, b.device_id(), b.data(), x, extent(b, 1));
    };
    return made_at<V>(b.device_id(), options, Runs::anywhere, {extent(b, 0), extent(b, 1)}, solve);
  });
#endif
}

}  // namespace

void bind_sparse(nb::module_& module) {
  nb::module_ m = module.def_submodule("sparse", "Sparse triangular systems.");
  bind_system<float, std::int32_t>(m, "System_float32_int32");
  bind_system<float, std::int64_t>(m, "System_float32_int64");
  bind_system<double, std::int32_t>(m, "System_float64_int32");
  bind_system<double, std::int64_t>(m, "System_float64_int64");
  bind_system<std::complex<float>, std::int32_t>(m, "System_complex64_int32");
  bind_system<std::complex<float>, std::int64_t>(m, "System_complex64_int64");
  bind_system<std::complex<double>, std::int32_t>(m, "System_complex128_int32");
  bind_system<std::complex<double>, std::int64_t>(m, "System_complex128_int64");
}

}  // namespace yupana::python
