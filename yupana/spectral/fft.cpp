#include "yupana/spectral/fft.hpp"

#include <algorithm>
#include <string>

#include "yupana/core/cuda/device.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/spectral/fft_backends.hpp"
#include "yupana/spectral/signal_plan.hpp"

namespace yupana::spectral {
namespace {

Error bad(const std::string& what) { return Error(ErrorCode::bad_input, "fft: " + what); }

Error overlap() {
  return bad("input and output overlap; give the output memory of its own, or the input's exactly");
}

Error no_gpu() { return bad("cuFFT works on a GPU; use --device cuda, or another --library"); }

template <class T>
void check_shape(Signals<T> signals) {
  if (signals.length < 1) {
    throw bad(fmt::format("expected signals of at least 1 value, got {}", signals.length));
  }
  if (signals.batch < 0)
    throw bad(fmt::format("expected 0 signals or more, got {}", signals.batch));
  if (signals.stride < 1 || signals.distance < (signals.batch > 1 ? 1 : 0)) {
    throw bad(fmt::format("expected stride and distance of at least 1, got {} and {}",
                          signals.stride,
                          signals.distance));
  }
}

/// The bytes from a view's first value to its last.
template <class T>
std::pair<std::uintptr_t, std::uintptr_t> extent(Signals<T> signals) {
  const auto begin = reinterpret_cast<std::uintptr_t>(signals.data);
  const std::int64_t last =
      (signals.length - 1) * signals.stride + (signals.batch - 1) * signals.distance;
  return {begin, begin + static_cast<std::uintptr_t>(last + 1) * sizeof(T)};
}

template <class In, class Out>
void check_apart(Signals<In> in, Signals<Out> out) {
  const auto [a, a_end] = extent(in);
  const auto [b, b_end] = extent(out);
  if (a < b_end && b < a_end) throw overlap();
}

template <class T>
bool same_view(Signals<const std::complex<T>> in, Signals<std::complex<T>> out) {
  return in.data == out.data && in.stride == out.stride &&
         (in.batch == 1 || in.distance == out.distance);
}

template <class In, class Out>
void check_batches(Signals<In> in, Signals<Out> out) {
  check_shape(in);
  check_shape(out);
  if (in.batch != out.batch) {
    throw bad(fmt::format("expected as many signals out as in, {}, got {}", in.batch, out.batch));
  }
}

template <class In, class Out>
void check_half(Signals<In> real, Signals<Out> half) {
  check_batches(real, half);
  if (half.length != real.length / 2 + 1) {
    throw bad(fmt::format("{} real values go with {} complex ones (n/2 + 1), not {}",
                          real.length,
                          real.length / 2 + 1,
                          half.length));
  }
}

template <class T>
void run(Context& context,
         Signals<const std::complex<T>> in,
         Signals<std::complex<T>> out,
         Direction direction,
         const FftParams& params = {},
         cpu::SignalPlan<T>* plan = nullptr) {
  check_batches(in, out);
  if (in.length != out.length) {
    throw bad(fmt::format("expected as many values out as in, {}, got {}", in.length, out.length));
  }
  if (in.batch == 0) return;
  if (!same_view(in, out)) check_apart(in, out);
  if (params.library == FftLibrary::cufft && context.backend() != Backend::cuda) throw no_gpu();
  if (context.backend() == Backend::reference) return reference::fft(in, out, direction);
  if constexpr (yupana::cuda::built) {
    if (context.backend() == Backend::cuda) return cuda::fft(context, in, out, direction, params);
  }
  if (plan != nullptr) return plan->run(context, in, out, direction);
  cpu::fft(context, in, out, direction);
}

template <class T>
void run_real(Context& context,
              Signals<const T> in,
              Signals<std::complex<T>> out,
              cpu::RealSignalPlan<T>* plan = nullptr) {
  check_half(in, out);
  if (in.batch == 0) return;
  check_apart(in, out);
  if (context.backend() == Backend::reference) return reference::fft_real(in, out);
  if constexpr (yupana::cuda::built) {
    if (context.backend() == Backend::cuda) return cuda::fft_real(context, in, out);
  }
  if (plan != nullptr) return plan->forward(context, in, out);
  cpu::fft_real(context, in, out);
}

template <class T>
void run_inverse_real(Context& context,
                      Signals<const std::complex<T>> in,
                      Signals<T> out,
                      cpu::RealSignalPlan<T>* plan = nullptr) {
  check_half(out, in);
  if (in.batch == 0) return;
  check_apart(in, out);
  if (context.backend() == Backend::reference) return reference::inverse_fft_real(in, out);
  if constexpr (yupana::cuda::built) {
    if (context.backend() == Backend::cuda) return cuda::inverse_fft_real(context, in, out);
  }
  if (plan != nullptr) return plan->inverse(context, in, out);
  cpu::inverse_fft_real(context, in, out);
}

/// Two runs of bytes, which may be one if that is allowed.
void check_apart(const void* in, std::int64_t in_bytes, const void* out, std::int64_t out_bytes) {
  const auto a = reinterpret_cast<std::uintptr_t>(in), b = reinterpret_cast<std::uintptr_t>(out);
  if (a < b + static_cast<std::uintptr_t>(out_bytes) &&
      b < a + static_cast<std::uintptr_t>(in_bytes)) {
    throw overlap();
  }
}

std::int64_t checked_length(std::int64_t length) {
  if (length >= 1) return length;
  throw bad(fmt::format("a plan for signals of length {}; at least 1 value is needed", length));
}

void check_planned(std::int64_t planned, std::int64_t length) {
  if (length == planned) return;
  throw bad(
      fmt::format("a signal of length {} on a plan for {}; make one for it", length, planned));
}

template <class T>
Signals<T> rows_of(MatrixView<T> m) {
  return {m.data, m.cols, m.rows, 1, std::max<std::int64_t>(m.stride, 1)};
}
template <class T>
Signals<T> columns_of(MatrixView<T> m) {
  return {m.data, m.rows, m.cols, std::max<std::int64_t>(m.stride, 1), 1};
}

template <class In, class Out>
void check_matrices(MatrixView<In> in, MatrixView<Out> out) {
  if (in.rows < 1 || in.cols < 1) {
    throw bad(fmt::format("expected a matrix of at least 1 x 1, got {} x {}", in.rows, in.cols));
  }
  if (in.rows != out.rows) {
    throw bad(fmt::format("expected as many rows out as in, {}, got {}", in.rows, out.rows));
  }
  if (in.stride < in.cols || out.stride < out.cols) {
    throw bad(fmt::format("rows {} and {} apart are shorter than their {} and {} values",
                          in.stride,
                          out.stride,
                          in.cols,
                          out.cols));
  }
}

template <class T>
void run_2d(Context& context,
            MatrixView<const std::complex<T>> in,
            MatrixView<std::complex<T>> out,
            Direction direction) {
  check_matrices(in, out);
  if constexpr (yupana::cuda::built) {
    if (context.backend() == Backend::cuda) return cuda::fft_2d(context, in, out, direction);
  }
  run<T>(context, rows_of(in), rows_of(out), direction);
  run<T>(context, columns_of<const std::complex<T>>(out), columns_of(out), direction);
}

template <class T>
void run_real_2d(Context& context, MatrixView<const T> in, MatrixView<std::complex<T>> out) {
  check_matrices(in, out);
  if constexpr (yupana::cuda::built) {
    if (context.backend() == Backend::cuda) return cuda::fft_real_2d(context, in, out);
  }
  run_real<T>(context, rows_of(in), rows_of(out));
  run<T>(context, columns_of<const std::complex<T>>(out), columns_of(out), Direction::forward);
}

template <class T>
void run_inverse_real_2d(Context& context,
                         MatrixView<const std::complex<T>> in,
                         MatrixView<T> out) {
  check_matrices(in, out);
  if constexpr (yupana::cuda::built) {
    if (context.backend() == Backend::cuda) return cuda::inverse_fft_real_2d(context, in, out);
  }
  check_half(rows_of(out), rows_of(in));
  check_apart(rows_of(in), rows_of(out));
  Matrix<std::complex<T>> half(in.rows, in.cols);
  run<T>(context, columns_of(in), columns_of(half.view()), Direction::inverse);
  run_inverse_real<T>(context, rows_of<const std::complex<T>>(half.view()), rows_of(out));
}

}  // namespace

int cufft_version() {
  if constexpr (yupana::cuda::built) return cuda::cufft_version();
  return 0;
}

#define YUPANA_FFTS(T)                                                                          \
  void fft(Context& context,                                                                    \
           Signals<const std::complex<T>> in,                                                   \
           Signals<std::complex<T>> out,                                                        \
           Direction direction,                                                                 \
           const FftParams& params) {                                                           \
    run(context, in, out, direction, params);                                                   \
  }                                                                                             \
  void fft_real(Context& context, Signals<const T> in, Signals<std::complex<T>> out) {          \
    run_real(context, in, out);                                                                 \
  }                                                                                             \
  void inverse_fft_real(Context& context, Signals<const std::complex<T>> in, Signals<T> out) {  \
    run_inverse_real(context, in, out);                                                         \
  }                                                                                             \
  void fft_2d(Context& context,                                                                 \
              MatrixView<const std::complex<T>> in,                                             \
              MatrixView<std::complex<T>> out,                                                  \
              Direction direction) {                                                            \
    run_2d(context, in, out, direction);                                                        \
  }                                                                                             \
  void fft_real_2d(Context& context, MatrixView<const T> in, MatrixView<std::complex<T>> out) { \
    run_real_2d(context, in, out);                                                              \
  }                                                                                             \
  void inverse_fft_real_2d(                                                                     \
      Context& context, MatrixView<const std::complex<T>> in, MatrixView<T> out) {              \
    run_inverse_real_2d(context, in, out);                                                      \
  }
YUPANA_FFTS(float)
YUPANA_FFTS(double)
#undef YUPANA_FFTS

template <class T>
FftPlan<T>::FftPlan(std::int64_t length)
    : length_(checked_length(length)), kept_(std::make_shared<cpu::SignalPlan<T>>(length)) {}
template <class T>
std::uint64_t FftPlan<T>::bytes() const {
  return kept_->bytes();
}
template <class T>
void FftPlan<T>::execute(Context& context,
                         Signals<const std::complex<T>> in,
                         Signals<std::complex<T>> out,
                         Direction direction) const {
  check_planned(length_, in.length);
  run(context, in, out, direction, {}, kept_.get());
}

template <class T>
void FftPlan<T>::execute(Context& context,
                         const std::complex<T>* in,
                         std::complex<T>* out,
                         Direction direction) const {
  using C = std::complex<T>;
  if (context.backend() != Backend::cpu) {
    return run(context, Signals<const C>(in, length_), Signals<C>(out, length_), direction);
  }
  const std::int64_t bytes = length_ * std::int64_t{sizeof(C)};
  if (in != out) check_apart(in, bytes, out, bytes);
  kept_->run_one(context, in, out, direction);
}

template <class T>
RealFftPlan<T>::RealFftPlan(std::int64_t length)
    : length_(checked_length(length)), kept_(std::make_shared<cpu::RealSignalPlan<T>>(length)) {}
template <class T>
std::uint64_t RealFftPlan<T>::bytes() const {
  return kept_->bytes();
}
template <class T>
void RealFftPlan<T>::forward(Context& context,
                             Signals<const T> in,
                             Signals<std::complex<T>> out) const {
  check_planned(length_, in.length);
  run_real(context, in, out, kept_.get());
}
template <class T>
void RealFftPlan<T>::inverse(Context& context,
                             Signals<const std::complex<T>> in,
                             Signals<T> out) const {
  check_planned(length_, out.length);
  run_inverse_real(context, in, out, kept_.get());
}

template <class T>
void RealFftPlan<T>::forward(Context& context, const T* in, std::complex<T>* out) const {
  using C = std::complex<T>;
  const std::int64_t half = length_ / 2 + 1;
  if (context.backend() != Backend::cpu) {
    return run_real(context, Signals<const T>(in, length_), Signals<C>(out, half));
  }
  check_apart(in, length_ * std::int64_t{sizeof(T)}, out, half * std::int64_t{sizeof(C)});
  if (kept_->is_even()) return kept_->forward_even(&context, in, out);
  kept_->forward_one(&context, Signals<const T>(in, length_), Signals<C>(out, half));
}
template <class T>
void RealFftPlan<T>::inverse(Context& context, const std::complex<T>* in, T* out) const {
  using C = std::complex<T>;
  const std::int64_t half = length_ / 2 + 1;
  if (context.backend() != Backend::cpu) {
    return run_inverse_real(context, Signals<const C>(in, half), Signals<T>(out, length_));
  }
  check_apart(in, half * std::int64_t{sizeof(C)}, out, length_ * std::int64_t{sizeof(T)});
  kept_->inverse_one(&context, Signals<const C>(in, half), Signals<T>(out, length_));
}

YUPANA_CLASSES(YUPANA_FLOATS, FftPlan, RealFftPlan)

}  // namespace yupana::spectral
