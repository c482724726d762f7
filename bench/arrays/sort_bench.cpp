#include <fmt/core.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <execution>

#include "bench/arrays/arrays_bench.hpp"
#include "bench/arrays/arrays_cuda_bench.hpp"
#include "bench/arrays/sort_peers.hpp"
#include "bench/support/python_peer.hpp"
#include "yupana/arrays/merge.hpp"
#include "yupana/arrays/sort.hpp"

namespace yupana::bench {
namespace {

constexpr const char* unit = "M keys/s";

constexpr const char* mostly_zero = "90 % zeros";
bool is_mostly_zero(const std::string& text) { return text.find(mostly_zero) != text.npos; }

/// Keys in one order, sorted by each implementation in turn, on one thread or on several.
template <class K>
class SortCase {
 public:
  SortCase(const BenchParams& params, const std::string& keys, const Array<K>& in)
      : params_(params), keys_text_(keys), in_(in), keys_(in.size()), want_(in.size()) {
    std::copy(in_.begin(), in_.end(), want_.begin());
    std::stable_sort(want_.begin(), want_.end());
  }

  void ours(Context& context) {
    name(context.threads());
    const std::string backend =
        context.backend() == Backend::reference ? "yupana reference " : "yupana ";
    time(backend + "sort", {}, [&](K* k, std::int64_t n) { arrays::sort(context, k, n); });
    time(backend + "merge_sort (any order, stable)", {}, [&](K* k, std::int64_t n) {
      arrays::merge_sort(context, k, n);
    });
    time(backend + "quicksort (any order, in place)", {}, [&](K* k, std::int64_t n) {
      arrays::quicksort(context, k, n);
    });
  }
  void vqsort_on_one_thread() {
    name(1);
    const VqSort vqsort;
    const std::string vq = "Highway vqsort, 1 thread";
    if (vqsort) {
      time(vq, VqSort::version(), [&](K* k, std::int64_t n) {
        vqsort.sort(k, static_cast<std::size_t>(n));
      });
    } else {
      params_.emit(left_out(
          "sort", what_, vq, unit, "not installed: libhwy_contrib.so.1 (Debian: libhwy1)"));
    }
  }
  void other_peers_on_one_thread(const char* numpy_type) {
    name(1);
    time("boost::sort::spreadsort, 1 thread", boost_library(), boost_spreadsort<K>);
    time("std::sort, 1 thread", standard_library(), [](K* k, std::int64_t n) {
      std::sort(k, k + n);
    });
    time("std::stable_sort, 1 thread", standard_library(), [](K* k, std::int64_t n) {
      std::stable_sort(k, k + n);
    });
    for (const char* kind : {"quicksort", "stable"}) numpy(kind, numpy_type);
  }
  void peers_on_all_threads(Context& context) {
    name(context.threads());
    const std::string on = ", " + threads_text(context.threads());
    time("tbb::parallel_sort" + on, tbb_library(), [&](K* k, std::int64_t n) {
      context.run([&] {
        tbb::parallel_sort(k, k + n);
        return true;
      });
    });
    time("std::sort, par_unseq" + on, standard_library(), [&](K* k, std::int64_t n) {
      standard_parallel_sort(context, k, n);
    });
    time("std::stable_sort, par_unseq" + on, standard_library(), [&](K* k, std::int64_t n) {
      standard_parallel_stable_sort(context, k, n);
    });
    time("boost::sort::block_indirect_sort" + on, boost_library(), [&](K* k, std::int64_t n) {
      boost_block_indirect_sort(k, n, context.threads());
    });
  }

 private:
  void name(int threads) { what_ = fmt::format("{}, {}", keys_text_, threads_text(threads)); }
  double rate(double seconds) const { return static_cast<double>(in_.size()) / seconds * 1e-6; }
  template <class Body>
  void time(const std::string& impl, const std::string& version, const Body& sort) {
    const Timing timing = time_runs(
        params_.quick ? 1 : 5,
        [&] { std::copy(in_.begin(), in_.end(), keys_.begin()); },
        [&] { sort(keys_.data(), keys_.size()); });
    const bool same = std::equal(keys_.begin(), keys_.end(), want_.begin());
    params_.emit(timed_line("sort", what_, impl, rate(timing.median), unit, same, timing, version));
  }
  /// Other keys of the same distribution: NumPy's own, compared there.
  void numpy(const char* kind, const char* type) {
    PythonPeer peer{.imports = "import numpy as np", .version = "'NumPy ' + np.__version__"};
    const char* most = sizeof(K) == 8 ? "2**64" : "2**32";
    peer.setup =
        fmt::format("s = np.random.default_rng(1).integers(0, {}, {}, np.uint64).astype(np.{})",
                    most,
                    in_.size(),
                    type);
    if (is_mostly_zero(keys_text_)) {
      peer.setup += fmt::format("\ns[np.random.default_rng(2).random({}) < 0.9] = 0", in_.size());
    }
    peer.prepare = "a = s.copy()";
    peer.statement = fmt::format("a.sort(kind='{}')", kind);
    // Ascending, with the sum of the keys that went in.
    peer.verified =
        "(a[:-1] <= a[1:]).all() and a.astype(np.uint64).sum() == s.astype(np.uint64).sum()";
    peer.repeats = params_.quick ? 1 : 3;
    peer.package = "python3-numpy";
    emit_python(params_,
                "sort",
                what_,
                fmt::format("numpy sort, kind={}, 1 thread", kind),
                unit,
                run_python(peer),
                [&](double seconds) { return rate(seconds); });
  }

  const BenchParams& params_;
  std::string keys_text_, what_;
  const Array<K>& in_;
  Array<K> keys_, want_;
};

template <class K>
Array<K> random_of(std::int64_t n) {
  const Array<std::uint32_t> words = random_keys(n);
  Array<K> keys(n);
  std::copy(words.begin(), words.end(), keys.begin());
  return keys;
}

void pairs(Context& context, const BenchParams& params, std::int64_t n) {
  const Array<std::uint32_t> in = random_keys(n);
  Array<std::uint32_t> keys(n), values(n);
  const Timing timing = time_runs(
      params.quick ? 1 : 5,
      [&] {
        std::copy(in.begin(), in.end(), keys.begin());
        for (std::int64_t i = 0; i < n; ++i) values[i] = static_cast<std::uint32_t>(i);
      },
      [&] { arrays::sort_by_key(context, keys.data(), values.data(), n); });
  bool right = std::is_sorted(keys.begin(), keys.end());
  for (std::int64_t i = 0; i < n; ++i) {
    right = right && in[values[i]] == keys[i] &&
            (i == 0 || keys[i - 1] < keys[i] || values[i - 1] < values[i]);
  }
  params.emit(timed_line(
      "sort",
      fmt::format("n={} uint32 with uint32 values, {}", n, threads_text(context.threads())),
      context.backend() == Backend::reference ? "yupana reference sort_by_key"
                                              : "yupana sort_by_key (radix, stable)",
      static_cast<double>(n) / timing.median * 1e-6,
      unit,
      right,
      timing));
}

}  // namespace

void sort(Context& context, const BenchParams& params) {
  if constexpr (yupana::cuda::built) {
    if (context.backend() == Backend::cuda) return sort_cuda(context, params);
  }
  const std::int64_t n = std::int64_t{1} << (params.quick ? 16 : 24);
  const auto run = [&](auto zero, const char* type, const char* order, auto change) {
    using K = decltype(zero);
    Array<K> keys = random_of<K>(n);
    change(keys);
    SortCase<K> test(params, fmt::format("n={} {} {}", n, type, order), keys);
    const bool with_peers =
        params.peers && (order == std::string("random") || is_mostly_zero(order));
    for (const int threads : thread_counts(context)) {
      Context own(with_threads(context, threads));
      test.ours(own);
      if (params.peers && threads == 1) test.vqsort_on_one_thread();
      if (with_peers && threads == 1) test.other_peers_on_one_thread(type);
      if (with_peers && threads == context.threads()) test.peers_on_all_threads(own);
    }
  };
  const auto as_is = [](auto&) {};
  run(std::uint32_t{}, "uint32", "random", as_is);
  run(std::uint32_t{}, "uint32", "sorted", [](auto& keys) { std::sort(keys.begin(), keys.end()); });
  run(std::uint32_t{}, "uint32", "of 16 values", [](auto& keys) {
    for (auto& key : keys) key %= 16;
  });
  run(float{}, "float32", "random", as_is);
  run(float{}, "float32", "of 16 values", [](auto& keys) {
    for (auto& key : keys) key = std::fmod(key, 16.0F);
  });
  run(std::uint64_t{}, "uint64", "random", [](auto& keys) {
    for (auto& key : keys) key = Random::mix(key);
  });
  const auto some_zeros = [](auto& keys) {
    const Random random(2);
    for (std::int64_t i = 0; i < keys.size(); ++i) {
      if (random.uniform(static_cast<std::uint64_t>(i)) < 0.9) keys[i] = 0;
    }
  };
  run(std::uint32_t{}, "uint32", mostly_zero, some_zeros);
  run(float{}, "float32", mostly_zero, some_zeros);
  run(std::uint64_t{}, "uint64", mostly_zero, some_zeros);
  run(double{}, "float64", mostly_zero, some_zeros);
  for (const int threads : thread_counts(context)) {
    Context own(with_threads(context, threads));
    pairs(own, params, n);
  }
}

void merge(Context& context, const BenchParams& params) {
  if constexpr (yupana::cuda::built) {
    if (context.backend() == Backend::cuda) return merge_cuda(context, params);
  }
  const std::int64_t half = std::int64_t{1} << (params.quick ? 15 : 24);
  const std::int64_t n = 2 * half;
  Array<std::uint32_t> a = random_keys(half, 1), b = random_keys(half, 2), out(n), want(n);
  arrays::sort(context, a.data(), half);
  arrays::sort(context, b.data(), half);
  std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
  const std::string threads = threads_text(context.threads());
  const auto time = [&](const std::string& impl, const std::string& version, const auto& body) {
    std::fill(out.begin(), out.end(), 0);
    const Timing timing = time_runs(params.quick ? 1 : 9, body);
    params.emit(timed_line("merge",
                           fmt::format("two of {} uint32, {}", half, threads),
                           impl,
                           static_cast<double>(n) / timing.median * 1e-6,
                           unit,
                           std::equal(out.begin(), out.end(), want.begin()),
                           timing,
                           version));
  };
  time(context.backend() == Backend::reference ? "yupana reference merge"
                                               : "yupana merge (merge path)",
       {},
       [&] { arrays::merge(context, a.data(), half, b.data(), half, out.data()); });
  if (!params.peers) return;
  time("std::merge, 1 thread", standard_library(), [&] {
    std::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin());
  });
  time("std::merge, par_unseq, " + threads, standard_library(), [&] {
    context.run([&] {
      std::merge(std::execution::par_unseq, a.begin(), a.end(), b.begin(), b.end(), out.begin());
      return true;
    });
  });
}

}  // namespace yupana::bench
