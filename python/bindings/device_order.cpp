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
  auto sorted = call_on_device(options, keys.device_id(), [&](Context& context) {
    context.check_cancelled();
    DeviceSession session;
    std::pair pairs(copied(keys.data(), size_of(keys), session.stream),
                    copied(static_cast<const V*>(values.data()), size_of(keys), session.stream));
    const arrays::Columns<K, V> columns{pairs.first.data(), pairs.second.data()};
    arrays::cuda::sort_by_key(session.space, session.stream, columns, size_of(keys));
    session.stream.wait();
    return pairs;
  });
  return nb::make_tuple(to_dlpack(std::move(sorted.first), {keys.size()}, keys.device_id()),
                        to_dlpack(std::move(sorted.second), values.dtype(), keys.device_id()));
}

template <class K>
DlpackArray<std::int64_t> order_of(const Options& options, const DeviceVector<K>& keys) {
  auto places = call_on_device(options, keys.device_id(), [&](Context& context) {
    context.check_cancelled();
    DeviceSession session;
    const std::int64_t n = size_of(keys);
    DeviceArray<K> copy = copied(keys.data(), n, session.stream);
    DeviceArray<std::uint64_t> numbers(n);
    device::number(numbers.data(), n, session.stream);
    const arrays::Columns<K, std::uint64_t> columns{copy.data(), numbers.data()};
    arrays::cuda::sort_by_key(session.space, session.stream, columns, n);
    session.stream.wait();
    return numbers;
  });
  return to_dlpack_as<DlpackArray<std::int64_t>>(
      std::move(places), {keys.size()}, nb::dtype<std::int64_t>(), keys.device_id());
}

template <class K, class V>
nb::object pairs_merged(const Options& options,
                        const DeviceVector<K>& a,
                        const DeviceWords& a_values,
                        const DeviceVector<K>& b,
                        const DeviceWords& b_values) {
  const std::int64_t n = size_of(a) + size_of(b);
  auto merged = call_on_device(options, a.device_id(), [&](Context& context) {
    context.check_cancelled();
    DeviceSession session;
    std::pair pairs{DeviceArray<K>(n), DeviceArray<V>(n)};
    arrays::cuda::merge_by_key<K, V>(session.space,
                                     session.stream,
                                     {a.data(), static_cast<const V*>(a_values.data())},
                                     size_of(a),
                                     {b.data(), static_cast<const V*>(b_values.data())},
                                     size_of(b),
                                     {pairs.first.data(), pairs.second.data()});
    session.stream.wait();
    return pairs;
  });
  const auto size = static_cast<std::size_t>(n);
  return nb::make_tuple(to_dlpack(std::move(merged.first), {size}, a.device_id()),
                        to_dlpack(std::move(merged.second), a_values.dtype(), a.device_id()));
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
        if (!same_type(a_values, b_values)) throw nb::type_error("b_values: expected a's type");
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
        call_on_device(options, keys.device_id(), [&](Context& context) {
          context.check_cancelled();
          K* const to = output.place(size_of(keys));
          DeviceSession session;
          copy_async(to, keys.data(), size_of(keys), session.stream);
          const arrays::Columns<K, NoValue> column{to, nullptr};
          arrays::cuda::sort_by_key(session.space, session.stream, column, size_of(keys));
          session.stream.wait();
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
          DeviceSession session;
          arrays::cuda::merge_by_key<K, NoValue>(session.space,
                                                 session.stream,
                                                 {a.data(), nullptr},
                                                 size_of(a),
                                                 {b.data(), nullptr},
                                                 size_of(b),
                                                 {out.data(), nullptr});
          session.stream.wait();
          return out;
        };
        return made_on_device(options, a.device_id(), {a.size() + b.size()}, merge);
      },
      nb::arg("options"),
      taken("a"),
      taken("b"));
}

}  // namespace

void bind_device_order(nb::module_& m) {
  for_plain_types([&]<class T>() {
    bind_order<T>(m);
    bind_order_with_values<T>(m);
  });
}

}  // namespace yupana::python

#endif
