#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <type_traits>

#include "python/bindings/choices.hpp"
#include "python/bindings/views.hpp"
#include "yupana/arrays/merge.hpp"
#include "yupana/arrays/reduce.hpp"
#include "yupana/arrays/scan.hpp"
#include "yupana/arrays/segments.hpp"
#include "yupana/arrays/selection.hpp"
#ifdef YUPANA_CUDA
#include "yupana/arrays/device_arrays.hpp"
#include "yupana/arrays/device_values.hpp"
#include "yupana/core/cuda/call_stream.hpp"
#include "yupana/core/cuda/kept.hpp"
#endif

/// The functions on vectors, by the same names where the vectors are.
namespace yupana::python {

using Offsets = AnyVector<std::int64_t>;

/// Values that only move, words of 4 or 8 bytes; those on the host of 8.
using Words = AsItIs<nb::ro, nb::ndim<1>, nb::c_contig>;
using WordsOut = AsItIs<nb::ndim<1>, nb::c_contig>;

inline int bytes_of(const Words& words) {
  return static_cast<int>(words.dtype().bits) * words.dtype().lanes / 8;
}

struct OnHost {
  Context& context;

  template <class T>
  void copy(const T* from, std::int64_t n, T* to) const {
    if (from != to) std::copy_n(from, n, to);
  }
  template <class K>
  std::int64_t argsort(const K* keys,
                       std::int64_t n,
                       std::int64_t* places,
                       const arrays::Selected& selected) const {
    Array<K> copied(n);
    copy(keys, n, copied.data());
    std::iota(places, places + n, std::int64_t{0});
    return sort(
        arrays::Columns<K, std::uint64_t>{copied.data(), reinterpret_cast<std::uint64_t*>(places)},
        n,
        selected);
  }
  template <class T, class Op>
  void scan(const T* in, std::int64_t n, const T* first, bool exclusive, T* out, Op op) const {
    if (exclusive) return arrays::exclusive_scan(context, in, n, *first, out, op);
    arrays::inclusive_scan(context, in, n, out, op);
  }
  template <class T, class Op>
  T reduce(const T* in, std::int64_t n, T init, Op op) const {
    return arrays::reduce(context, in, n, init, op);
  }
  template <class T, class Op>
  void segmented_scan(const T* in, std::int64_t, const Offsets& offsets, T* out, Op op) const {
    arrays::segmented_inclusive_scan(context, in, offsets.data(), size_of(offsets) - 1, out, op);
  }
  template <class T, class Op>
  void segmented_reduce(
      const T* in, std::int64_t, const Offsets& offsets, T init, T* totals, Op op) const {
    arrays::segmented_reduce(context, in, offsets.data(), size_of(offsets) - 1, init, totals, op);
  }
  template <class K, class V>
  std::int64_t sort(arrays::Columns<K, V> data,
                    std::int64_t n,
                    const arrays::Selected& selected = {}) const {
    return arrays::sort_selected(context, data, n, selected);
  }
  template <class K, class V>
  void merge(arrays::Columns<const K, const V> a,
             std::int64_t a_size,
             arrays::Columns<const K, const V> b,
             std::int64_t b_size,
             arrays::Columns<K, V> out) const {
    arrays::merge_by_key<K, V>(context, a, a_size, b, b_size, out);
  }
};

#ifdef YUPANA_CUDA
/// Scratch memory that a call leaves for the next one.
struct VectorScratch {
  arrays::cuda::Workspace space;
  yupana::cuda::DeviceArray<std::uint64_t> total{1};
  yupana::cuda::PinnedArray<std::uint64_t> fetched{1};
};

/// Work is queued on the stream.
struct OnGpu {
  VectorScratch& scratch;
  cudaStream_t stream;
  arrays::cuda::Workspace& space = scratch.space;

  template <class T>
  void copy(const T* from, std::int64_t n, T* to) {
    if (n == 0 || to == from) return;
    yupana::cuda::check(
        cudaMemcpyAsync(
            to, from, static_cast<std::size_t>(n) * sizeof(T), cudaMemcpyDefault, stream),
        "copy an array");
  }
  template <class To, class From>
  void convert(const From* from, std::int64_t n, To* to) {
    if constexpr (std::is_same_v<To, From>) {
      copy(from, n, to);
    } else {
      arrays::cuda::convert(from, n, to, stream);
    }
  }
  void wait() const { yupana::cuda::check(cudaStreamSynchronize(stream), "wait for a stream"); }
  template <class K>
  std::int64_t argsort(const K* keys,
                       std::int64_t n,
                       std::int64_t* places,
                       const arrays::Selected& selected) {
    check_all(selected);
    arrays::cuda::argsort(space, stream, keys, n, places);
    return n;
  }
  template <class T, class Op>
  void scan(const T* in, std::int64_t n, const T* first, bool exclusive, T* out, Op op) {
    if (n > 0) arrays::cuda::scan(space, stream, in, n, first, exclusive, out, op);
  }
  template <class T, class Op>
  T reduce(const T* in, std::int64_t n, T init, Op op) {
    if (n == 0) return init;
    auto* const total = reinterpret_cast<T*>(scratch.total.data());
    auto* const fetched = reinterpret_cast<T*>(scratch.fetched.data());
    arrays::cuda::reduce(space, stream, in, n, init, total, op);
    copy(static_cast<const T*>(total), 1, fetched);
    wait();
    return *fetched;
  }
  template <class T, class Op>
  void segmented_scan(const T* in, std::int64_t n, const Offsets& offsets, T* out, Op op) {
    const auto* const ends = checked(offsets, n);
    const std::int64_t segments = size_of(offsets) - 1;
    arrays::cuda::segmented_scan<false>(space, stream, in, ends, segments, T{}, out, op);
  }
  template <class T, class Op>
  void segmented_reduce(
      const T* in, std::int64_t n, const Offsets& offsets, T init, T* totals, Op op) {
    const auto* const ends = checked(offsets, n);
    const std::int64_t segments = size_of(offsets) - 1;
    arrays::cuda::segmented_reduce(space, stream, in, ends, segments, n, init, totals, op);
  }
  template <class K, class V>
  std::int64_t sort(arrays::Columns<K, V> data,
                    std::int64_t n,
                    const arrays::Selected& selected = {}) {
    check_all(selected);
    arrays::cuda::sort_by_key(space, stream, data, n);
    return n;
  }
  static void check_all(const arrays::Selected& selected) {
    if (!selected.descending && !selected.unique && selected.top == INT64_MAX) return;
    throw usage_error("descending, unique, top: expected keys in host memory, got some on a GPU");
  }
  template <class K, class V>
  void merge(arrays::Columns<const K, const V> a,
             std::int64_t a_size,
             arrays::Columns<const K, const V> b,
             std::int64_t b_size,
             arrays::Columns<K, V> out) {
    arrays::cuda::merge_by_key<K, V>(space, stream, a, a_size, b, b_size, out);
  }

  /// Offsets on the device, copied up where they are on the host.
  const std::int64_t* checked(const Offsets& offsets, std::int64_t values) {
    const std::int64_t count = size_of(offsets);
    const std::int64_t* there = offsets.data();
    if (place_of(offsets) < 0) {
      ends_ = yupana::cuda::DeviceArray<std::int64_t>(count);
      copy(there, count, ends_.data());
      there = ends_.data();
    }
    const std::int64_t bad = arrays::cuda::first_bad_offset(there, count, values, stream);
    if (bad == count) return there;
    std::int64_t offset = 0;
    copy(there + bad, 1, &offset);
    wait();
    throw bad_offset(values, bad, offset);
  }
  yupana::cuda::DeviceArray<std::int64_t> ends_{};
};

/// body(OnGpu) on the current device: on the context's stream, or waited for.
template <class Body>
void vectors_on_gpu(const Context& context, const Body& body) {
  using yupana::cuda::Kept;
  const yupana::cuda::CallStream stream(context);
  const auto make = [] { return std::make_unique<VectorScratch>(); };
  Kept<VectorScratch>::with(stream, {}, make, [&](VectorScratch& scratch) {
    OnGpu there{scratch, stream};
    body(there);
    return scratch.space.bytes();
  });
  stream.finish();
}
#endif

/// call_at() of body(context, OnHost or OnGpu) for so many values. Words of 4 bytes are compiled
/// for a GPU alone.
template <class Word = std::uint64_t, class Body>
void vectors_at(int place, std::int64_t values, const Options& options, const Body& body) {
  constexpr std::int64_t few = std::int64_t{1} << 14;
  const Runs runs = place >= 0 || values <= few ? Runs::at_once : Runs::anywhere;
  call_at(place, options, runs, [&](Context& context) {
#ifdef YUPANA_CUDA
    if (place >= 0) {
      context.check_cancelled();
      return vectors_on_gpu(context, [&](OnGpu& there) { body(context, there); });
    }
#endif
    if constexpr (sizeof(Word) == 8) {
      OnHost here{context};
      body(context, here);
    } else {
      throw usage_error("values: expected words of 8 bytes on the host, got some of 4");
    }
  });
}

}  // namespace yupana::python
