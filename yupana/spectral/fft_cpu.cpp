#include <algorithm>
#include <complex>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/spectral/fft_backends.hpp"
#include "yupana/spectral/plan_cache.hpp"
#include "yupana/spectral/signal_plan.hpp"

namespace yupana::spectral::cpu {
namespace {

template <class T>
const T* numbers(const std::complex<T>* values) {
  return reinterpret_cast<const T*>(values);
}
template <class T>
T* numbers(std::complex<T>* values) {
  return reinterpret_cast<T*>(values);
}

template <class T>
Ends<T> ends_of(Direction direction, std::int64_t n) {
  if (direction == Direction::forward) return {};
  const T scale = T(1) / static_cast<T>(n);
  return {-1, scale, -scale};
}

/// body(begin, end) over the signals, on all threads if there is enough work for them.
template <class Body>
void each_part(Context& context,
               std::int64_t count,
               std::int64_t length,
               std::int64_t parts,
               const Body& body) {
  constexpr std::int64_t min_work = 1 << 14;  // values a thread is worth starting for
  if (count * length < 2 * min_work) return body(0, count);
  const std::int64_t grain = std::max<std::int64_t>(1, min_work / (length * parts));
  context.parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    body(begin, end);
  });
}

}  // namespace

template <class T>
void SignalPlan<T>::run_in_lanes(Context& context,
                                 Signals<const std::complex<T>> in,
                                 Signals<std::complex<T>> out,
                                 Direction direction) {
  const std::int64_t lanes = row_functions<T>().lanes;
  LaneTransform<T>& transform = in_lanes_.get(length_);
  const Ends<T> ends = ends_of<T>(direction, in.length);
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t g = begin; g < end; ++g) {
      const std::int64_t first = g * lanes;
      transform.run(numbers(in.data + first * in.distance),
                    in.stride,
                    in.distance,
                    std::min(lanes, in.batch - first),
                    ends,
                    numbers(out.data + first * out.distance),
                    out.stride,
                    out.distance);
    }
  };
  each_part(context, divide_up(in.batch, lanes), in.length * lanes, 1, body);
}

/// One signal after the other, gathered first where its values are apart.
template <class T>
void SignalPlan<T>::run_one_by_one(Context& context,
                                   Signals<const std::complex<T>> in,
                                   Signals<std::complex<T>> out,
                                   Direction direction) {
  Transform<T>& transform = alone_.get(&context, length_);
  Scratch<std::complex<T>> scratch(in.length);
  const auto one = [&](Context* threads, std::int64_t b) {
    if (in.stride == 1 && out.stride == 1) {
      return transform.run(threads,
                           numbers(in.data + b * in.distance),
                           numbers(out.data + b * out.distance),
                           direction);
    }
    typename Scratch<std::complex<T>>::Block block(scratch);
    std::complex<T>* const values = block.data();
    for (std::int64_t j = 0; j < in.length; ++j) values[j] = in(b, j);
    transform.run(threads, numbers(values), numbers(values), direction);
    for (std::int64_t j = 0; j < in.length; ++j) out(b, j) = values[j];
  };
  if (in.batch == 1 || in.length >= long_signal) {
    for (std::int64_t b = 0; b < in.batch; ++b) one(&context, b);
    return;
  }
  each_part(context, in.batch, in.length, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) one(nullptr, b);
  });
}

template <class T>
void SignalPlan<T>::run(Context& context,
                        Signals<const std::complex<T>> in,
                        Signals<std::complex<T>> out,
                        Direction direction) {
  const bool columns = in.distance == 1 && out.distance == 1 && in.stride != 1;
  if (goes_in_lanes<T>(in.length, in.batch, columns)) {
    return run_in_lanes(context, in, out, direction);
  }
  run_one_by_one(context, in, out, direction);
}

template <class T>
void fft(Context& context,
         Signals<const std::complex<T>> in,
         Signals<std::complex<T>> out,
         Direction direction) {
  static PlanCache<SignalPlan<T>> plans(max_plan_bytes);
  plans.with(in.length, [&](SignalPlan<T>& plan) { plan.run(context, in, out, direction); });
}

YUPANA_CLASSES(YUPANA_FLOATS, SignalPlan)
YUPANA_FUNCTIONS(YUPANA_FLOATS, fft)

}  // namespace yupana::spectral::cpu
