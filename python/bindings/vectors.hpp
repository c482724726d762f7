#pragma once

#include <algorithm>
#include <cstdint>

#include "python/bindings/choices.hpp"
#include "python/bindings/views.hpp"
#ifdef YUPANA_CUDA
#include "yupana/arrays/device_values.hpp"
#include "yupana/core/cuda/call_stream.hpp"
#endif

/// Vectors where they are.
namespace yupana::python {

using Offsets = AnyVector<std::int64_t>;

/// Values that only move, words of 4 or 8 bytes; those on the host of 8.
using Words = AsItIs<nb::ro, nb::ndim<1>, nb::c_contig>;
using WordsOut = AsItIs<nb::ndim<1>, nb::c_contig>;

inline int bytes_of(const Words& words) {
  return static_cast<int>(words.dtype().bits) * words.dtype().lanes / 8;
}

#ifdef YUPANA_CUDA
/// Queues work(stream) on the current GPU, or waits for it where the caller's stream is not known.
template <class Work>
void queue(const Context& context, const Work& work) {
  const yupana::cuda::CallStream stream(context);
  work(static_cast<cudaStream_t>(stream));
  stream.finish();
}
#endif

/// Both at the same place.
template <class T>
void copy_at(
    [[maybe_unused]] const Context& context, int place, const T* from, std::int64_t n, T* to) {
  if (n == 0 || to == from) return;
  if (place < 0) {
    std::copy_n(from, n, to);
    return;
  }
#ifdef YUPANA_CUDA
  queue(context, [&](cudaStream_t stream) {
    const auto bytes = static_cast<std::size_t>(n) * sizeof(T);
    yupana::cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream),
                        "copy an array");
  });
#endif
}

/// Offsets of segments of so many values, looked at where they are.
inline void check_offsets([[maybe_unused]] const Context& context,
                          const Offsets& offsets,
                          std::int64_t values) {
  const std::int64_t count = size_of(offsets);
  if (place_of(offsets) < 0) {
    for (std::int64_t s = 0; s < count; ++s) {
      const std::int64_t min = s == 0 ? 0 : offsets.data()[s - 1];
      if (offsets.data()[s] >= min && offsets.data()[s] <= values) continue;
      throw bad_offset(values, s, offsets.data()[s]);
    }
    return;
  }
#ifdef YUPANA_CUDA
  queue(context, [&](cudaStream_t stream) {
    const auto bad = arrays::cuda::first_bad_offset(offsets.data(), count, values, stream);
    if (bad == count) return;
    std::int64_t offset = 0;
    yupana::cuda::check(
        cudaMemcpy(&offset, offsets.data() + bad, sizeof(offset), cudaMemcpyDeviceToHost),
        "copy an offset");
    throw bad_offset(values, bad, offset);
  });
#endif
}

/// reduce_by_key, into the family's module.
void bind_runs(nb::module_& m);

/// call_at() of body(context) for so many values.
template <class Body>
void vectors_at(int place, std::int64_t values, const Options& options, const Body& body) {
  constexpr std::int64_t few = std::int64_t{1} << 14;
  const Runs runs = place >= 0 || values <= few ? Runs::at_once : Runs::anywhere;
  call_at(place, options, runs, [&](Context& context) {
    context.check_cancelled();
    body(context);
  });
}

}  // namespace yupana::python
