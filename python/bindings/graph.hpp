#pragma once

#include <string>

#include "python/bindings/numpy.hpp"
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

/// "auto", "int", "float32" or "float64".
graph::Precision precision_named(const std::string& name);

}  // namespace yupana::python
