#pragma once

#include <cstdint>

#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/reduce.hpp"
#include "yupana/arrays/scan.hpp"
#include "yupana/arrays/segments_cpu.hpp"
#include "yupana/core/context.hpp"

namespace yupana::arrays {

/// Scans within segments: segment s is [offsets[s], offsets[s + 1]), offsets ascend, some segments
/// may be empty. Values outside [offsets[0], offsets[segments]) stay as they are. in and out lie in
/// host memory, or on one GPU; offsets then there or on the host.
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
      return cuda::segmented_scan_anywhere<T>(context, in, offsets, segments, nullptr, out, op);
    }
  }
  cuda::check_on_host(context, out);
  cpu::for_each_segment<T>(context, offsets, segments, [&](std::int64_t s) {
    const std::int64_t begin = offsets[s], count = offsets[s + 1] - begin;
    detail::scan_on_host<T>(context, in + begin, count, {}, out + begin, op, false);
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
      return cuda::segmented_scan_anywhere<T>(context, in, offsets, segments, &init, out, op);
    }
  }
  cuda::check_on_host(context, out);
  cpu::for_each_segment<T>(context, offsets, segments, [&](std::int64_t s) {
    const std::int64_t begin = offsets[s], count = offsets[s + 1] - begin;
    detail::scan_on_host<T>(context, in + begin, count, init, out + begin, op, true);
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
      return cuda::segmented_reduce_anywhere(context, in, offsets, segments, init, totals, op);
    }
  }
  cuda::check_on_host(context, totals);
  cpu::for_each_segment<T>(context, offsets, segments, [&](std::int64_t s) {
    const std::int64_t begin = offsets[s], count = offsets[s + 1] - begin;
    totals[s] = detail::reduce_on_host(context, in + begin, count, init, op);
  });
}

}  // namespace yupana::arrays
