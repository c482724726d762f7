#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <type_traits>

#include "python/bindings/vectors.hpp"
#include "yupana/arrays/sum_range.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::python {
namespace {

using namespace arrays;

/// Those on a GPU are looked at there.
void check_offsets(const Offsets& offsets, int place, std::int64_t values) {
  const std::int64_t count = size_of(offsets);
  if (count < 1) throw usage_error("offsets: expected at least one, got none");
  const int own = place_of(offsets);
  if (own >= 0 && own != place) {
    throw usage_error("offsets: expected an array on the GPU of x, or in host memory");
  }
  for (std::int64_t s = 0; s < count && place < 0; ++s) {
    const std::int64_t min = s == 0 ? 0 : offsets.data()[s - 1];
    if (offsets.data()[s] >= min && offsets.data()[s] <= values) continue;
    throw bad_offset(values, s, offsets.data()[s]);
  }
}

/// A new array, or the caller's: on a GPU `in` itself, or one apart from it.
template <class T>
class Output {
 public:
  Output(const AnyVector<T>& in, const std::optional<AnyVectorOut<T>>& out)
      : place_(place_of(in)), size_(size_of(in)) {
    if (!out) return;
    check_same_device("out", *out, in);
    check_size("out", size_, size_of(*out));
    callers_ = out->data();
    const bool apart = callers_ + size_ <= in.data() || in.data() + size_ <= callers_;
    if (place_ >= 0 && callers_ != in.data() && !apart) {
      throw usage_error("out: expected the array itself or one apart from it");
    }
  }
  /// In a call at the array's place.
  T* data() {
    if (callers_ != nullptr) return callers_;
    made_ = Made<T>(place_, size_);
    return made_.data();
  }
  /// None for the caller's.
  nb::object result(bool is_given) && {
    return is_given ? nb::none() : std::move(made_).to_python({size_});
  }

 private:
  int place_;
  std::int64_t size_;
  T* callers_ = nullptr;
  Made<T> made_;
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
  void running(Context& context, const AnyVector<T>& in, T first, std::int64_t left_out) const {
    if constexpr (follows) {
      if (overflow_ == Overflow::wrap) return;
      SumRange<T> range(first);
      range.add(context, in.data(), size_of(in) - left_out);
      if (range.first_outside() >= 0) say(context, range.first_outside(), range.outside());
    }
  }
  void total(Context& context, const AnyVector<T>& in, T first) const {
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

/// Without `overflow`, as on a GPU, sums wrap around.
template <class T>
void bind_folds(nb::module_& m) {
  m.def(
      "scan",
      [](const Options& options,
         AnyVector<T> in,
         const std::string& op,
         std::optional<T> first,
         bool exclusive,
         std::optional<AnyVectorOut<T>> out,
         const std::string& overflow) {
        Output<T> output(in, out);
        vectors_at(place_of(in), size_of(in), options, [&](Context& context, auto& vectors) {
          with_operator(op, [&](auto fold) {
            const SumCheck<T, decltype(fold)> check(exclusive ? "exclusive_scan" : "inclusive_scan",
                                                    overflow);
            const std::int64_t left_out = exclusive && size_of(in) > 0 ? 1 : 0;
            check.running(context, in, exclusive ? *first : T{0}, left_out);
            vectors.scan(
                in.data(), size_of(in), first ? &*first : nullptr, exclusive, output.data(), fold);
          });
        });
        return std::move(output).result(out.has_value());
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
         AnyVector<T> in,
         const std::string& op,
         T init,
         const std::string& overflow) {
        T result = init;
        vectors_at(place_of(in), size_of(in), options, [&](Context& context, auto& vectors) {
          with_operator(op, [&](auto fold) {
            SumCheck<T, decltype(fold)>("reduce", overflow).total(context, in, init);
            result = vectors.reduce(in.data(), size_of(in), init, fold);
          });
        });
        return result;
      },
      nb::arg("options"),
      nb::arg("x"),
      nb::arg("op"),
      nb::arg("init"),
      nb::arg("overflow") = "wrap");
  m.def("segmented_scan",
        [](const Options& options, AnyVector<T> in, Offsets offsets, const std::string& op) {
          const int place = place_of(in);
          const std::int64_t n = size_of(in);
          check_offsets(offsets, place, n);
          Made<T> out;
          vectors_at(place, n, options, [&](Context&, auto& vectors) {
            out = Made<T>(place, n);
            vectors.copy(in.data(), n, out.data());
            with_operator(op, [&](auto fold) {
              vectors.segmented_scan(in.data(), n, offsets, out.data(), fold);
            });
          });
          return std::move(out).to_python({n});
        });
  m.def(
      "segmented_reduce",
      [](const Options& options, AnyVector<T> in, Offsets offsets, const std::string& op, T init) {
        const int place = place_of(in);
        check_offsets(offsets, place, size_of(in));
        const std::int64_t segments = size_of(offsets) - 1;
        Made<T> totals;
        vectors_at(place, size_of(in), options, [&](Context&, auto& vectors) {
          totals = Made<T>(place, segments);
          with_operator(op, [&](auto fold) {
            vectors.segmented_reduce(in.data(), size_of(in), offsets, init, totals.data(), fold);
          });
        });
        return std::move(totals).to_python({segments});
      });
}

/// Sorted keys and the values, words V, that moved with them.
template <class V, class K>
nb::object pairs_sorted(const Options& options, const AnyVector<K>& keys, const Words& values) {
  const int place = place_of(keys);
  const std::int64_t n = size_of(keys);
  std::pair<Made<K>, Made<V>> sorted;
  vectors_at<V>(place, n, options, [&](Context&, auto& vectors) {
    sorted = {Made<K>(place, n), Made<V>(place, n)};
    vectors.copy(keys.data(), n, sorted.first.data());
    vectors.copy(static_cast<const V*>(values.data()), n, sorted.second.data());
    vectors.sort(Columns<K, V>{sorted.first.data(), sorted.second.data()}, n);
  });
  return nb::make_tuple(std::move(sorted.first).to_python({n}),
                        std::move(sorted.second).to_python({n}, values.dtype()));
}

template <class V, class K>
nb::object pairs_merged(const Options& options,
                        const AnyVector<K>& a,
                        const Words& a_values,
                        const AnyVector<K>& b,
                        const Words& b_values) {
  const int place = place_of(a);
  const std::int64_t n = size_of(a) + size_of(b);
  std::pair<Made<K>, Made<V>> merged;
  vectors_at<V>(place, n, options, [&](Context&, auto& vectors) {
    merged = {Made<K>(place, n), Made<V>(place, n)};
    vectors.merge(Columns<const K, const V>{a.data(), static_cast<const V*>(a_values.data())},
                  size_of(a),
                  Columns<const K, const V>{b.data(), static_cast<const V*>(b_values.data())},
                  size_of(b),
                  Columns<K, V>{merged.first.data(), merged.second.data()});
  });
  return nb::make_tuple(std::move(merged.first).to_python({n}),
                        std::move(merged.second).to_python({n}, a_values.dtype()));
}

template <class K>
void bind_order(nb::module_& m) {
  m.def(
      "sort",
      [](const Options& options, AnyVector<K> keys, std::optional<AnyVectorOut<K>> out) {
        Output<K> output(keys, out);
        vectors_at(place_of(keys), size_of(keys), options, [&](Context&, auto& vectors) {
          K* const to = output.data();
          vectors.copy(keys.data(), size_of(keys), to);
          vectors.sort(Columns<K, NoValue>{to, nullptr}, size_of(keys));
        });
        return std::move(output).result(out.has_value());
      },
      nb::arg("options"),
      nb::arg("keys"),
      taken("out").none());
  m.def("sort_by_key", [](const Options& options, AnyVector<K> keys, Words values) {
    check_same_device("values", values, keys);
    check_size("values", size_of(keys), size_of(values));
    return bytes_of(values) == 8 ? pairs_sorted<std::uint64_t>(options, keys, values)
                                 : pairs_sorted<std::uint32_t>(options, keys, values);
  });
  m.def(
      "argsort",
      [](const Options& options, AnyVector<K> keys, std::optional<AnyVectorOut<std::int64_t>> out) {
        const std::int64_t n = size_of(keys);
        if (out) {
          check_same_device("out", *out, keys);
          check_size("out", n, size_of(*out));
        }
        Made<std::int64_t> made;
        vectors_at(place_of(keys), size_of(keys), options, [&](Context&, auto& vectors) {
          if (!out) made = Made<std::int64_t>(place_of(keys), n);
          vectors.argsort(keys.data(), n, out ? out->data() : made.data());
        });
        return out ? nb::none() : std::move(made).to_python({n});
      },
      nb::arg("options"),
      nb::arg("keys"),
      taken("out").none() = nb::none());
  m.def("merge", [](const Options& options, AnyVector<K> a, AnyVector<K> b) {
    check_same_device("b", b, a);
    const int place = place_of(a);
    const std::int64_t n = size_of(a) + size_of(b);
    Made<K> merged;
    vectors_at(place, n, options, [&](Context&, auto& vectors) {
      merged = Made<K>(place, n);
      vectors.merge(Columns<const K, const NoValue>{a.data(), nullptr},
                    size_of(a),
                    Columns<const K, const NoValue>{b.data(), nullptr},
                    size_of(b),
                    Columns<K, NoValue>{merged.data(), nullptr});
    });
    return std::move(merged).to_python({n});
  });
  m.def("merge_by_key",
        [](const Options& options, AnyVector<K> a, Words a_values, AnyVector<K> b, Words b_values) {
          check_same_device("a_values", a_values, a);
          check_same_device("b", b, a);
          check_same_device("b_values", b_values, a);
          check_size("a_values", size_of(a), size_of(a_values));
          check_size("b_values", size_of(b), size_of(b_values));
          if (a_values.dtype() != b_values.dtype()) {
            throw nb::type_error("b_values: expected a's type");
          }
          return bytes_of(a_values) == 8
                     ? pairs_merged<std::uint64_t>(options, a, a_values, b, b_values)
                     : pairs_merged<std::uint32_t>(options, a, a_values, b, b_values);
        });
}

}  // namespace

void bind_arrays(nb::module_& module) {
  nb::module_ m = module.def_submodule("arrays", "Scan, reduce, merge, sort.");
  for_plain_types([&]<class T>() {
    bind_folds<T>(m);
    bind_order<T>(m);
  });
  bind_runs(m);
}

}  // namespace yupana::python
