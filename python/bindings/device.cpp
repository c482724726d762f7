#include <nanobind/stl/vector.h>

#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "python/bindings/views.hpp"

namespace yupana::python {

#ifdef YUPANA_CUDA
namespace {

template <class T>
using GpuVector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cuda>;

/// Models and tables that the host needs too are small or copied once.
template <class T>
void bind_host(nb::module_& m) {
  m.def(
      "host",
      [](GpuVector<T> in) {
        Array<T> out(size_of(in));
        {
          const nb::gil_scoped_release unlocked;
          const Visit visit(place_of(in));
          yupana::cuda::check(
              cudaMemcpy(out.data(), in.data(), in.nbytes(), cudaMemcpyDeviceToHost),
              "copy to the host");
        }
        return to_numpy(std::move(out));
      },
      taken("x"));
}

}  // namespace
#endif

/// Without the CUDA backend there is no such module, and no such array to take.
void bind_device([[maybe_unused]] nb::module_& module) {
#ifdef YUPANA_CUDA
  nb::module_ m = module.def_submodule("device", "Arrays in the memory of a GPU.");
  bind_host<std::int32_t>(m);
  bind_host<std::int64_t>(m);
  bind_host<float>(m);
  bind_host<double>(m);
  m.def(
      "wait",
      [](int device) {
        const nb::gil_scoped_release unlocked;
        const Visit visit(device);
      },
      nb::arg("device"));
  // For results of a library whose arrays nobody may write to.
  def<"shape code bits device">(
      m,
      "empty",
      [](const std::vector<std::int64_t>& shape, std::uint8_t code, std::uint8_t bits, int device) {
        const nb::dlpack::dtype type{code, bits, 1};
        const auto values =
            std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
        const Visit visit(device, true);
        yupana::cuda::DeviceArray<std::byte> memory(values * bits / 8);
        void* const first = memory.data();
        return owning(device, std::move(memory), first, type, shape);
      });
  // For tests: where a function finds an array's values.
  m.def(
      "address",
      [](nb::ndarray<nb::ro, nb::device::cuda> x) {
        return reinterpret_cast<std::uintptr_t>(x.data());
      },
      taken("x"));
#endif
}

}  // namespace yupana::python
