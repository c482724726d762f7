#include "yupana/spectral/fft_axes.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "yupana/core/array.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/text.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::spectral {
namespace {

using Axes = std::vector<std::int64_t>;

Error bad_axes(const std::string& what) { return Error(ErrorCode::bad_input, "fft: " + what); }

std::int64_t product(const std::int64_t* begin, const std::int64_t* end) {
  return std::accumulate(begin, end, std::int64_t{1}, std::multiplies<>());
}

template <class T>
std::int64_t size_of(const DenseArray<T>& array) {
  return product(array.extents.data(), array.extents.data() + array.extents.size());
}

void check_axes(const Axes& extents, const Axes& axes) {
  const std::int64_t count = std::ssize(extents);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0 || axes[i] >= count) {
      throw bad_axes(fmt::format("expected axes from 0 to {}, got {}", count - 1, axes[i]));
    }
    if (std::count(axes.begin(), axes.end(), axes[i]) > 1) {
      throw bad_axes(fmt::format("expected every axis once, got axis {} twice", axes[i]));
    }
    if (extents[static_cast<std::size_t>(axes[i])] < 1) {
      throw bad_axes(fmt::format("expected at least 1 value along axis {}, got none", axes[i]));
    }
  }
}

void check_extents(const Axes& wanted, const Axes& got) {
  if (wanted == got) return;
  throw bad_axes(
      fmt::format("expected an output of {}, got {}", joined(wanted, " x "), joined(got, " x ")));
}

/// The extents of the half that says all, of an array of real values.
Axes half_of(Axes extents, const Axes& axes) {
  if (axes.empty()) throw bad_axes("expected an axis for real values, got none");
  check_axes(extents, axes);
  std::int64_t& last = extents[static_cast<std::size_t>(axes.back())];
  last = last / 2 + 1;
  return extents;
}

/// The signals along one axis: `slabs` times `inner` signals, `inner` values apart.
template <class T>
struct Along {
  Along(const DenseArray<T>& array, std::int64_t axis)
      : data(array.data), length(array.extents[static_cast<std::size_t>(axis)]) {
    const std::int64_t* const begin = array.extents.data();
    slabs = product(begin, begin + axis);
    inner = product(begin + axis + 1, begin + std::ssize(array.extents));
  }
  Signals<T> slab(std::int64_t i) const {
    return {data + i * length * inner, length, inner, inner, 1};
  }
  T* data;
  std::int64_t length, slabs, inner;
};

/// run(in, out) on all signals along one axis.
template <class In, class Out, class Run>
void each_slab(Context& context, const Along<In>& in, const Along<Out>& out, const Run& run) {
  if (in.inner == 1) {
    return run(Signals<In>(in.data, in.length, in.slabs),
               Signals<Out>(out.data, out.length, out.slabs));
  }
  // Slabs of which a thread has work for itself go side by side.
  constexpr std::int64_t long_slab = std::int64_t{1} << 18, some_work = std::int64_t{1} << 15;
  const std::int64_t slab = std::max(in.length, out.length) * in.inner;
  const auto some = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      context.check_cancelled();
      run(in.slab(i), out.slab(i));
    }
  };
  const bool side_by_side = slab < long_slab && in.slabs >= 2 * context.threads();
  if (!side_by_side || context.backend() != Backend::cpu) return some(0, in.slabs);
  context.parallel_for(in.slabs, divide_up(some_work, std::max<std::int64_t>(slab, 512)), some);
}

/// The axes but the first of the array, as those of its slabs.
template <class T>
DenseArray<T> slab_of(const DenseArray<T>& array, std::int64_t i) {
  const Axes extents(array.extents.begin() + 1, array.extents.end());
  return {array.data + i * product(extents.data(), extents.data() + extents.size()), extents};
}

/// The axes at the end of the list that lie within slabs of the array, counted in a slab: two or
/// more of them, where a thread has slabs enough that fit its cache; else none.
template <class T>
Axes axes_in_slabs(const Context& context, const DenseArray<T>& array, const Axes& axes) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 19;
  const std::int64_t slabs = array.extents.front();
  if (context.backend() != Backend::cpu || slabs < 2 * context.threads()) return {};
  if (size_of(array) / slabs * std::int64_t{sizeof(T)} > most_bytes) return {};
  const auto within = std::find(axes.rbegin(), axes.rend(), 0).base();
  Axes inner(within, axes.end());
  if (inner.size() < 2) return {};
  for (std::int64_t& axis : inner) --axis;
  return inner;
}

/// run(slab number) for all, side by side.
template <class Run>
void each_in_cache(Context& context, std::int64_t slabs, const Run& run) {
  context.parallel_for(slabs, 1, [&](std::int64_t i) {
    context.check_cancelled();
    run(i);
  });
}

/// The transforms along axes [0, count): the first from `in` to `out`, the others in place.
template <class T>
void run_axes(Context& context,
              const DenseArray<const std::complex<T>>& in,
              const DenseArray<std::complex<T>>& out,
              const Axes& axes,
              std::size_t count,
              Direction direction) {
  using C = std::complex<T>;
  DenseArray<const C> from = in;
  for (std::size_t i = 0; i < count; ++i) {
    each_slab(context,
              Along<const C>(from, axes[i]),
              Along<C>(out, axes[i]),
              [&](Signals<const C> a, Signals<C> b) { fft(context, a, b, direction); });
    from.data = out.data;
  }
}

}  // namespace

template <class T>
void fft_axes(Context& context,
              const DenseArray<const std::complex<T>>& in,
              const DenseArray<std::complex<T>>& out,
              const Axes& axes,
              Direction direction) {
  check_axes(in.extents, axes);
  check_extents(in.extents, out.extents);
  if (size_of(in) == 0) return;
  if (axes.empty() && out.data != in.data) std::copy_n(in.data, size_of(in), out.data);
  run_axes(context, in, out, axes, axes.size(), direction);
}

template <class T>
void fft_real_axes(Context& context,
                   const DenseArray<const T>& in,
                   const DenseArray<std::complex<T>>& out,
                   const Axes& axes) {
  using C = std::complex<T>;
  check_extents(half_of(in.extents, axes), out.extents);
  if (size_of(in) == 0) return;
  each_slab(context,
            Along<const T>(in, axes.back()),
            Along<C>(out, axes.back()),
            [&](Signals<const T> a, Signals<C> b) { fft_real(context, a, b); });
  const DenseArray<const C> half{out.data, out.extents};
  run_axes(context, half, out, axes, axes.size() - 1, Direction::forward);
}

template <class T>
void inverse_fft_real_axes(Context& context,
                           const DenseArray<const std::complex<T>>& in,
                           const DenseArray<T>& out,
                           const Axes& axes) {
  using C = std::complex<T>;
  check_extents(half_of(out.extents, axes), in.extents);
  if (size_of(in) == 0) return;
  const Axes inner = axes_in_slabs(context, in, axes);
  const std::size_t outer = inner.empty() ? axes.size() - 1 : axes.size() - inner.size();
  Array<C> copy(outer > 0 ? size_of(in) : 0);
  DenseArray<const C> half = in;
  if (outer > 0) {
    run_axes(context, in, {copy.data(), in.extents}, axes, outer, Direction::inverse);
    half.data = copy.data();
  }
  if (!inner.empty()) {
    return each_in_cache(context, in.extents.front(), [&](std::int64_t i) {
      inverse_fft_real_axes(context, slab_of(half, i), slab_of(out, i), inner);
    });
  }
  each_slab(context,
            Along<const C>(half, axes.back()),
            Along<T>(out, axes.back()),
            [&](Signals<const C> a, Signals<T> b) { inverse_fft_real(context, a, b); });
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, fft_axes, fft_real_axes, inverse_fft_real_axes)

}  // namespace yupana::spectral
