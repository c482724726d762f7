// Scans, sums and runs of vectors in the memory of a GPU.
#ifdef YUPANA_CUDA
#include <nanobind/stl/string.h>

#include "python/bindings/device_arrays.hpp"
#include "python/bindings/device_vectors.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::python {
namespace {

using yupana::cuda::check;

template <class T>
Made<T> scanned(const Options& options,
                const DeviceVector<T>& in,
                const std::string& op,
                std::optional<T> first,
                bool exclusive,
                const std::optional<DeviceVectorOut<T>>& out) {
  Output<T> output(in, out);
  queue_with_scratch(options, in.device_id(), [&](const DeviceSession& session) {
    T* const to = output.place(size_of(in));
    with_operator(op, [&](auto fold) {
      if (in.size() == 0) return;
      arrays::cuda::scan(session.space,
                         session.stream,
                         in.data(),
                         size_of(in),
                         first ? &*first : nullptr,
                         exclusive,
                         to,
                         fold);
    });
  });
  return made_unless(out.has_value(), std::move(output.made), in.device_id());
}

template <class T>
T reduced(const Options& options, const DeviceVector<T>& in, const std::string& op, T init) {
  T total = init;
  queue_with_scratch(options, in.device_id(), [&](const DeviceSession& session) {
    auto* const result = reinterpret_cast<T*>(session.scratch.result.data());
    auto* const fetched = reinterpret_cast<T*>(session.scratch.fetched.data());
    with_operator(op, [&](auto fold) {
      if (in.size() == 0) return;
      arrays::cuda::reduce(
          session.space, session.stream, in.data(), size_of(in), init, result, fold);
      copy_async(fetched, static_cast<const T*>(result), 1, session.stream);
      check(cudaStreamSynchronize(session.stream), "fetch a total");
      total = *fetched;
    });
  });
  return total;
}

/// Offsets of segments on the device: read where they are there, else copied up.
using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig>;

struct OffsetsThere {
  OffsetsThere(const Offsets& offsets, std::int64_t values, cudaStream_t stream) {
    const std::int64_t count = size_of(offsets);
    data = offsets.data();
    if (offsets.device_type() == nb::device::cpu::value) {
      made = copied(offsets.data(), count, stream);
      data = made.data();
    }
    const std::int64_t bad = device::first_bad_offset(data, count, values, stream);
    if (bad == count) return;
    std::int64_t offset = 0;
    copy_async(&offset, data + bad, 1, stream);
    check(cudaStreamSynchronize(stream), "fetch an offset");
    throw bad_offset(values, bad, offset);
  }
  const std::int64_t* data;
  DeviceArray<std::int64_t> made;
};

void check_offsets(const Offsets& offsets, int device) {
  if (offsets.size() < 1) throw usage_error("offsets: expected at least one, got none");
  const int kind = offsets.device_type();
  if (kind == nb::device::cpu::value) return;
  if (kind == nb::device::cuda::value && offsets.device_id() == device) return;
  throw usage_error("offsets: expected an array on the GPU of x, or in host memory");
}

template <class T>
DlpackArray<T> segments_scanned(const Options& options,
                                const DeviceVector<T>& in,
                                const Offsets& offsets,
                                const std::string& op) {
  check_offsets(offsets, in.device_id());
  DeviceArray<T> out;
  queue_with_scratch(options, in.device_id(), [&](const DeviceSession& session) {
    out = copied(in.data(), size_of(in), session.stream);
    const OffsetsThere there(offsets, size_of(in), session.stream);
    with_operator(op, [&](auto fold) {
      arrays::cuda::segmented_scan<false>(session.space,
                                          session.stream,
                                          in.data(),
                                          there.data,
                                          size_of(offsets) - 1,
                                          T{},
                                          out.data(),
                                          fold);
    });
    check(cudaStreamSynchronize(session.stream), "scan segments");  // before the offsets go
  });
  return to_dlpack(std::move(out), {in.size()}, in.device_id());
}

template <class T>
DlpackArray<T> segments_reduced(const Options& options,
                                const DeviceVector<T>& in,
                                const Offsets& offsets,
                                const std::string& op,
                                T init) {
  check_offsets(offsets, in.device_id());
  DeviceArray<T> totals;
  queue_with_scratch(options, in.device_id(), [&](const DeviceSession& session) {
    const OffsetsThere there(offsets, size_of(in), session.stream);
    totals = DeviceArray<T>(size_of(offsets) - 1);
    with_operator(op, [&](auto fold) {
      arrays::cuda::segmented_reduce(session.space,
                                     session.stream,
                                     in.data(),
                                     there.data,
                                     totals.size(),
                                     size_of(in),
                                     init,
                                     totals.data(),
                                     fold);
    });
    check(cudaStreamSynchronize(session.stream), "reduce segments");  // before the offsets go
  });
  return to_dlpack(std::move(totals), {offsets.size() - 1}, in.device_id());
}

template <class T>
void bind_folds(nb::module_& m) {
  m.def("scan",
        &scanned<T>,
        nb::arg("options"),
        taken("x"),
        nb::arg("op"),
        nb::arg("first").none(),
        nb::arg("exclusive"),
        taken("out").none());
  m.def("reduce", &reduced<T>, nb::arg("options"), taken("x"), nb::arg("op"), nb::arg("init"));
  m.def("segmented_scan",
        &segments_scanned<T>,
        nb::arg("options"),
        taken("x"),
        taken("offsets"),
        nb::arg("op"));
  m.def("segmented_reduce",
        &segments_reduced<T>,
        nb::arg("options"),
        taken("x"),
        taken("offsets"),
        nb::arg("op"),
        nb::arg("init"));
}

/// Runs as the functions on host memory find them: their sums of floats are of 64 bits, cut where
/// 64-bit keys would be; of integers only equality and the sum's low bits count.
template <class U, class V>
struct Runs {
  DeviceArray<U> keys;
  DeviceArray<V> sums;
};

template <class U, class V>
Runs<U, V> runs_of(const DeviceSession& session, const U* keys, const V* values, std::int64_t n) {
  Runs<U, V> most{DeviceArray<U>(n), DeviceArray<V>(n)};
  const std::int64_t runs = arrays::cuda::reduce_by_key(
      session.space, session.stream, keys, values, n, most.keys.data(), most.sums.data());
  // Only as much as there is stays.
  Runs<U, V> exact{copied(most.keys.data(), runs, session.stream),
                   copied(most.sums.data(), runs, session.stream)};
  check(cudaStreamSynchronize(session.stream), "reduce by key");  // before the others go
  return exact;
}

template <class To, class From>
DeviceArray<To> converted(const From* from, std::int64_t n, cudaStream_t stream) {
  DeviceArray<To> to(n);
  device::convert(from, n, to.data(), stream);
  return to;
}

/// U: the keys' bits. A type of their own for sums of floats, which are converted before and after.
template <class U, class V>
Runs<U, V> summed(const DeviceSession& session, const U* keys, const V* values, std::int64_t n) {
  if constexpr (std::is_integral_v<V>) {
    return runs_of(session, keys, values, n);
  } else {
    DeviceArray<std::uint64_t> wide_keys;
    DeviceArray<double> wide_values;
    const std::uint64_t* own_keys = nullptr;
    const double* own_values = nullptr;
    if constexpr (sizeof(U) == 8) {
      own_keys = keys;
    } else {
      wide_keys = converted<std::uint64_t>(keys, n, session.stream);
      own_keys = wide_keys.data();
    }
    if constexpr (sizeof(V) == 8) {
      own_values = values;
    } else {
      wide_values = converted<double>(values, n, session.stream);
      own_values = wide_values.data();
    }
    auto found = runs_of(session, own_keys, own_values, n);
    Runs<U, V> runs;
    if constexpr (sizeof(U) == 8) {
      runs.keys = std::move(found.keys);
    } else {
      const std::uint64_t* const from = found.keys.data();
      runs.keys = converted<U>(from, found.keys.size(), session.stream);
    }
    if constexpr (sizeof(V) == 8) {
      runs.sums = std::move(found.sums);
    } else {
      const double* const from = found.sums.data();
      runs.sums = converted<V>(from, found.sums.size(), session.stream);
    }
    check(cudaStreamSynchronize(session.stream), "reduce by key");
    return runs;
  }
}

template <class U, class V>
nb::object sums_by_key(const Options& options,
                       const DeviceWords& keys,
                       const DeviceVector<V>& values) {
  const std::int64_t n = size_of(keys);
  Runs<U, V> runs;
  queue_with_scratch(options, keys.device_id(), [&](const DeviceSession& session) {
    if (n > 0) runs = summed(session, static_cast<const U*>(keys.data()), values.data(), n);
  });
  const auto count = static_cast<std::size_t>(runs.sums.size());
  return nb::make_tuple(to_dlpack(std::move(runs.keys), keys.dtype(), keys.device_id()),
                        to_dlpack(std::move(runs.sums), {count}, keys.device_id()));
}

template <class V>
void bind_runs(nb::module_& m) {
  m.def(
      "reduce_by_key",
      [](const Options& options, DeviceWords keys, DeviceVector<V> values) {
        check_same_device("values", values, keys);
        check_size("values", size_of(keys), size_of(values));
        return bytes_of(keys) == 8 ? sums_by_key<std::uint64_t>(options, keys, values)
                                   : sums_by_key<std::uint32_t>(options, keys, values);
      },
      nb::arg("options"),
      taken("keys"),
      taken("values"));
}

}  // namespace

void bind_device_folds(nb::module_& m) {
  for_plain_types([&]<class T>() {
    bind_folds<T>(m);
    bind_runs<T>(m);
  });
}

}  // namespace yupana::python

#endif
