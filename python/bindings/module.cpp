#include <nanobind/stl/string.h>

#include "python/bindings/call.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/version.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/graph/fermat.hpp"
#include "yupana/som/train.hpp"
#include "yupana/splice/align.hpp"
#include "yupana/splice/protein.hpp"

namespace yupana::python {
namespace {

nb::dict of_fermat() {
  const graph::FermatParams params;
  nb::dict d;
  d["alpha"] = params.alpha;
  d["root"] = params.root;
  d["neighbors"] = params.neighbors;
  d["landmarks"] = params.landmarks;
  d["estimate"] = params.estimate == graph::LandmarkEstimate::upper   ? "upper"
                  : params.estimate == graph::LandmarkEstimate::lower ? "lower"
                                                                      : "mean";
  d["seed"] = params.seed;
  return d;
}

nb::dict of_som() {
  const som::SomParams params;
  nb::dict d;
  d["rows"] = params.grid.rows;
  d["cols"] = params.grid.cols;
  d["toroidal"] = params.grid.toroidal;
  d["iterations"] = params.schedule.iterations;
  d["smooth"] = params.schedule.smooth;
  d["sigmaf"] = params.schedule.sigma_final;
  d["learning_rate"] = params.learning_rate;
  return d;
}

nb::dict of_tree() {
  const forest::TreeParams params;
  nb::dict d;
  d["min_samples_split"] = params.min_samples_split;
  d["min_samples_leaf"] = params.min_samples_leaf;
  d["min_weight_fraction_leaf"] = params.min_weight_fraction_leaf;
  d["min_impurity_decrease"] = params.min_impurity_decrease;
  return d;
}

nb::dict of_splice(const splice::AlignParams& params) {
  nb::dict d;
  d["gap_open"] = params.gap_open;
  d["gap_extend"] = params.gap_extend;
  d["min_intron"] = params.min_intron;
  d["alignment"] = params.alignment;
  return d;
}

nb::dict info() {
  nb::dict answer;
  answer["version"] = version;
  answer["processor"] = processor_name();
  answer["simd"] = simd_target();
  answer["threads"] = usable_cores();
  answer["memory_free"] = free_memory();
  answer["cuda_built"] = yupana::cuda::built;
  nb::list devices;
  for (const yupana::cuda::DeviceInfo& gpu : yupana::cuda::device_list()) {
    nb::dict device;
    device["ordinal"] = gpu.ordinal;
    device["name"] = gpu.name;
    device["compute_capability"] = std::to_string(gpu.major) + "." + std::to_string(gpu.minor);
    device["multiprocessors"] = gpu.multiprocessors;
    device["memory"] = gpu.memory;
    device["works"] = gpu.works;
    devices.append(device);
  }
  answer["devices"] = devices;
  return answer;
}

nb::dict defaults() {
  nb::dict all;
  all["fermat"] = of_fermat();
  all["som"] = of_som();
  all["tree"] = of_tree();
  all["trees"] = forest::ForestParams{}.trees;
  all["align"] = of_splice(splice::AlignParams{});
  all["align_protein"] = of_splice(splice::ProteinParams{}.align);
  return all;
}

}  // namespace
}  // namespace yupana::python

NB_MODULE(_core, module) {
  module.doc() = "The C++ functions as the Python package calls them; use the package.";
  using namespace yupana::python;
  bind_call(module);
  module.def("info", &info, "Processor, memory and GPUs as a dict.");
  module.def("peak_memory", &yupana::peak_memory, "Most bytes this process has held so far.");
  module.def("defaults",
             &defaults,
             "The library's defaults, which those of the package's signatures must equal.");
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
