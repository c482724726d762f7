#include <nanobind/stl/pair.h>

#include <type_traits>
#include <utility>

#include "python/bindings/vectors.hpp"
#include "yupana/arrays/reduce.hpp"

namespace yupana::python {
namespace {

using namespace arrays;

template <class K, class V>
void bind_runs_on_host(nb::module_& m) {
  m.def("reduce_by_key", [](const Options& options, Vector<K> keys, Vector<V> values) {
    check_size("values", size_of(keys), size_of(values));
    Array<K> run_keys(size_of(keys));
    Array<V> sums(size_of(keys));
    const std::int64_t runs = call(options, [&](Context& context) {
      return reduce_by_key(
          context, keys.data(), values.data(), size_of(keys), run_keys.data(), sums.data());
    });
    return std::pair(owned<K>(std::move(run_keys), {runs}), owned<V>(std::move(sums), {runs}));
  });
}

#ifdef YUPANA_CUDA
template <class To, class From>
void convert(const Context& context, int place, const From* from, std::int64_t n, To* to) {
  if constexpr (std::is_same_v<To, From>) {
    copy_at(context, place, from, n, to);
  } else {
    queue(context, [&](cudaStream_t stream) { arrays::cuda::convert(from, n, to, stream); });
  }
}

/// Values as those of another type; themselves where that is theirs.
template <class To, class From>
struct As {
  As(const Context& context, int place, const From* from, std::int64_t n) {
    if constexpr (std::is_same_v<To, From>) {
      data = from;
    } else {
      made = yupana::cuda::DeviceArray<To>(n);
      convert(context, place, from, n, made.data());
      data = made.data();
    }
  }
  const To* data = nullptr;
  yupana::cuda::DeviceArray<To> made;
};

/// Runs as the functions on host memory find them: sums of floats are of 64 bits, cut where 64-bit
/// keys would be; of integers only equality and the sum's low bits count.
template <class U, class V>
nb::object sums_by_key(const Options& options, const Words& keys, const AnyVector<V>& values) {
  using Key = std::conditional_t<std::is_integral_v<V>, U, std::uint64_t>;
  using Sum = std::conditional_t<std::is_integral_v<V>, V, double>;
  const int place = place_of(keys);
  const std::int64_t n = size_of(keys);
  Made<U> run_keys(place, 0);
  Made<V> sums(place, 0);
  vectors_at(place, n, options, [&](Context& context) {
    if (n == 0) return;
    const As<Key, U> from(context, place, static_cast<const U*>(keys.data()), n);
    const As<Sum, V> numbers(context, place, values.data(), n);
    Made<Key> most_keys(place, n);
    Made<Sum> most_sums(place, n);
    const std::int64_t runs = arrays::cuda::reduce_by_key_anywhere(
        context, from.data, numbers.data, n, most_keys.data(), most_sums.data());
    // Only as much as there is stays.
    run_keys = Made<U>(place, runs);
    sums = Made<V>(place, runs);
    convert(context, place, most_keys.data(), runs, run_keys.data());
    convert(context, place, most_sums.data(), runs, sums.data());
    // Before what is converted goes.
    queue(context, [](cudaStream_t stream) {
      yupana::cuda::check(cudaStreamSynchronize(stream), "wait for a stream");
    });
  });
  const std::int64_t runs = sums.size();
  return nb::make_tuple(std::move(run_keys).to_python({runs}, keys.dtype()),
                        std::move(sums).to_python({runs}));
}

template <class V>
void bind_runs_on_gpu(nb::module_& m) {
  using There = AsItIs<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cuda>;
  m.def("reduce_by_key", [](const Options& options, There keys, AnyVector<V> values) {
    const Words words{nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig>(keys)};
    check_same_device("values", values, keys);
    check_size("values", size_of(keys), size_of(values));
    return bytes_of(words) == 8 ? sums_by_key<std::uint64_t>(options, words, values)
                                : sums_by_key<std::uint32_t>(options, words, values);
  });
}
#endif

}  // namespace

void bind_runs(nb::module_& m) {
#ifdef YUPANA_CUDA
  for_plain_types([&]<class T>() { bind_runs_on_gpu<T>(m); });
#endif
  // Integers of every kind come as 64-bit ones: only equality of keys counts, and sums wrap alike.
  bind_runs_on_host<std::int64_t, std::int64_t>(m);
  bind_runs_on_host<std::int64_t, double>(m);
}

}  // namespace yupana::python
