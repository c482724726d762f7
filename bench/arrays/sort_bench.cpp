#include <fmt/format.h>
#include <tbb/parallel_sort.h>

#include <algorithm>

#include "bench/arrays/arrays_bench.hpp"
#include "bench/arrays/arrays_cuda_bench.hpp"
#include "yupana/arrays/merge.hpp"
#include "yupana/arrays/sort.hpp"

namespace yupana::bench {
namespace {

/// Keys in one order, sorted by each implementation in turn.
template <class K>
class SortCase {
 public:
  SortCase(Context& context, const BenchParams& params, std::string what, Array<K> in)
      : context_(context),
        params_(params),
        what_(std::move(what)),
        in_(std::move(in)),
        keys_(in_.size()),
        want_(in_.size()) {
    std::copy(in_.begin(), in_.end(), want_.begin());
    std::stable_sort(want_.begin(), want_.end());
  }

  template <class Body>
  void time(const std::string& impl, const Body& sort) {
    const double seconds = least_seconds(
        params_.quick ? 1 : 5,
        [&] { std::copy(in_.begin(), in_.end(), keys_.begin()); },
        [&] { sort(keys_.data(), keys_.size()); });
    emit(impl, seconds, std::equal(keys_.begin(), keys_.end(), want_.begin()));
  }
  void emit(const std::string& impl, double seconds, bool verified) {
    if (seconds <= 0) return;
    params_.emit({"sort",
                  what_,
                  impl,
                  static_cast<double>(in_.size()) / seconds * 1e-6,
                  "M keys/s",
                  std::nullopt,
                  verified});
  }
  void ours() {
    time("yupana sort (radix)", [&](K* k, std::int64_t n) { arrays::sort(context_, k, n); });
    time("yupana merge_sort (any order, stable)",
         [&](K* k, std::int64_t n) { arrays::merge_sort(context_, k, n); });
    time("yupana quicksort (any order, in place)",
         [&](K* k, std::int64_t n) { arrays::quicksort(context_, k, n); });
  }
  void peers(const char* numpy_type) {
    time("tbb::parallel_sort", [&](K* k, std::int64_t n) {
      context_.run([&] {
        tbb::parallel_sort(k, k + n);
        return true;
      });
    });
    time("std::sort, 1 thread", [](K* k, std::int64_t n) { std::sort(k, k + n); });
    time("std::stable_sort, 1 thread", [](K* k, std::int64_t n) { std::stable_sort(k, k + n); });
    for (const char* kind : {"quicksort", "stable"}) {
      emit(fmt::format("numpy sort, kind={}, 1 thread", kind),
           numpy_seconds(fmt::format("s = np.random.default_rng(1).integers(0, 2**32, {}, "
                                     "np.uint64).astype(np.{})",
                                     in_.size(),
                                     numpy_type),
                         "a = s.copy()",
                         fmt::format("a.sort(kind=\"{}\")", kind),
                         params_.quick ? 1 : 3),
           false);
    }
  }

 private:
  Context& context_;
  const BenchParams& params_;
  std::string what_;
  Array<K> in_, keys_, want_;
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
  const double seconds = least_seconds(
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
  params.emit({"sort",
               fmt::format("n={} uint32 with uint32 values, {} threads", n, context.threads()),
               "yupana sort_by_key (radix, stable)",
               static_cast<double>(n) / seconds * 1e-6,
               "M keys/s",
               std::nullopt,
               right});
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
    SortCase<K> test(context,
                     params,
                     fmt::format("n={} {} {}, {} threads", n, type, order, context.threads()),
                     std::move(keys));
    test.ours();
    if (params.peers && order == std::string("random")) test.peers(type);
  };
  const auto as_is = [](auto&) {};
  run(std::uint32_t{}, "uint32", "random", as_is);
  run(std::uint32_t{}, "uint32", "sorted", [](auto& keys) { std::sort(keys.begin(), keys.end()); });
  run(std::uint32_t{}, "uint32", "of 16 values", [](auto& keys) {
    for (auto& key : keys) key %= 16;
  });
  run(float{}, "float32", "random", as_is);
  run(std::uint64_t{}, "uint64", "random", [](auto& keys) {
    for (auto& key : keys) key = Random::mix(key);
  });
  pairs(context, params, n);
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
  const auto time = [&](const std::string& impl, const auto& body) {
    const double seconds = least_seconds(
        params.quick ? 1 : 9, [] {}, body);
    params.emit({"merge",
                 fmt::format("two of {} uint32, {} threads", half, context.threads()),
                 impl,
                 static_cast<double>(n) / seconds * 1e-6,
                 "M keys/s",
                 std::nullopt,
                 std::equal(out.begin(), out.end(), want.begin())});
  };
  time("yupana merge (merge path)",
       [&] { arrays::merge(context, a.data(), half, b.data(), half, out.data()); });
  if (!params.peers) return;
  time("std::merge, 1 thread",
       [&] { std::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin()); });
}

}  // namespace yupana::bench
