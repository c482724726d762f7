#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/matrix.hpp"

/// Arrays between Python and the library, without copies.
namespace yupana::python {

namespace nb = nanobind;

/// An array that is converted by the package before, never here. Of functions for several types
/// nanobind would try those of the first with a converted copy, float64 made int32, as soon as a
/// number next to it needs a conversion: NumPy's integers do, and 1 for a float.
template <class... Facts>
struct AsItIs : nb::ndarray<Facts...> {};

/// What comes in: memory of the host, dense.
template <class T>
using Vector = AsItIs<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// Rows one after the other; a row's values are neighbours.
template <class T>
using Rows = AsItIs<const T, nb::ndim<2>, nb::device::cpu>;

/// An array is taken as it is: nanobind would convert one of another type or order first.
inline auto taken(const char* name) { return nb::arg(name).noconvert(); }

template <class T>
std::int64_t size_of(const T& array) {
  return static_cast<std::int64_t>(array.size());
}

template <class NdArray>
MatrixView<const typename NdArray::Scalar> view_of(const NdArray& rows) {
  return {rows.data(),
          static_cast<std::int64_t>(rows.shape(0)),
          static_cast<std::int64_t>(rows.shape(1)),
          rows.stride(0)};
}

/// A NumPy array that owns what `owner` owned, as T or as the integers T of the same bytes.
template <class T, class Owner>
nb::ndarray<nb::numpy, T> owned(Owner&& owner, std::initializer_list<std::int64_t> shape) {
  auto* kept = new Owner(std::forward<Owner>(owner));
  const nb::capsule release(kept, [](void* p) noexcept { delete static_cast<Owner*>(p); });
  std::size_t sizes[8] = {};
  std::size_t dimensions = 0;
  for (const std::int64_t size : shape) sizes[dimensions++] = static_cast<std::size_t>(size);
  static_assert(sizeof(T) == sizeof(*kept->data()));
  return nb::ndarray<nb::numpy, T>(reinterpret_cast<T*>(kept->data()), dimensions, sizes, release);
}

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(Array<T>&& array) {
  const std::int64_t size = array.size();
  return owned<T>(std::move(array), {size});
}

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values) {
  const std::int64_t size = std::ssize(values);
  return owned<T>(std::move(values), {size});
}

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(Matrix<T>&& matrix) {
  const std::int64_t rows = matrix.rows(), cols = matrix.cols();
  return owned<T>(std::move(matrix), {rows, cols});
}

}  // namespace yupana::python

namespace nanobind::detail {

template <class... Facts>
struct type_caster<yupana::python::AsItIs<Facts...>> {
  using Taken = make_caster<ndarray<Facts...>>;
  NB_TYPE_CASTER(yupana::python::AsItIs<Facts...>, Taken::Name)

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    Taken taken;
    const auto as_it_is = flags & ~static_cast<std::uint32_t>(cast_flags::convert);
    if (!taken.from_python(source, as_it_is, cleanup)) return false;
    value = {std::move(taken.value)};
    return true;
  }
};

}  // namespace nanobind::detail
