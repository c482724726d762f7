#pragma once

#include "python/bindings/views.hpp"
#include "yupana/graph/fermat.hpp"

namespace yupana::python {

/// A matrix of any of the three types as a NumPy array that owns it.
inline nb::object to_python(graph::AnyMatrix&& matrix) {
  return std::visit(
      [](auto&& m) {
        using T = std::remove_cvref_t<decltype(m(0, 0))>;
        return nb::cast(to_numpy<T>(static_cast<Matrix<T>&&>(m)));
      },
      std::move(matrix));
}

/// One that the library left on a GPU.
inline nb::object to_python(DeviceMatrix&& matrix) {
  const nb::dlpack::dtype types[] = {
      nb::dtype<std::int32_t>(), nb::dtype<float>(), nb::dtype<double>()};
  void* const first = matrix.memory.get();
  return owning(matrix.device,
                std::move(matrix.memory),
                first,
                types[static_cast<int>(matrix.type)],
                std::initializer_list{matrix.n, matrix.n});
}

}  // namespace yupana::python
