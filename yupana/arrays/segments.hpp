#pragma once

#include <cstdint>

#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/reduce.hpp"
#include "yupana/arrays/scan.hpp"
#include "yupana/arrays/segments_cpu.hpp"
#include "yupana/core/context.hpp"

namespace yupana::arrays {

/// Scans within segments: segment s is [offsets[s], offsets[s + 1]), offsets ascend, some segments
/// may be empty. Values outside [offsets[0], offsets[segments]) stay as they are.
///   op, out, determinism: as inclusive_scan; a segment's result depends on the segment alone
template <class T, class Op = Plus>
void segmented_inclusive_scan(Context& context,
                              const T* in,
                              const std::int64_t* offsets,
                              std::int64_t segments,
                              T* out,
                              Op op = {}) {
  if constexpr (cuda::has_fold<T, Op>) {
    if (context.backend() == Backend::cuda) {
      return cuda::segmented_scan_host<T>(context, in, offsets, segments, nullptr, out, op);
    }
  }
  cpu::for_each_segment<T>(context, offsets, segments, [&](std::int64_t s) {
    inclusive_scan(context, in + offsets[s], offsets[s + 1] - offsets[s], out + offsets[s], op);
  });
}

/// Each segment begins with init.
template <class T, class Op = Plus>
void segmented_exclusive_scan(Context& context,
                              const T* in,
                              const std::int64_t* offsets,
                              std::int64_t segments,
                              T init,
                              T* out,
                              Op op = {}) {
  if constexpr (cuda::has_fold<T, Op>) {
    if (context.backend() == Backend::cuda) {
      return cuda::segmented_scan_host<T>(context, in, offsets, segments, &init, out, op);
    }
  }
  cpu::for_each_segment<T>(context, offsets, segments, [&](std::int64_t s) {
    const std::int64_t begin = offsets[s];
    exclusive_scan(context, in + begin, offsets[s + 1] - begin, init, out + begin, op);
  });
}

/// totals[s] = init op (values of segment s); init for an empty one.
template <class T, class Op = Plus>
void segmented_reduce(Context& context,
                      const T* in,
                      const std::int64_t* offsets,
                      std::int64_t segments,
                      T init,
                      T* totals,
                      Op op = {}) {
  if constexpr (cuda::has_fold<T, Op>) {
    if (context.backend() == Backend::cuda) {
      return cuda::segmented_reduce_host(context, in, offsets, segments, init, totals, op);
    }
  }
  cpu::for_each_segment<T>(context, offsets, segments, [&](std::int64_t s) {
    totals[s] = reduce(context, in + offsets[s], offsets[s + 1] - offsets[s], init, op);
  });
}

}  // namespace yupana::arrays
