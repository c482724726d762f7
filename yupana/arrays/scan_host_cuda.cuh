#pragma once

#include "yupana/arrays/host_cuda.cuh"
#include "yupana/arrays/reduce_cuda.cuh"
#include "yupana/arrays/scan_cuda.cuh"
#include "yupana/arrays/segments_cuda.cuh"
#include "yupana/arrays/there_cuda.hpp"

namespace yupana::arrays::cuda {

template <class T, class Op>
void scan_there(Workspace& space,
                cudaStream_t stream,
                const T* in,
                std::int64_t n,
                const T* first,
                bool exclusive,
                T* out,
                Op op) {
  if (exclusive) {
    exclusive_scan(space, stream, in, n, *first, out, op);
  } else if (first != nullptr) {
    inclusive_scan_from(space, stream, *first, in, n, out, op);
  } else {
    inclusive_scan(space, stream, in, n, out, op);
  }
}

template <class T, class Op>
void scan_on_device(
    Context& context, const T* in, std::int64_t n, const T* first, bool exclusive, T* out, Op op) {
  if (n <= 0) return;
  Visit visit(context);
  visit.need(bytes_of<T>(std::min(n, host_chunk<T>)), "scan");
  yupana::cuda::DeviceArray<T> values(std::min(n, host_chunk<T>));
  T carry = first != nullptr ? *first : T{};
  bool has_carry = first != nullptr || exclusive;
  for (std::int64_t begin = 0; begin < n; begin += host_chunk<T>) {
    const std::int64_t count = std::min(host_chunk<T>, n - begin);
    const T last = in[begin + count - 1];  // out may be in
    visit.bring(values, in + begin, count);
    scan_there<T, Op>(visit.space(),
                      visit.stream(),
                      values.data(),
                      count,
                      has_carry ? &carry : nullptr,
                      exclusive,
                      values.data(),
                      op);
    visit.fetch(out + begin, static_cast<const T*>(values.data()), count);
    const T end = out[begin + count - 1];
    carry = exclusive ? op(end, last) : end;
    has_carry = true;
  }
}

template <class T, class Op>
void reduce_there(
    Workspace& space, cudaStream_t stream, const T* in, std::int64_t n, T init, T* result, Op op) {
  reduce(space, stream, in, n, init, result, op);
}

template <class T, class Op>
T reduce_on_device(Context& context, const T* in, std::int64_t n, T init, Op op) {
  if (n <= 0) return init;
  Visit visit(context);
  visit.need(bytes_of<T>(std::min(n, host_chunk<T>)), "reduce");
  yupana::cuda::DeviceArray<T> values(std::min(n, host_chunk<T>)), result(1);
  // Sums of floats: the tiles of all chunks, then their pairwise sum, as if there were no chunks.
  const std::int64_t tiles = simd_sums<T, Op> ? divide_up(n, tile_size<T>) : 0;
  yupana::cuda::DeviceArray<T> totals(tiles), nodes(tiles);
  T total = init;
  for (std::int64_t begin = 0; begin < n; begin += host_chunk<T>) {
    const std::int64_t count = std::min(host_chunk<T>, n - begin);
    visit.bring(values, in + begin, count);
    const T* chunk = values.data();
    if constexpr (simd_sums<T, Op>) {
      launch_sum_tiles(
          visit.space(), visit.stream(), chunk, count, totals.data() + begin / tile_size<T>);
    } else {
      reduce(visit.space(), visit.stream(), chunk, count, total, result.data(), op);
      visit.fetch(&total, static_cast<const T*>(result.data()), 1);
    }
  }
  if constexpr (simd_sums<T, Op>) {
    launch_join_totals(visit.stream(),
                       static_cast<const T*>(totals.data()),
                       tiles,
                       nodes.data(),
                       init,
                       result.data());
    visit.fetch(&total, static_cast<const T*>(result.data()), 1);
  }
  return total;
}

/// The segments and what they hold, on the device.
template <class T>
struct SegmentsThere {
  SegmentsThere(Visit& visit, const T* in, const std::int64_t* offsets, std::int64_t segments)
      : begin(offsets[0]), count(offsets[segments] - begin) {
    visit.need(bytes_of<T>(count) + bytes_of<std::int64_t>(segments + 1) + bytes_of<T>(segments),
               "segments");
    values = yupana::cuda::DeviceArray<T>(count);
    ends = yupana::cuda::DeviceArray<std::int64_t>(segments + 1);
    std::vector<std::int64_t> moved(offsets, offsets + segments + 1);
    for (std::int64_t& offset : moved) offset -= begin;
    visit.bring(ends, moved.data(), segments + 1);
    visit.bring(values, in + begin, count);
  }
  std::int64_t begin, count;
  yupana::cuda::DeviceArray<T> values;
  yupana::cuda::DeviceArray<std::int64_t> ends;
};

template <class T, class Op>
void segmented_scan_on_device(Context& context,
                              const T* in,
                              const std::int64_t* offsets,
                              std::int64_t segments,
                              const T* init,
                              T* out,
                              Op op) {
  if (segments <= 0) return;
  Visit visit(context);
  SegmentsThere<T> there(visit, in, offsets, segments);
  T* values = there.values.data();
  const std::int64_t* ends = there.ends.data();
  if (init != nullptr) {
    segmented_scan<true>(visit.space(), visit.stream(), values, ends, segments, *init, values, op);
  } else {
    segmented_scan<false>(visit.space(), visit.stream(), values, ends, segments, T{}, values, op);
  }
  visit.fetch(out + there.begin, static_cast<const T*>(values), there.count);
}

template <class T, class Op>
void segmented_reduce_on_device(Context& context,
                                const T* in,
                                const std::int64_t* offsets,
                                std::int64_t segments,
                                T init,
                                T* totals,
                                Op op) {
  if (segments <= 0) return;
  Visit visit(context);
  SegmentsThere<T> there(visit, in, offsets, segments);
  yupana::cuda::DeviceArray<T> result(segments);
  segmented_reduce(visit.space(),
                   visit.stream(),
                   static_cast<const T*>(there.values.data()),
                   static_cast<const std::int64_t*>(there.ends.data()),
                   segments,
                   there.count,
                   init,
                   result.data(),
                   op);
  visit.fetch(totals, static_cast<const T*>(result.data()), segments);
}

template <class T, class Op>
void segmented_scan_there(Workspace& space,
                          cudaStream_t stream,
                          const T* in,
                          const std::int64_t* offsets,
                          std::int64_t segments,
                          T* out,
                          Op op) {
  segmented_scan<false>(space, stream, in, offsets, segments, T{}, out, op);
}

template <class T, class Op>
void segmented_reduce_there(Workspace& space,
                            cudaStream_t stream,
                            const T* in,
                            const std::int64_t* offsets,
                            std::int64_t segments,
                            std::int64_t last,
                            T init,
                            T* totals,
                            Op op) {
  segmented_reduce(space, stream, in, offsets, segments, last, init, totals, op);
}

/// One operator's functions for a type.
#define YUPANA_FOLDS_ON_DEVICE(T, Op)                                                      \
  template void scan_on_device(Context&, const T*, std::int64_t, const T*, bool, T*, Op);  \
  template T reduce_on_device(Context&, const T*, std::int64_t, T, Op);                    \
  template void segmented_scan_on_device(                                                  \
      Context&, const T*, const std::int64_t*, std::int64_t, const T*, T*, Op);            \
  template void segmented_reduce_on_device(                                                \
      Context&, const T*, const std::int64_t*, std::int64_t, T, T*, Op);                   \
  template void scan_there(                                                                \
      Workspace&, cudaStream_t, const T*, std::int64_t, const T*, bool, T*, Op);           \
  template void reduce_there(Workspace&, cudaStream_t, const T*, std::int64_t, T, T*, Op); \
  template void segmented_scan_there(                                                      \
      Workspace&, cudaStream_t, const T*, const std::int64_t*, std::int64_t, T*, Op);      \
  template void segmented_reduce_there(Workspace&,                                         \
                                       cudaStream_t,                                       \
                                       const T*,                                           \
                                       const std::int64_t*,                                \
                                       std::int64_t,                                       \
                                       std::int64_t,                                       \
                                       T,                                                  \
                                       T*,                                                 \
                                       Op);

}  // namespace yupana::arrays::cuda
