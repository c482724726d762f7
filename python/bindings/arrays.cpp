#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <type_traits>

#include "python/bindings/call.hpp"
#include "python/bindings/choices.hpp"
#include "python/bindings/numpy.hpp"
#include "yupana/arrays/merge.hpp"
#include "yupana/arrays/reduce.hpp"
#include "yupana/arrays/scan.hpp"
#include "yupana/arrays/segments.hpp"
#include "yupana/arrays/sort.hpp"
#include "yupana/arrays/sum_range.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::python {
namespace {

using namespace arrays;

void check_offsets(const Vector<std::int64_t>& offsets, std::int64_t values) {
  const std::int64_t count = size_of(offsets);
  if (count < 1) throw usage_error("offsets: expected at least one, got none");
  for (std::int64_t s = 0; s < count; ++s) {
    const std::int64_t min = s == 0 ? 0 : offsets.data()[s - 1];
    if (offsets.data()[s] >= min && offsets.data()[s] <= values) continue;
    throw bad_offset(values, s, offsets.data()[s]);
  }
}

/// A new array, or the caller's.
template <class T>
class Output {
 public:
  Output(std::int64_t size, const std::optional<VectorOut<T>>& out) {
    if (out) check_size("out", size, size_of(*out));
    if (!out) made_ = Array<T>(size);
    data_ = out ? out->data() : made_.data();
    is_made_ = !out;
  }
  T* data() { return data_; }
  /// None for the caller's.
  std::optional<nb::ndarray<nb::numpy, T>> result() && {
    if (!is_made_) return std::nullopt;
    return to_numpy(std::move(made_));
  }

 private:
  Array<T> made_;
  T* data_ = nullptr;
  bool is_made_ = false;
};

/// What becomes of sums of integers that leave their type.
enum class Overflow { note, wrap, error };
const Choices<Overflow> overflows{
    {"note", Overflow::note}, {"wrap", Overflow::wrap}, {"error", Overflow::error}};

/// Follows the sums of `in` where the caller wants to know whether they wrap around.
template <class T, class Fold>
class SumCheck {
 public:
  SumCheck(const char* function, const std::string& overflow)
      : function_(function), overflow_(chosen("overflow", overflow, overflows)) {}

  /// Notes or refuses the first of all running sums but the last `left_out` that is outside.
  void running(Context& context, const Vector<T>& in, T first, std::int64_t left_out) const {
    if constexpr (follows) {
      if (overflow_ == Overflow::wrap) return;
      SumRange<T> range(first);
      range.add(context, in.data(), size_of(in) - left_out);
      if (range.first_outside() >= 0) say(context, range.first_outside(), range.outside());
    }
  }
  void total(Context& context, const Vector<T>& in, T first) const {
    if constexpr (follows) {
      if (overflow_ == Overflow::wrap) return;
      SumRange<T> range(first);
      range.add_to_total(context, in.data(), size_of(in));
      if (!range.holds(range.total())) say(context, size_of(in) - 1, range.total());
    }
  }

 private:
  static constexpr bool follows = std::is_integral_v<T> && std::is_same_v<Fold, Plus>;

  template <class Wide>
  void say(Context& context, std::int64_t last, Wide sum) const {
    const std::string text =
        fmt::format("{}: with number {} (from 1) the sum is {}, beyond what {}{} holds",
                    function_,
                    last + 1,
                    sum,
                    std::is_signed_v<T> ? "int" : "uint",
                    8 * sizeof(T));
    if (overflow_ == Overflow::error) {
      throw input_error("{}; give numbers of a wider type, or overflow='wrap'", text);
    }
    context.note(text + ", and wraps around; give numbers of a wider type, or overflow='wrap'");
  }

  const char* function_;
  Overflow overflow_;
};

/// Without `overflow` as on a GPU, where sums wrap around.
template <class T>
void bind_folds(nb::module_& m) {
  m.def(
      "scan",
      [](const Options& options,
         Vector<T> in,
         const std::string& op,
         std::optional<T> first,
         bool exclusive,
         std::optional<VectorOut<T>> out,
         const std::string& overflow) {
        Output<T> output(size_of(in), out);
        call(options, [&](Context& context) {
          with_operator(op, [&](auto fold) {
            const SumCheck<T, decltype(fold)> check(exclusive ? "exclusive_scan" : "inclusive_scan",
                                                    overflow);
            const std::int64_t left_out = exclusive && size_of(in) > 0 ? 1 : 0;
            check.running(context, in, exclusive ? *first : T{0}, left_out);
            if (exclusive) {
              exclusive_scan(context, in.data(), size_of(in), *first, output.data(), fold);
            } else {
              inclusive_scan(context, in.data(), size_of(in), output.data(), fold);
            }
          });
        });
        return std::move(output).result();
      },
      nb::arg("options"),
      nb::arg("x"),
      nb::arg("op"),
      nb::arg("first").none(),
      nb::arg("exclusive"),
      taken("out").none(),
      nb::arg("overflow") = "wrap");
  m.def(
      "reduce",
      [](const Options& options,
         Vector<T> in,
         const std::string& op,
         T init,
         const std::string& overflow) {
        return call(options, [&](Context& context) {
          T result = init;
          with_operator(op, [&](auto fold) {
            SumCheck<T, decltype(fold)>("reduce", overflow).total(context, in, init);
            result = reduce(context, in.data(), size_of(in), init, fold);
          });
          return result;
        });
      },
      nb::arg("options"),
      nb::arg("x"),
      nb::arg("op"),
      nb::arg("init"),
      nb::arg("overflow") = "wrap");
  m.def("segmented_scan",
        [](const Options& options,
           Vector<T> in,
           Vector<std::int64_t> offsets,
           const std::string& op) {
          check_offsets(offsets, size_of(in));
          return to_numpy(call(options, [&](Context& context) {
            Array<T> out(size_of(in));
            std::copy_n(in.data(), out.size(), out.data());
            with_operator(op, [&](auto fold) {
              segmented_inclusive_scan(
                  context, in.data(), offsets.data(), size_of(offsets) - 1, out.data(), fold);
            });
            return out;
          }));
        });
  m.def("segmented_reduce",
        [](const Options& options,
           Vector<T> in,
           Vector<std::int64_t> offsets,
           const std::string& op,
           T init) {
          check_offsets(offsets, size_of(in));
          return to_numpy(call(options, [&](Context& context) {
            Array<T> totals(size_of(offsets) - 1);
            with_operator(op, [&](auto fold) {
              segmented_reduce(
                  context, in.data(), offsets.data(), totals.size(), init, totals.data(), fold);
            });
            return totals;
          }));
        });
}

template <class K, class V>
void bind_runs(nb::module_& m) {
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

/// Values only move: they come as words of 8 bytes.
template <class K, class V = std::uint64_t>
std::pair<Array<K>, Array<V>> sorted_pairs(Context& context, const Vector<K>& keys, const V* from) {
  const std::int64_t n = size_of(keys);
  std::pair pairs{Array<K>(n), Array<V>(n)};
  std::copy_n(keys.data(), n, pairs.first.data());
  if (from != nullptr) std::copy_n(from, n, pairs.second.data());
  if (from == nullptr) std::iota(pairs.second.begin(), pairs.second.end(), V{0});
  sort_by_key(context, pairs.first.data(), pairs.second.data(), n);
  return pairs;
}

template <class K>
void bind_order(nb::module_& m) {
  using V = std::uint64_t;
  m.def(
      "sort",
      [](const Options& options, Vector<K> keys, std::optional<VectorOut<K>> out) {
        Output<K> output(size_of(keys), out);
        call(options, [&](Context& context) {
          if (output.data() != keys.data()) std::copy_n(keys.data(), size_of(keys), output.data());
          sort(context, output.data(), size_of(keys));
        });
        return std::move(output).result();
      },
      nb::arg("options"),
      nb::arg("keys"),
      taken("out").none());
  m.def("sort_by_key", [](const Options& options, Vector<K> keys, Vector<V> values) {
    check_size("values", size_of(keys), size_of(values));
    auto [sorted, moved] =
        call(options, [&](Context& context) { return sorted_pairs(context, keys, values.data()); });
    return std::pair(to_numpy(std::move(sorted)), to_numpy(std::move(moved)));
  });
  m.def("argsort", [](const Options& options, Vector<K> keys) {
    Array<V> places = call(options, [&](Context& context) {
      return sorted_pairs<K, V>(context, keys, nullptr).second;
    });
    return owned<std::int64_t>(std::move(places), {size_of(keys)});
  });
  m.def("merge", [](const Options& options, Vector<K> a, Vector<K> b) {
    return to_numpy(call(options, [&](Context& context) {
      Array<K> out(size_of(a) + size_of(b));
      merge(context, a.data(), size_of(a), b.data(), size_of(b), out.data());
      return out;
    }));
  });
  m.def(
      "merge_by_key",
      [](const Options& options, Vector<K> a, Vector<V> a_values, Vector<K> b, Vector<V> b_values) {
        check_size("a_values", size_of(a), size_of(a_values));
        check_size("b_values", size_of(b), size_of(b_values));
        const std::int64_t size = size_of(a) + size_of(b);
        Array<K> keys(size);
        Array<V> values(size);
        call(options, [&](Context& context) {
          merge_by_key<K, V>(context,
                             Columns<const K, const V>{a.data(), a_values.data()},
                             size_of(a),
                             Columns<const K, const V>{b.data(), b_values.data()},
                             size_of(b),
                             Columns<K, V>{keys.data(), values.data()});
        });
        return std::pair(to_numpy(std::move(keys)), to_numpy(std::move(values)));
      });
}

}  // namespace

void bind_arrays(nb::module_& module) {
  nb::module_ m = module.def_submodule("arrays", "Scan, reduce, merge, sort.");
  for_plain_types([&]<class T>() {
    bind_folds<T>(m);
    bind_order<T>(m);
  });
  // Integers of every kind come as 64-bit ones: only equality of keys counts, and sums wrap alike.
  bind_runs<std::int64_t, std::int64_t>(m);
  bind_runs<std::int64_t, double>(m);
}

}  // namespace yupana::python
