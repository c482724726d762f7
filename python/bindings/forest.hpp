#pragma once

#include <optional>
#include <type_traits>

#include "python/bindings/views.hpp"
#include "yupana/forest/forest.hpp"

namespace yupana::python {

/// A table in any layout.
template <class T>
using Cells = AsItIs<const T, nb::ndim<2>, nb::device::cpu>;

/// Columns in the memory of a GPU.
template <class T>
using Resident = AsItIs<const T, nb::ndim<2>, nb::f_contig, nb::device::cuda>;

template <class NdArray>
auto table_of(const NdArray& table) {
  using T = std::remove_const_t<typename NdArray::Scalar>;
  return TableView<T>{table.data(),
                      extent(table, 0),
                      extent(table, 1),
                      table.stride(1),
                      table.shape(0) > 1 ? table.stride(0) : 1};
}

/// What grows, as Python says it.
struct Growing {
  forest::ForestParams params;
  bool many = false;  ///< a forest; else one tree, which sees every row
};

template <class T>
using Labels = std::optional<Vector<T>>;

/// Labels of the rows of a table, one of both kinds, and weights.
forest::Target target_of(std::int64_t rows,
                         const Labels<std::int32_t>& codes,
                         const Labels<double>& values,
                         const Labels<double>& weights,
                         std::size_t classes);

/// How trees grow, and growth.
void bind_growing(nb::module_& m);

}  // namespace yupana::python
