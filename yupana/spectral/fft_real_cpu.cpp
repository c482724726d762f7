#include <algorithm>
#include <complex>
#include <type_traits>

#include "yupana/core/array.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/spectral/fft_backends.hpp"
#include "yupana/spectral/plan_cache.hpp"
#include "yupana/spectral/signal_plan.hpp"

namespace yupana::spectral::cpu {
namespace {

/// body(context or null, signal): long signals one by one on all threads, short ones side by side.
template <class Body>
void each_signal(Context& context, std::int64_t batch, std::int64_t length, const Body& body) {
  if (batch == 1 || length >= long_signal) {
    for (std::int64_t b = 0; b < batch; ++b) body(&context, b);
    return;
  }
  constexpr std::int64_t min_work = 1 << 14;  // values a thread is worth starting for
  if (batch * length < 2 * min_work) {
    for (std::int64_t b = 0; b < batch; ++b) body(nullptr, b);
    return;
  }
  const std::int64_t grain = std::max<std::int64_t>(1, min_work / length);
  context.parallel_for(batch, grain, [&](std::int64_t b) {
    context.check_cancelled();
    body(nullptr, b);
  });
}

template <class T>
T* numbers(std::complex<T>* values) {
  return reinterpret_cast<T*>(values);
}

template <class T>
Signals<T> one_of(Signals<T> signals, std::int64_t b) {
  return {signals.data + b * signals.distance, signals.length, 1, signals.stride, 0};
}

constexpr std::int64_t columns_at_once = 16;  ///< a line of memory, or two

/// Whether the signals are many columns of a matrix.
template <class In, class Out>
bool are_columns(const Signals<In>& in, const Signals<Out>& out) {
  return in.distance == 1 && out.distance == 1 && in.batch >= columns_at_once &&
         std::max(in.length, out.length) < long_signal;
}

/// run(signal in, signal out) on every column, some neighbours at a time in rows of their own: one
/// by one each value would cost a line of memory.
template <class In, class Out, class Run>
void each_column(Context& context, Signals<In> in, Signals<Out> out, const Run& run) {
  constexpr std::int64_t min_work = 1 << 14, gap = 16;  // rows apart by a power of two share sets
  const std::int64_t from_row = in.length + gap, to_row = out.length + gap;
  const auto block = [&](std::int64_t first, std::remove_const_t<In>* from, Out* to) {
    const std::int64_t count = std::min(columns_at_once, in.batch - first);
    for (std::int64_t j = 0; j < in.length; ++j) {
      for (std::int64_t c = 0; c < count; ++c) from[c * from_row + j] = in(first + c, j);
    }
    for (std::int64_t c = 0; c < count; ++c) {
      run(Signals<In>(from + c * from_row, in.length), Signals<Out>(to + c * to_row, out.length));
    }
    for (std::int64_t k = 0; k < out.length; ++k) {
      for (std::int64_t c = 0; c < count; ++c) out(first + c, k) = to[c * to_row + k];
    }
  };
  const std::int64_t grain = divide_up(min_work, columns_at_once * from_row);
  context.parallel_for(
      divide_up(in.batch, columns_at_once), grain, [&](std::int64_t begin, std::int64_t end) {
        Array<std::remove_const_t<In>> from(columns_at_once * from_row);
        Array<Out> to(columns_at_once * to_row);
        context.check_cancelled();
        for (std::int64_t b = begin; b < end; ++b) {
          block(b * columns_at_once, from.data(), to.data());
        }
      });
}

template <class T>
PlanCache<RealSignalPlan<T>>& plans() {
  static PlanCache<RealSignalPlan<T>> kept(max_plan_bytes);
  return kept;
}

}  // namespace

template <class T>
RealSignalPlan<T>::RealSignalPlan(std::int64_t length)
    : even_(length % 2 == 0),
      count_(even_ ? length / 2 : length),
      half_(even_ ? length : 2),
      scratch_(count_ + 1) {}

template <class T>
void RealSignalPlan<T>::forward_even(Context* threads, const T* in, std::complex<T>* out) {
  transform_.get(threads, count_).run(threads, in, numbers(out), Direction::forward);
  half_.unfold(threads, out);
}

template <class T>
void RealSignalPlan<T>::forward_one(Context* threads,
                                    Signals<const T> in,
                                    Signals<std::complex<T>> out) {
  if (even_ && in.stride == 1 && out.stride == 1) return forward_even(threads, in.data, out.data);
  Transform<T>& transform = transform_.get(threads, count_);
  typename Scratch<std::complex<T>>::Block block(scratch_);
  std::complex<T>* const values = block.data();
  for (std::int64_t j = 0; j < count_; ++j) {
    values[j] = even_ ? std::complex<T>(in(0, 2 * j), in(0, 2 * j + 1)) : std::complex<T>(in(0, j));
  }
  transform.run(threads, numbers(values), numbers(values), Direction::forward);
  if (even_) half_.unfold(threads, values);
  for (std::int64_t k = 0; k < out.length; ++k) out(0, k) = values[k];
  out(0, 0) = out(0, 0).real();
}

template <class T>
void RealSignalPlan<T>::inverse_one(Context* threads,
                                    Signals<const std::complex<T>> in,
                                    Signals<T> out) {
  Transform<T>& transform = transform_.get(threads, count_);
  typename Scratch<std::complex<T>>::Block block(scratch_);
  std::complex<T>* const values = block.data();
  if (in.stride == 1) {
    std::copy_n(in.data, in.length, values);
  } else {
    for (std::int64_t k = 0; k < in.length; ++k) values[k] = in(0, k);
  }
  if (even_) {
    half_.fold(threads, values);
  } else {
    values[0] = values[0].real();
    for (std::int64_t k = 1; k < in.length; ++k) values[count_ - k] = std::conj(values[k]);
  }
  if (even_ && out.stride == 1) {
    return transform.run(threads, numbers(values), out.data, Direction::inverse);
  }
  transform.run(threads, numbers(values), numbers(values), Direction::inverse);
  for (std::int64_t j = 0; j < out.length; ++j) {
    out(0, j) = even_ ? numbers(values)[j] : values[j].real();
  }
}

template <class T>
void RealSignalPlan<T>::forward(Context& context,
                                Signals<const T> in,
                                Signals<std::complex<T>> out) {
  if (are_columns(in, out)) {
    return each_column(context, in, out, [&](auto a, auto b) { forward_one(nullptr, a, b); });
  }
  each_signal(context, in.batch, in.length, [&](Context* threads, std::int64_t b) {
    forward_one(threads, one_of(in, b), one_of(out, b));
  });
}

template <class T>
void RealSignalPlan<T>::inverse(Context& context,
                                Signals<const std::complex<T>> in,
                                Signals<T> out) {
  if (are_columns(in, out)) {
    return each_column(context, in, out, [&](auto a, auto b) { inverse_one(nullptr, a, b); });
  }
  each_signal(context, in.batch, out.length, [&](Context* threads, std::int64_t b) {
    inverse_one(threads, one_of(in, b), one_of(out, b));
  });
}

template <class T>
void fft_real(Context& context, Signals<const T> in, Signals<std::complex<T>> out) {
  plans<T>().with(in.length, [&](RealSignalPlan<T>& plan) { plan.forward(context, in, out); });
}

template <class T>
void inverse_fft_real(Context& context, Signals<const std::complex<T>> in, Signals<T> out) {
  plans<T>().with(out.length, [&](RealSignalPlan<T>& plan) { plan.inverse(context, in, out); });
}

YUPANA_CLASSES(YUPANA_FLOATS, RealSignalPlan)
YUPANA_FUNCTIONS(YUPANA_FLOATS, fft_real, inverse_fft_real)

}  // namespace yupana::spectral::cpu
