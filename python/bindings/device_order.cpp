// Sorts and merges of vectors in the memory of a GPU.
#ifdef YUPANA_CUDA
#include "python/bindings/device_vectors.hpp"

namespace yupana::python {
namespace {

using arrays::NoValue;

/// Sorted keys and the values, words V, that moved with them.
template <class K, class V>
nb::object pairs_sorted(const Options& options,
                        const DeviceVector<K>& keys,
                        const DeviceWords& values) {
  std::pair<DeviceArray<K>, DeviceArray<V>> sorted;
  queue_with_scratch(options, keys.device_id(), [&](const DeviceSession& session) {
    const auto* const words = static_cast<const V*>(values.data());
    sorted = {copied(keys.data(), size_of(keys), session.stream),
              copied(words, size_of(keys), session.stream)};
    const arrays::Columns<K, V> columns{sorted.first.data(), sorted.second.data()};
    arrays::cuda::sort_by_key(session.space, session.stream, columns, size_of(keys));
  });
  return nb::make_tuple(to_dlpack(std::move(sorted.first), {keys.size()}, keys.device_id()),
                        to_dlpack(std::move(sorted.second), values.dtype(), keys.device_id()));
}

using Places = std::optional<DeviceVectorOut<std::int64_t>>;

template <class K>
Made<std::int64_t> order_of(const Options& options,
                            const DeviceVector<K>& keys,
                            const Places& out) {
  const std::int64_t n = size_of(keys);
  if (out) {
    check_same_device("out", *out, keys);
    check_size("out", n, size_of(*out));
  }
  DeviceArray<std::int64_t> made;
  queue_with_scratch(options, keys.device_id(), [&](const DeviceSession& session) {
    if (!out) made = DeviceArray<std::int64_t>(n);
    std::int64_t* const places = out ? out->data() : made.data();
    arrays::cuda::argsort(session.space, session.stream, keys.data(), n, places);
  });
  return made_unless(out.has_value(), std::move(made), keys.device_id());
}

template <class K, class V>
nb::object pairs_merged(const Options& options,
                        const DeviceVector<K>& a,
                        const DeviceWords& a_values,
                        const DeviceVector<K>& b,
                        const DeviceWords& b_values) {
  const std::int64_t n = size_of(a) + size_of(b);
  std::pair<DeviceArray<K>, DeviceArray<V>> merged;
  queue_with_scratch(options, a.device_id(), [&](const DeviceSession& session) {
    merged = {DeviceArray<K>(n), DeviceArray<V>(n)};
    arrays::cuda::merge_by_key<K, V>(session.space,
                                     session.stream,
                                     {a.data(), static_cast<const V*>(a_values.data())},
                                     size_of(a),
                                     {b.data(), static_cast<const V*>(b_values.data())},
                                     size_of(b),
                                     {merged.first.data(), merged.second.data()});
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
  m.def("argsort", &order_of<K>, nb::arg("options"), taken("keys"), taken("out").none());
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
        queue_with_scratch(options, keys.device_id(), [&](const DeviceSession& session) {
          K* const to = output.place(size_of(keys));
          copy_async(to, keys.data(), size_of(keys), session.stream);
          const arrays::Columns<K, NoValue> column{to, nullptr};
          arrays::cuda::sort_by_key(session.space, session.stream, column, size_of(keys));
        });
        return made_unless(out.has_value(), std::move(output.made), keys.device_id());
      },
      nb::arg("options"),
      taken("keys"),
      taken("out").none());
  m.def(
      "merge",
      [](const Options& options, DeviceVector<K> a, DeviceVector<K> b) {
        check_same_device("b", b, a);
        DeviceArray<K> out;
        queue_with_scratch(options, a.device_id(), [&](const DeviceSession& session) {
          out = DeviceArray<K>(size_of(a) + size_of(b));
          arrays::cuda::merge_by_key<K, NoValue>(session.space,
                                                 session.stream,
                                                 {a.data(), nullptr},
                                                 size_of(a),
                                                 {b.data(), nullptr},
                                                 size_of(b),
                                                 {out.data(), nullptr});
        });
        return to_dlpack(std::move(out), {a.size() + b.size()}, a.device_id());
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
