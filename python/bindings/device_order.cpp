// Sorts and merges of vectors in the memory of a GPU.
#ifdef YUPANA_CUDA
#include "python/bindings/device_arrays.hpp"
#include "python/bindings/device_vectors.hpp"

namespace yupana::python {
namespace {

using arrays::NoValue;

/// Sorted keys and the values, words V, that moved with them.
template <class K, class V>
nb::object pairs_sorted(const Options& options,
                        const DeviceVector<K>& keys,
                        const DeviceWords& values) {
  auto sorted = call_there(options, keys.device_id(), [&](Context& context) {
    context.check_cancelled();
    Visit visit;
    std::pair pairs(copied(keys.data(), size_of(keys), visit.stream),
                    copied(static_cast<const V*>(values.data()), size_of(keys), visit.stream));
    const arrays::Columns<K, V> columns{pairs.first.data(), pairs.second.data()};
    arrays::cuda::sort_there(visit.space, visit.stream, columns, size_of(keys));
    visit.stream.wait();
    return pairs;
  });
  return nb::make_tuple(given(std::move(sorted.first), {keys.size()}, keys.device_id()),
                        given_as(std::move(sorted.second), values.dtype(), keys.device_id()));
}

template <class K>
Given<std::int64_t> order_of(const Options& options, const DeviceVector<K>& keys) {
  auto places = call_there(options, keys.device_id(), [&](Context& context) {
    context.check_cancelled();
    Visit visit;
    const std::int64_t n = size_of(keys);
    DeviceArray<K> copy = copied(keys.data(), n, visit.stream);
    DeviceArray<std::uint64_t> numbers(n);
    device::number(numbers.data(), n, visit.stream);
    const arrays::Columns<K, std::uint64_t> columns{copy.data(), numbers.data()};
    arrays::cuda::sort_there(visit.space, visit.stream, columns, n);
    visit.stream.wait();
    return numbers;
  });
  // Of the same bits.
  auto* kept = new DeviceArray<std::uint64_t>(std::move(places));
  const nb::capsule release(
      kept, [](void* p) noexcept { delete static_cast<DeviceArray<std::uint64_t>*>(p); });
  const std::size_t size = keys.size();
  return Given<std::int64_t>(reinterpret_cast<std::int64_t*>(kept->data()),
                             1,
                             &size,
                             release,
                             nullptr,
                             nb::dtype<std::int64_t>(),
                             nb::device::cuda::value,
                             keys.device_id());
}

template <class K, class V>
nb::object pairs_merged(const Options& options,
                        const DeviceVector<K>& a,
                        const DeviceWords& a_values,
                        const DeviceVector<K>& b,
                        const DeviceWords& b_values) {
  const std::int64_t n = size_of(a) + size_of(b);
  auto merged = call_there(options, a.device_id(), [&](Context& context) {
    context.check_cancelled();
    Visit visit;
    std::pair pairs{DeviceArray<K>(n), DeviceArray<V>(n)};
    arrays::cuda::merge_there<K, V>(visit.space,
                                    visit.stream,
                                    {a.data(), static_cast<const V*>(a_values.data())},
                                    size_of(a),
                                    {b.data(), static_cast<const V*>(b_values.data())},
                                    size_of(b),
                                    {pairs.first.data(), pairs.second.data()});
    visit.stream.wait();
    return pairs;
  });
  const auto size = static_cast<std::size_t>(n);
  return nb::make_tuple(given(std::move(merged.first), {size}, a.device_id()),
                        given_as(std::move(merged.second), a_values.dtype(), a.device_id()));
}

/// Values only move: words of 4 or of 8 bytes.
template <class K>
void bind_order_with_values(nb::module_& m) {
  m.def(
      "sort_by_key",
      [](const Options& options, DeviceVector<K> keys, DeviceWords values) {
        check_same_device("values", values, keys);
        check_size("values", size_of(keys), size_of(values));
        return bytes_of(values) == 8 ? pairs_sorted<K, std::uint64_t>(options, keys, values)
                                     : pairs_sorted<K, std::uint32_t>(options, keys, values);
      },
      nb::arg("options"),
      taken("keys"),
      taken("values"));
  m.def("argsort", &order_of<K>, nb::arg("options"), taken("keys"));
  m.def(
      "merge_by_key",
      [](const Options& options,
         DeviceVector<K> a,
         DeviceWords a_values,
         DeviceVector<K> b,
         DeviceWords b_values) {
        check_same_device("a_values", a_values, a);
        check_same_device("b", b, a);
        check_same_device("b_values", b_values, a);
        check_size("a_values", size_of(a), size_of(a_values));
        check_size("b_values", size_of(b), size_of(b_values));
        if (!same_type(a_values, b_values)) throw nb::type_error("b_values: a's type wanted");
        return bytes_of(a_values) == 8
                   ? pairs_merged<K, std::uint64_t>(options, a, a_values, b, b_values)
                   : pairs_merged<K, std::uint32_t>(options, a, a_values, b, b_values);
      },
      nb::arg("options"),
      taken("a"),
      taken("a_values"),
      taken("b"),
      taken("b_values"));
}

template <class K>
void bind_order(nb::module_& m) {
  m.def(
      "sort",
      [](const Options& options, DeviceVector<K> keys, std::optional<DeviceVectorOut<K>> out) {
        Output<K> output(keys, out);
        call_there(options, keys.device_id(), [&](Context& context) {
          context.check_cancelled();
          K* const to = output.place(size_of(keys));
          Visit visit;
          copy_there(to, keys.data(), size_of(keys), visit.stream);
          const arrays::Columns<K, NoValue> column{to, nullptr};
          arrays::cuda::sort_there(visit.space, visit.stream, column, size_of(keys));
          visit.stream.wait();
        });
        return written(std::move(output), out.has_value(), keys);
      },
      nb::arg("options"),
      taken("keys"),
      taken("out").none());
  m.def(
      "merge",
      [](const Options& options, DeviceVector<K> a, DeviceVector<K> b) {
        check_same_device("b", b, a);
        const auto merge = [&](Context& context) {
          context.check_cancelled();
          DeviceArray<K> out(size_of(a) + size_of(b));
          Visit visit;
          arrays::cuda::merge_there<K, NoValue>(visit.space,
                                                visit.stream,
                                                {a.data(), nullptr},
                                                size_of(a),
                                                {b.data(), nullptr},
                                                size_of(b),
                                                {out.data(), nullptr});
          visit.stream.wait();
          return out;
        };
        return given(
            call_there(options, a.device_id(), merge), {a.size() + b.size()}, a.device_id());
      },
      nb::arg("options"),
      taken("a"),
      taken("b"));
}

template <class K>
void bind_type(nb::module_& m) {
  bind_order<K>(m);
  bind_order_with_values<K>(m);
}

}  // namespace

void bind_device_order(nb::module_& m) {
  bind_type<std::int32_t>(m);
  bind_type<std::int64_t>(m);
  bind_type<std::uint32_t>(m);
  bind_type<std::uint64_t>(m);
  bind_type<float>(m);
  bind_type<double>(m);
}

}  // namespace yupana::python

#endif
