#include <nanobind/stl/string.h>

#include "python/bindings/call.hpp"
#include "python/bindings/numpy.hpp"
#include "python/bindings/operators.hpp"
#include "yupana/arrays/merge.hpp"
#include "yupana/arrays/reduce.hpp"
#include "yupana/arrays/scan.hpp"
#include "yupana/arrays/segments.hpp"
#include "yupana/arrays/sort.hpp"
#include "yupana/core/error.hpp"

namespace yupana::python {
namespace {

using namespace arrays;

void check_offsets(const Vector<std::int64_t>& offsets, std::int64_t values) {
  const std::int64_t count = size_of(offsets);
  if (count < 1) throw Error(ErrorCode::usage, "offsets: at least one wanted, none given");
  for (std::int64_t s = 0; s < count; ++s) {
    const std::int64_t least = s == 0 ? 0 : offsets.data()[s - 1];
    if (offsets.data()[s] >= least && offsets.data()[s] <= values) continue;
    throw bad_offset(values, s, offsets.data()[s]);
  }
}

template <class T>
void bind_folds(nb::module_& m) {
  m.def("inclusive_scan",
        [](const Options& options, Vector<T> in, VectorOut<T> out, const std::string& op) {
          check_size("out", size_of(in), size_of(out));
          call(options, [&](Context& context) {
            with_operator(op, [&](auto fold) {
              inclusive_scan(context, in.data(), size_of(in), out.data(), fold);
            });
          });
        });
  m.def("exclusive_scan",
        [](const Options& options, Vector<T> in, T init, VectorOut<T> out, const std::string& op) {
          check_size("out", size_of(in), size_of(out));
          call(options, [&](Context& context) {
            with_operator(op, [&](auto fold) {
              exclusive_scan(context, in.data(), size_of(in), init, out.data(), fold);
            });
          });
        });
  m.def("reduce", [](const Options& options, Vector<T> in, T init, const std::string& op) {
    return call(options, [&](Context& context) {
      T result = init;
      with_operator(
          op, [&](auto fold) { result = reduce(context, in.data(), size_of(in), init, fold); });
      return result;
    });
  });
  m.def("segmented_scan",
        [](const Options& options,
           Vector<T> in,
           Vector<std::int64_t> offsets,
           VectorOut<T> out,
           const std::string& op) {
          check_size("out", size_of(in), size_of(out));
          check_offsets(offsets, size_of(in));
          call(options, [&](Context& context) {
            with_operator(op, [&](auto fold) {
              segmented_inclusive_scan(
                  context, in.data(), offsets.data(), size_of(offsets) - 1, out.data(), fold);
            });
          });
        });
  m.def("segmented_reduce",
        [](const Options& options,
           Vector<T> in,
           Vector<std::int64_t> offsets,
           T init,
           VectorOut<T> totals,
           const std::string& op) {
          check_size("totals", size_of(offsets) - 1, size_of(totals));
          check_offsets(offsets, size_of(in));
          call(options, [&](Context& context) {
            with_operator(op, [&](auto fold) {
              segmented_reduce(context,
                               in.data(),
                               offsets.data(),
                               size_of(offsets) - 1,
                               init,
                               totals.data(),
                               fold);
            });
          });
        });
}

template <class K, class V>
void bind_runs(nb::module_& m) {
  m.def("reduce_by_key",
        [](const Options& options,
           Vector<K> keys,
           Vector<V> values,
           VectorOut<K> out_keys,
           VectorOut<V> out_values) {
          check_size("values", size_of(keys), size_of(values));
          check_size("out_keys", size_of(keys), size_of(out_keys));
          check_size("out_values", size_of(keys), size_of(out_values));
          return call(options, [&](Context& context) {
            return reduce_by_key(context,
                                 keys.data(),
                                 values.data(),
                                 size_of(keys),
                                 out_keys.data(),
                                 out_values.data());
          });
        });
}

template <class K>
void bind_order(nb::module_& m) {
  m.def("sort", [](const Options& options, VectorOut<K> keys) {
    call(options, [&](Context& context) { sort(context, keys.data(), size_of(keys)); });
  });
  m.def("quicksort", [](const Options& options, VectorOut<K> keys) {
    call(options, [&](Context& context) { quicksort(context, keys.data(), size_of(keys)); });
  });
  m.def("merge", [](const Options& options, Vector<K> a, Vector<K> b, VectorOut<K> out) {
    check_size("out", size_of(a) + size_of(b), size_of(out));
    call(options, [&](Context& context) {
      merge(context, a.data(), size_of(a), b.data(), size_of(b), out.data());
    });
  });
}

/// Values only move: they come as words of 8 bytes.
template <class K, class V = std::uint64_t>
void bind_order_with_values(nb::module_& m) {
  m.def("sort_by_key", [](const Options& options, VectorOut<K> keys, VectorOut<V> values) {
    check_size("values", size_of(keys), size_of(values));
    call(options, [&](Context& context) {
      sort_by_key(context, keys.data(), values.data(), size_of(keys));
    });
  });
  m.def("merge_by_key",
        [](const Options& options,
           Vector<K> a,
           Vector<V> a_values,
           Vector<K> b,
           Vector<V> b_values,
           VectorOut<K> out,
           VectorOut<V> out_values) {
          check_size("a_values", size_of(a), size_of(a_values));
          check_size("b_values", size_of(b), size_of(b_values));
          check_size("out", size_of(a) + size_of(b), size_of(out));
          check_size("out_values", size_of(out), size_of(out_values));
          call(options, [&](Context& context) {
            merge_by_key<K, V>(context,
                               Columns<const K, const V>{a.data(), a_values.data()},
                               size_of(a),
                               Columns<const K, const V>{b.data(), b_values.data()},
                               size_of(b),
                               Columns<K, V>{out.data(), out_values.data()});
          });
        });
}

template <class K>
void bind_type(nb::module_& m) {
  bind_folds<K>(m);
  bind_order<K>(m);
  bind_order_with_values<K>(m);
}

}  // namespace

void bind_arrays(nb::module_& module) {
  nb::module_ m = module.def_submodule("arrays", "Scan, reduce, merge, sort.");
  bind_type<std::int32_t>(m);
  bind_type<std::int64_t>(m);
  bind_type<std::uint32_t>(m);
  bind_type<std::uint64_t>(m);
  bind_type<float>(m);
  bind_type<double>(m);
  // Integers of every kind come as 64-bit ones: only equality of keys counts, and sums wrap alike.
  bind_runs<std::int64_t, std::int64_t>(m);
  bind_runs<std::int64_t, double>(m);
}

}  // namespace yupana::python
