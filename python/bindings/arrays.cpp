#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
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
        vectors_at(place_of(in), size_of(in), options, [&](Context& context, auto& vectors) {
          with_operator(op, [&](auto fold) {
            const SumCheck<T, decltype(fold)> check(exclusive ? "exclusive_scan" : "inclusive_scan",
                                                    overflow);
            const std::int64_t left_out = exclusive && size_of(in) > 0 ? 1 : 0;
            check.running(context, in, exclusive ? *first : T{0}, left_out);
            vectors.scan(in.data(), size_of(in), first ? &*first : nullptr, exclusive, to, fold);
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
        [](const Options& options,
           AnyVector<T> in,
           Offsets offsets,
           const std::string& op,
           AnyVectorOut<T> out) {
          const std::int64_t n = size_of(in);
          check_offsets(offsets, place_of(in), n);
          T* const to = output(in, out);
          vectors_at(place_of(in), n, options, [&](Context&, auto& vectors) {
            vectors.copy(in.data(), n, to);
            with_operator(
                op, [&](auto fold) { vectors.segmented_scan(in.data(), n, offsets, to, fold); });
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
          check_offsets(offsets, place_of(in), n);
          T* const totals = written(out, "out", place_of(in), size_of(offsets) - 1);
          vectors_at(place_of(in), n, options, [&](Context&, auto& vectors) {
            with_operator(op, [&](auto fold) {
              vectors.segmented_reduce(in.data(), n, offsets, init, totals, fold);
            });
          });
        });
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
  def_selecting(
      m,
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
        vectors_at(place_of(keys), n, options, [&](Context&, auto& vectors) {
          vectors.copy(keys.data(), n, to);
          kept = vectors.sort(Columns<K, NoValue>{to, nullptr}, n, {descending, unique, top});
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
            vectors_at<V>(place, n, options, [&](Context&, auto& vectors) {
              vectors.copy(keys.data(), n, sorted.keys);
              vectors.copy(static_cast<const V*>(values.data()), n, sorted.values);
              vectors.sort(sorted, n);
            });
          });
        });
  def_selecting(m,
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
                  vectors_at(place_of(keys), n, options, [&](Context&, auto& vectors) {
                    kept = vectors.argsort(keys.data(), n, places, {descending, unique, top});
                  });
                  return kept;
                });
  m.def("merge", [](const Options& options, AnyVector<K> a, AnyVector<K> b, AnyVectorOut<K> out) {
    check_same_device("b", b, a);
    const std::int64_t n = size_of(a) + size_of(b);
    K* const to = written(out, "out", place_of(a), n);
    using Column = Columns<const K, const NoValue>;
    vectors_at(place_of(a), n, options, [&](Context&, auto& vectors) {
      vectors.merge(Column{a.data(), nullptr},
                    size_of(a),
                    Column{b.data(), nullptr},
                    size_of(b),
                    Columns<K, NoValue>{to, nullptr});
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
            vectors_at<V>(place_of(a), n, options, [&](Context&, auto& vectors) {
              vectors.merge(Column{a.data(), static_cast<const V*>(a_values.data())},
                            size_of(a),
                            Column{b.data(), static_cast<const V*>(b_values.data())},
                            size_of(b),
                            Columns<K, V>{to, static_cast<V*>(moved)});
            });
          });
        });
}

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
/// Values as those of another type; themselves where that is theirs.
template <class To, class From>
struct As {
  As(OnGpu& gpu, const From* from, std::int64_t n) {
    if constexpr (std::is_same_v<To, From>) {
      data = from;
    } else {
      made = yupana::cuda::DeviceArray<To>(n);
      gpu.convert(from, n, made.data());
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
  vectors_at(place, n, options, [&](Context&, auto& gpu) {
    if constexpr (std::is_same_v<decltype(gpu), OnGpu&>) {
      if (n == 0) return;
      const As<Key, U> from(gpu, static_cast<const U*>(keys.data()), n);
      const As<Sum, V> numbers(gpu, values.data(), n);
      Made<Key> most_keys(place, n);
      Made<Sum> most_sums(place, n);
      const std::int64_t runs = arrays::cuda::reduce_by_key(
          gpu.space, gpu.stream, from.data, numbers.data, n, most_keys.data(), most_sums.data());
      // Only as much as there is stays.
      run_keys = Made<U>(place, runs);
      sums = Made<V>(place, runs);
      gpu.convert(most_keys.data(), runs, run_keys.data());
      gpu.convert(most_sums.data(), runs, sums.data());
      gpu.wait();  // before what is converted goes
    }
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

/// reduce_by_key, into the family's module.
void bind_runs(nb::module_& m) {
#ifdef YUPANA_CUDA
  for_plain_types([&]<class T>() { bind_runs_on_gpu<T>(m); });
#endif
  // Integers of every kind come as 64-bit ones: only equality of keys counts, and sums wrap alike.
  bind_runs_on_host<std::int64_t, std::int64_t>(m);
  bind_runs_on_host<std::int64_t, double>(m);
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
