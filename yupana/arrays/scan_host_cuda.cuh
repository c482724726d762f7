#pragma once

#include "yupana/arrays/host_cuda.cuh"
#include "yupana/arrays/reduce_cuda.cuh"
#include "yupana/arrays/scan_cuda.cuh"
#include "yupana/arrays/segments_cuda.cuh"

namespace yupana::arrays::cuda {

/// Chunk by chunk. The last value written is the carry into the next chunk, but for sums of floats:
/// a -0 after the chunk, which begins a group of PrefixOrder, becomes the sum before that group.
template <class T, class Op>
void scan_host(
    Context& context, const T* in, std::int64_t n, const T* first, bool exclusive, T* out, Op op) {
  constexpr bool ordered = has_prefix_order<T, Op>;
  static_assert(!ordered || host_chunk<T> % (PrefixOrder<T>::group * PrefixOrder<T>::tile) == 0);
  if (n <= 0) return;
  DeviceSession session(context);
  const std::int64_t chunk = std::min(n, host_chunk<T>);
  session.require(bytes_of<T>(chunk), "scan");
  yupana::cuda::DeviceArray<T> values(ordered && n > chunk ? chunk + 1 : chunk);
  T carry = first != nullptr ? *first : T{};
  bool has_carry = first != nullptr || exclusive;
  for (std::int64_t begin = 0; begin < n; begin += chunk) {
    const std::int64_t count = std::min(chunk, n - begin);
    const std::int64_t more = ordered && begin + count < n ? 1 : 0;
    [[maybe_unused]] const T last = in[begin + count - 1];  // out may be in
    session.upload(values, in + begin, count);
    if constexpr (ordered) session.upload(values.data() + count, &no_sum<T>, more);
    scan(session.space(),
         session.stream(),
         values.data(),
         count + more,
         has_carry ? &carry : nullptr,
         exclusive,
         values.data(),
         op);
    session.download(out + begin, static_cast<const T*>(values.data()), count);
    if constexpr (ordered) {
      session.download(&carry, static_cast<const T*>(values.data()) + count, more);
    } else {
      const T end = out[begin + count - 1];
      carry = exclusive ? op(end, last) : end;
    }
    has_carry = true;
  }
}

template <class T, class Op>
T reduce_host(Context& context, const T* in, std::int64_t n, T init, Op op) {
  if (n <= 0) return init;
  DeviceSession session(context);
  session.require(bytes_of<T>(std::min(n, host_chunk<T>)), "reduce");
  yupana::cuda::DeviceArray<T> values(std::min(n, host_chunk<T>)), result(1);
  // Sums of floats: the tiles of all chunks, then their pairwise sum, as if there were no chunks.
  const std::int64_t tiles = simd_sums<T, Op> ? divide_up(n, tile_size<T>) : 0;
  yupana::cuda::DeviceArray<T> totals(tiles), nodes(tiles);
  T total = init;
  for (std::int64_t begin = 0; begin < n; begin += host_chunk<T>) {
    const std::int64_t count = std::min(host_chunk<T>, n - begin);
    session.upload(values, in + begin, count);
    const T* chunk = values.data();
    if constexpr (simd_sums<T, Op>) {
      launch_sum_tiles(
          session.space(), session.stream(), chunk, count, totals.data() + begin / tile_size<T>);
    } else {
      reduce(session.space(), session.stream(), chunk, count, total, result.data(), op);
      session.download(&total, static_cast<const T*>(result.data()), 1);
    }
  }
  if constexpr (simd_sums<T, Op>) {
    launch_join_totals(session.stream(),
                       static_cast<const T*>(totals.data()),
                       tiles,
                       nodes.data(),
                       init,
                       result.data());
    session.download(&total, static_cast<const T*>(result.data()), 1);
  }
  return total;
}

/// The segments and what they hold, on the device.
template <class T>
struct DeviceSegments {
  DeviceSegments(DeviceSession& session,
                 const T* in,
                 const std::int64_t* offsets,
                 std::int64_t segments)
      : begin(offsets[0]), count(offsets[segments] - begin) {
    session.require(
        bytes_of<T>(count) + bytes_of<std::int64_t>(segments + 1) + bytes_of<T>(segments),
        "segments");
    values = yupana::cuda::DeviceArray<T>(count);
    ends = yupana::cuda::DeviceArray<std::int64_t>(segments + 1);
    std::vector<std::int64_t> moved(offsets, offsets + segments + 1);
    for (std::int64_t& offset : moved) offset -= begin;
    session.upload(ends, moved.data(), segments + 1);
    session.upload(values, in + begin, count);
  }
  std::int64_t begin, count;
  yupana::cuda::DeviceArray<T> values;
  yupana::cuda::DeviceArray<std::int64_t> ends;
};

template <class T, class Op>
void segmented_scan_host(Context& context,
                         const T* in,
                         const std::int64_t* offsets,
                         std::int64_t segments,
                         const T* init,
                         T* out,
                         Op op) {
  if (segments <= 0) return;
  DeviceSession session(context);
  DeviceSegments<T> device(session, in, offsets, segments);
  T* values = device.values.data();
  const std::int64_t* ends = device.ends.data();
  if (init != nullptr) {
    segmented_scan<true>(
        session.space(), session.stream(), values, ends, segments, *init, values, op);
  } else {
    segmented_scan<false>(
        session.space(), session.stream(), values, ends, segments, T{}, values, op);
  }
  session.download(out + device.begin, static_cast<const T*>(values), device.count);
}

template <class T, class Op>
void segmented_reduce_host(Context& context,
                           const T* in,
                           const std::int64_t* offsets,
                           std::int64_t segments,
                           T init,
                           T* totals,
                           Op op) {
  if (segments <= 0) return;
  DeviceSession session(context);
  DeviceSegments<T> device(session, in, offsets, segments);
  yupana::cuda::DeviceArray<T> result(segments);
  segmented_reduce(session.space(),
                   session.stream(),
                   static_cast<const T*>(device.values.data()),
                   static_cast<const std::int64_t*>(device.ends.data()),
                   segments,
                   device.count,
                   init,
                   result.data(),
                   op);
  session.download(totals, static_cast<const T*>(result.data()), segments);
}

}  // namespace yupana::arrays::cuda
