#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <type_traits>

#include "python/bindings/vectors.hpp"
#include "yupana/arrays/merge.hpp"
#include "yupana/arrays/segments.hpp"
#include "yupana/arrays/selection.hpp"
#include "yupana/arrays/sum_range.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::python {
namespace {

using namespace arrays;

void check_place(const Offsets& offsets, int place) {
  if (size_of(offsets) < 1) throw usage_error("offsets: expected at least one, got none");
  const int own = place_of(offsets);
  if (own >= 0 && own != place) {
    throw usage_error("offsets: expected an array on the GPU of x, or in host memory");
  }
}

/// Where as many values as `in` has are written: on a GPU `in` itself, or an array apart from it.
template <class T>
T* output(const AnyVector<T>& in, const AnyVectorOut<T>& out) {
  T* const to = written(out, "out", place_of(in), size_of(in));
  const bool apart = to + size_of(in) <= in.data() || in.data() + size_of(in) <= to;
  if (place_of(in) >= 0 && to != in.data() && !apart) {
    throw usage_error("out: expected the array itself or one apart from it");
  }
  return to;
}

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
         AnyVectorOut<T> out,
         const std::string& overflow) {
        T* const to = output(in, out);
        vectors_at(place_of(in), size_of(in), options, [&](Context& context) {
          with_operator(op, [&](auto fold) {
            const SumCheck<T, decltype(fold)> check(exclusive ? "exclusive_scan" : "inclusive_scan",
                                                    overflow);
            const std::int64_t left_out = exclusive && size_of(in) > 0 ? 1 : 0;
            check.running(context, in, exclusive ? *first : T{0}, left_out);
            if (exclusive) {
              exclusive_scan(context, in.data(), size_of(in), *first, to, fold);
            } else {
              inclusive_scan(context, in.data(), size_of(in), to, fold);
            }
          });
        });
      },
      nb::arg("options"),
      nb::arg("x"),
      nb::arg("op"),
      nb::arg("first").none(),
      nb::arg("exclusive"),
      nb::arg("out"),
      nb::arg("overflow") = "wrap");
  m.def(
      "reduce",
      [](const Options& options,
         AnyVector<T> in,
         const std::string& op,
         T init,
         const std::string& overflow) {
        T result = init;
        vectors_at(place_of(in), size_of(in), options, [&](Context& context) {
          with_operator(op, [&](auto fold) {
            SumCheck<T, decltype(fold)>("reduce", overflow).total(context, in, init);
            result = reduce(context, in.data(), size_of(in), init, fold);
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
        [](const Options& options,
           AnyVector<T> in,
           Offsets offsets,
           const std::string& op,
           AnyVectorOut<T> out) {
          const std::int64_t n = size_of(in);
          check_place(offsets, place_of(in));
          T* const to = output(in, out);
          vectors_at(place_of(in), n, options, [&](Context& context) {
            check_offsets(context, offsets, n);
            copy_at(context, place_of(in), in.data(), n, to);
            with_operator(op, [&](auto fold) {
              segmented_inclusive_scan(
                  context, in.data(), offsets.data(), size_of(offsets) - 1, to, fold);
            });
          });
        });
  m.def("segmented_reduce",
        [](const Options& options,
           AnyVector<T> in,
           Offsets offsets,
           const std::string& op,
           T init,
           AnyVectorOut<T> out) {
          const std::int64_t n = size_of(in);
          check_place(offsets, place_of(in));
          T* const totals = written(out, "out", place_of(in), size_of(offsets) - 1);
          vectors_at(place_of(in), n, options, [&](Context& context) {
            check_offsets(context, offsets, n);
            with_operator(op, [&](auto fold) {
              segmented_reduce(
                  context, in.data(), offsets.data(), size_of(offsets) - 1, init, totals, fold);
            });
          });
        });
}

/// Words of 4 bytes are compiled for a GPU alone.
inline Error words_of_4_bytes() {
  return usage_error("values: expected words of 8 bytes on the host, got some of 4");
}
template <class K, class V>
void sort_columns(Context& context, int place, Columns<K, V> data, std::int64_t n) {
  if constexpr (sizeof(V) == 8) {
    sort_by_key(context, data.keys, data.values, n);
  } else {
    if (place < 0) throw words_of_4_bytes();
    if constexpr (arrays::cuda::has_order<K, V, Less>) {
      arrays::cuda::sort_anywhere(context, data, n, arrays::cuda::SortWay::quickest);
    }
  }
}
template <class K, class V>
void merge_columns(Context& context,
                   int place,
                   Columns<const K, const V> a,
                   std::int64_t a_size,
                   Columns<const K, const V> b,
                   std::int64_t b_size,
                   Columns<K, V> out) {
  if constexpr (sizeof(V) == 8) {
    merge_by_key<K, V>(context, a, a_size, b, b_size, out);
  } else {
    if (place < 0) throw words_of_4_bytes();
    if constexpr (arrays::cuda::has_order<K, V, Less>) {
      arrays::cuda::merge_anywhere(context, a, a_size, b, b_size, out);
    }
  }
}

/// body(number), a 4-byte or 8-byte word to move the values as.
template <class Body>
void with_words(const Words& values, const WordsOut& out, const Body& body) {
  if (values.dtype() != out.dtype()) throw nb::type_error("out_values: expected the values' type");
  if (bytes_of(values) == 8) return body(std::uint64_t{});
  body(std::uint32_t{});
}

/// A sort that returns how many values it kept, at the beginning of out.
void def_selecting(nb::module_& m, const char* name, const auto& sort) {
  m.def(name,
        sort,
        nb::arg("options"),
        nb::arg("keys"),
        nb::arg("out"),
        nb::arg("descending") = false,
        nb::arg("unique") = false,
        nb::arg("top") = INT64_MAX);
}

template <class K>
void bind_order(nb::module_& m) {
  def_selecting(m,
                "sort",
                [](const Options& options,
                   AnyVector<K> keys,
                   AnyVectorOut<K> out,
                   bool descending,
                   bool unique,
                   std::int64_t top) {
                  const std::int64_t n = size_of(keys);
                  K* const to = output(keys, out);
                  std::int64_t kept = 0;
                  vectors_at(place_of(keys), n, options, [&](Context& context) {
                    copy_at(context, place_of(keys), keys.data(), n, to);
                    kept = sort_selected(
                        context, Columns<K, NoValue>{to, nullptr}, n, {descending, unique, top});
                  });
                  return kept;
                });
  m.def("sort_by_key",
        [](const Options& options,
           AnyVector<K> keys,
           Words values,
           AnyVectorOut<K> out,
           WordsOut out_values) {
          const int place = place_of(keys);
          const std::int64_t n = size_of(keys);
          check_same_device("values", values, keys);
          check_size("values", n, size_of(values));
          K* const to = output(keys, out);
          void* const moved = written(out_values, "out_values", place, n);
          with_words(values, out_values, [&]<class V>(V) {
            const Columns<K, V> sorted{to, static_cast<V*>(moved)};
            vectors_at(place, n, options, [&](Context& context) {
              copy_at(context, place, keys.data(), n, sorted.keys);
              copy_at(context, place, static_cast<const V*>(values.data()), n, sorted.values);
              sort_columns(context, place, sorted, n);
            });
          });
        });
  def_selecting(
      m,
      "argsort",
      [](const Options& options,
         AnyVector<K> keys,
         AnyVectorOut<std::int64_t> out,
         bool descending,
         bool unique,
         std::int64_t top) {
        const std::int64_t n = size_of(keys);
        std::int64_t* const places = written(out, "out", place_of(keys), n);
        std::int64_t kept = 0;
        vectors_at(place_of(keys), n, options, [&](Context& context) {
          kept = arrays::argsort(context, keys.data(), n, places, {descending, unique, top});
        });
        return kept;
      });
  m.def("merge", [](const Options& options, AnyVector<K> a, AnyVector<K> b, AnyVectorOut<K> out) {
    check_same_device("b", b, a);
    const std::int64_t n = size_of(a) + size_of(b);
    K* const to = written(out, "out", place_of(a), n);
    vectors_at(place_of(a), n, options, [&](Context& context) {
      merge(context, a.data(), size_of(a), b.data(), size_of(b), to);
    });
  });
  m.def("merge_by_key",
        [](const Options& options,
           AnyVector<K> a,
           Words a_values,
           AnyVector<K> b,
           Words b_values,
           AnyVectorOut<K> out,
           WordsOut out_values) {
          check_same_device("a_values", a_values, a);
          check_same_device("b", b, a);
          check_same_device("b_values", b_values, a);
          check_size("a_values", size_of(a), size_of(a_values));
          check_size("b_values", size_of(b), size_of(b_values));
          if (a_values.dtype() != b_values.dtype()) {
            throw nb::type_error("b_values: expected a's type");
          }
          const std::int64_t n = size_of(a) + size_of(b);
          K* const to = written(out, "out", place_of(a), n);
          void* const moved = written(out_values, "out_values", place_of(a), n);
          with_words(a_values, out_values, [&]<class V>(V) {
            using Column = Columns<const K, const V>;
            vectors_at(place_of(a), n, options, [&](Context& context) {
              merge_columns(context,
                            place_of(a),
                            Column{a.data(), static_cast<const V*>(a_values.data())},
                            size_of(a),
                            Column{b.data(), static_cast<const V*>(b_values.data())},
                            size_of(b),
                            Columns<K, V>{to, static_cast<V*>(moved)});
            });
          });
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
