#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "python/bindings/call.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/messages.hpp"
#ifdef YUPANA_CUDA
#include "yupana/core/cuda/runtime.hpp"
#endif

/// Arrays on the host or in the memory of a GPU, and results where they are: NumPy's, or DLPack's.
namespace yupana::python {

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

/// What comes in: dense, of either place.
template <class T>
using AnyVector = AsItIs<const T, nb::ndim<1>, nb::c_contig>;
/// What a function writes to, where nanobind would write to a converted copy.
template <class T>
using AnyVectorOut = AsItIs<T, nb::ndim<1>, nb::c_contig>;
template <class T>
using AnyRows = AsItIs<const T, nb::ndim<2>, nb::c_contig>;

template <class NdArray>
std::int64_t extent(const NdArray& array, std::size_t axis) {
  return static_cast<std::int64_t>(array.shape(axis));
}

/// The number of the array's GPU; -1 on the host.
template <class NdArray>
int place_of(const NdArray& array) {
  return array.device_type() == nb::device::cuda::value ? array.device_id() : -1;
}

template <class A, class B>
void check_same_device(const char* name, const A& a, const B& b) {
  if (place_of(a) == place_of(b)) return;
  throw usage_error("{}: expected an array on GPU {}, where the other is, got one on GPU {}",
                    name,
                    place_of(b),
                    place_of(a));
}

/// While it lives the GPU is the thread's current one. Work queued there before on any stream has
/// ended, so that arrays there are complete; but for calls that are queued on the caller's stream.
class Visit {
 public:
#ifdef YUPANA_CUDA
  explicit Visit(int place, bool queued = false) {
    if (place < 0) return;
    scope_.emplace(place);
    if (queued) return;
    yupana::cuda::check(cudaDeviceSynchronize(), "wait for an array");
  }

 private:
  std::optional<yupana::cuda::DeviceScope> scope_;
#else
  explicit Visit(int, bool = false) {}
#endif
};

/// call() where the arguments are.
template <class Body>
auto call_at(int place, const Options& options, Runs runs, const Body& body) {
  return call(options, runs, [&](Context& context) {
    const Visit visit(place, context.gpu_stream().has_value());
    return body(context);
  });
}
template <class Body>
auto call_at(int place, const Options& options, const Body& body) {
  return call_at(place, options, Runs::anywhere, body);
}

/// The array of a type that owns what `owner` owned, `first` on.
template <class Owner>
nb::object owning(
    int place, Owner&& owner, void* first, nb::dlpack::dtype type, const auto& shape) {
  auto* kept = new Owner(std::forward<Owner>(owner));
  const nb::capsule release(kept, [](void* p) noexcept { delete static_cast<Owner*>(p); });
  std::size_t sizes[8] = {};
  std::size_t dimensions = 0;
  for (const auto size : shape) sizes[dimensions++] = static_cast<std::size_t>(size);
  if (place < 0) {
    return nb::cast(nb::ndarray<nb::numpy>(first, dimensions, sizes, release, nullptr, type));
  }
  return nb::cast(nb::ndarray<nb::array_api>(
      first, dimensions, sizes, release, nullptr, type, nb::device::cuda::value, place));
}

/// Memory for a result where the arguments are; undefined. Made in a call at that place.
template <class T>
class Made {
 public:
  Made() = default;
  Made(int place, std::int64_t size) : place_(place), size_(size) {
    if (place < 0) here_ = Array<T>(size);
#ifdef YUPANA_CUDA
    if (place >= 0) there_ = yupana::cuda::DeviceArray<T>(size);
#endif
  }
  T* data() {
#ifdef YUPANA_CUDA
    if (place_ >= 0) return there_.data();
#endif
    return here_.data();
  }
  std::int64_t size() const { return size_; }
  /// On the host, of those on a GPU.
  Array<T> fetched() const {
    Array<T> values(size_);
#ifdef YUPANA_CUDA
    yupana::cuda::check(
        cudaMemcpy(values.data(), there_.data(), there_.bytes(), cudaMemcpyDeviceToHost),
        "copy to the host");
#endif
    return values;
  }

  nb::object to_python(std::initializer_list<std::int64_t> shape,
                       nb::dlpack::dtype type = nb::dtype<T>()) && {
    T* const first = data();
    return owning(place_, std::move(*this), first, type, shape);
  }

 private:
  int place_ = -1;
  std::int64_t size_ = 0;
  Array<T> here_;
#ifdef YUPANA_CUDA
  yupana::cuda::DeviceArray<T> there_;
#endif
};

/// The array of this shape that body(context, its memory) fills; on a GPU unless it is empty.
template <class T, class Body>
nb::object made_at(int place,
                   const Options& options,
                   Runs runs,
                   std::initializer_list<std::int64_t> shape,
                   const Body& body) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  Made<T> made = call_at(place, options, runs, [&](Context& context) {
    Made<T> result(place, size);
    if (place < 0 || size > 0) body(context, result.data());
    return result;
  });
  return std::move(made).to_python(shape);
}

/// Where a function writes so many values: to an array that the caller made beside the arguments,
/// in memory of its library.
template <class NdArray>
auto* written(const NdArray& out, const char* name, int place, std::int64_t size) {
  if (place_of(out) != place || size_of(out) != size) {
    throw usage_error(
        "{}: expected {} values beside the argument, got {}", name, size, size_of(out));
  }
  return out.data();
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
