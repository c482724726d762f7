#pragma once

#include <optional>
#include <string>
#include <vector>

#include "python/bindings/numpy.hpp"
#include "yupana/forest/forest.hpp"

namespace yupana::python {

/// Column after column, as the library has tables.
template <class T>
using Columns = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

template <class T>
TableView<T> table_of(const Columns<T>& table) {
  const auto rows = static_cast<std::int64_t>(table.shape(0));
  return {table.data(), rows, static_cast<std::int64_t>(table.shape(1)), rows};
}

/// The same in the memory of a GPU.
template <class T>
using Resident = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cuda>;

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
