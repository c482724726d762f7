#pragma once

#include "yupana/arrays/host_cuda.cuh"
#include "yupana/arrays/reduce_cuda.cuh"
#include "yupana/arrays/scan_cuda.cuh"
#include "yupana/arrays/segments_cuda.cuh"

namespace yupana::arrays::cuda {

/// Of host arrays chunk by chunk. The last value written is the carry into the next chunk, but for
/// sums of floats: a -0 after the chunk, which begins a group of PrefixOrder, becomes the sum
/// before that group.
template <class T, class Op>
void scan_anywhere(
    Context& context, const T* in, std::int64_t n, const T* first, bool exclusive, T* out, Op op) {
  constexpr bool ordered = has_prefix_order<T, Op>;
  static_assert(!ordered || host_chunk<T> % (PrefixOrder<T>::group * PrefixOrder<T>::tile) == 0);
  if (n <= 0) return;
  if (on_its_gpu(context, in, [&](KeptSpace& kept, cudaStream_t stream) {
        scan(kept.space, stream, in, n, first, exclusive, out, op);
      })) {
    return;
  }
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
T reduce_anywhere(Context& context, const T* in, std::int64_t n, T init, Op op) {
  if (n <= 0) return init;
  T total = init;
  if (on_its_gpu(context, in, [&](KeptSpace& kept, cudaStream_t stream) {
        auto* const result = reinterpret_cast<T*>(kept.result.data());
        reduce(kept.space, stream, in, n, init, result, op);
        total = fetched<T>(kept, stream, result);
      })) {
    return total;
  }
  DeviceSession session(context);
  session.require(bytes_of<T>(std::min(n, host_chunk<T>)), "reduce");
  yupana::cuda::DeviceArray<T> values(std::min(n, host_chunk<T>)), result(1);
  // Sums of floats: the tiles of all chunks, then their pairwise sum, as if there were no chunks.
  const std::int64_t tiles = simd_sums<T, Op> ? divide_up(n, tile_size<T>) : 0;
  yupana::cuda::DeviceArray<T> totals(tiles), nodes(tiles);
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

/// Offsets of segments on the current device, from there or from the host.
class OffsetsOnGpu {
 public:
  OffsetsOnGpu(Context& context,
               KeptSpace& kept,
               cudaStream_t stream,
               const std::int64_t* offsets,
               std::int64_t segments)
      : kept_(kept), stream_(stream), offsets_(offsets), end_(offsets + segments) {
    if (yupana::cuda::device_of(context, offsets) >= 0) return;
    copied_ = yupana::cuda::DeviceArray<std::int64_t>(segments + 1);
    yupana::cuda::check(
        cudaMemcpyAsync(copied_.data(), offsets, copied_.bytes(), cudaMemcpyHostToDevice, stream),
        "copy offsets");
    offsets_ = copied_.data();
  }
  ~OffsetsOnGpu() {
    if (!copied_.empty()) cudaStreamSynchronize(stream_);  // before the copy goes
  }
  OffsetsOnGpu(const OffsetsOnGpu&) = delete;
  OffsetsOnGpu& operator=(const OffsetsOnGpu&) = delete;

  const std::int64_t* data() const { return offsets_; }
  std::int64_t last() const { return copied_.empty() ? fetched(kept_, stream_, end_) : *end_; }

 private:
  KeptSpace& kept_;
  cudaStream_t stream_;
  const std::int64_t* offsets_;
  const std::int64_t* end_;
  yupana::cuda::DeviceArray<std::int64_t> copied_;
};

/// The segments and what they hold, on the device, of host arrays.
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
void segmented_scan_anywhere(Context& context,
                             const T* in,
                             const std::int64_t* offsets,
                             std::int64_t segments,
                             const T* init,
                             T* out,
                             Op op) {
  if (segments <= 0) return;
  const auto run = [&](Workspace& space, cudaStream_t stream, const T* from, auto* ends, T* to) {
    if (init != nullptr) {
      segmented_scan<true>(space, stream, from, ends, segments, *init, to, op);
    } else {
      segmented_scan<false>(space, stream, from, ends, segments, T{}, to, op);
    }
  };
  const void* const first = in != nullptr ? static_cast<const void*>(in) : offsets;
  if (on_its_gpu(context, first, [&](KeptSpace& kept, cudaStream_t stream) {
        const OffsetsOnGpu ends(context, kept, stream, offsets, segments);
        run(kept.space, stream, in, ends.data(), out);
      })) {
    return;
  }
  DeviceSession session(context);
  DeviceSegments<T> device(session, in, offsets, segments);
  T* const values = device.values.data();
  const std::int64_t* const ends = device.ends.data();
  run(session.space(), session.stream(), values, ends, values);
  session.download(out + device.begin, static_cast<const T*>(values), device.count);
}

template <class T, class Op>
void segmented_reduce_anywhere(Context& context,
                               const T* in,
                               const std::int64_t* offsets,
                               std::int64_t segments,
                               T init,
                               T* totals,
                               Op op) {
  if (segments <= 0) return;
  if (on_its_gpu(context, totals, [&](KeptSpace& kept, cudaStream_t stream) {
        const OffsetsOnGpu ends(context, kept, stream, offsets, segments);
        segmented_reduce(
            kept.space, stream, in, ends.data(), segments, ends.last(), init, totals, op);
      })) {
    return;
  }
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
