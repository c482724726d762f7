#include "python/bindings/call.hpp"

NB_MODULE(_core, module) {
  module.doc() = "The C++ functions as the Python package calls them; use the package.";
  using namespace yupana::python;
  bind_call(module);
  bind_machine(module);
  bind_defaults(module);
  bind_arrays(module);
  bind_genotype(module);
  bind_graph(module);
  bind_splice(module);
  bind_som(module);
  bind_forest(module);
  bind_spectral(module);
  bind_geometry(module);
  bind_sparse(module);
  bind_analysis(module);
  bind_device(module);
  bind_report(module);
}
