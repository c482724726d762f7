#include "python/bindings/device_kept.hpp"
#include "python/bindings/device_transforms.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/spectral/device_real_fft.hpp"

namespace yupana::python::device {

using spectral::cuda::DeviceColumnFft;
using spectral::cuda::DeviceFft;
using spectral::cuda::DeviceRealFft;

namespace {

template <class R>
struct PlaneFft {
  PlaneFft(std::int64_t rows, std::int64_t cols)
      : along(cols, rows, {spectral::FftLibrary::own}), down(rows, cols) {}
  static std::uint64_t bytes(std::int64_t rows, std::int64_t cols) {
    return DeviceFft<R>::bytes(cols, rows) + DeviceColumnFft<R>::bytes(rows, cols);
  }

  DeviceFft<R> along;
  DeviceColumnFft<R> down;
};

/// run(Plan(a, b)), a new one or one that is kept.
template <class Plan, class Run>
void with_plan(cudaStream_t stream, std::int64_t a, std::int64_t b, const Run& run) {
  Kept<Plan>::with(
      stream,
      {a, b},
      [&] { return std::make_unique<Plan>(a, b); },
      [&](Plan& plan) {
        run(plan);
        return Plan::bytes(a, b);
      });
}

}  // namespace

template <class R>
void fft(const std::complex<R>* in,
         std::int64_t n,
         std::int64_t batch,
         spectral::Direction direction,
         std::complex<R>* out,
         cudaStream_t stream) {
  with_plan<DeviceFft<R>>(
      stream, n, batch, [&](DeviceFft<R>& plan) { plan.run(in, out, direction, stream); });
}

template <class R>
void real_fft(
    const R* in, std::int64_t n, std::int64_t batch, std::complex<R>* out, cudaStream_t stream) {
  // A view may begin between two complex numbers, which pairs of values are read as.
  yupana::cuda::DeviceArray<R> aligned;
  if (reinterpret_cast<std::uintptr_t>(in) % sizeof(std::complex<R>) != 0) {
    aligned = yupana::cuda::DeviceArray<R>(n * batch);
    yupana::cuda::check(
        cudaMemcpyAsync(aligned.data(), in, aligned.bytes(), cudaMemcpyDeviceToDevice, stream),
        "copy signals");
    in = aligned.data();
  }
  with_plan<DeviceRealFft<R>>(
      stream, n, batch, [&](DeviceRealFft<R>& plan) { plan.forward(in, out, batch, stream); });
  if (!aligned.empty()) yupana::cuda::check(cudaStreamSynchronize(stream), "transform signals");
}

template <class R>
void inverse_real_fft(
    const std::complex<R>* in, std::int64_t n, std::int64_t batch, R* out, cudaStream_t stream) {
  with_plan<DeviceRealFft<R>>(
      stream, n, batch, [&](DeviceRealFft<R>& plan) { plan.inverse(in, out, batch, stream); });
}

template <class R>
void fft_2d(const std::complex<R>* in,
            std::int64_t rows,
            std::int64_t cols,
            spectral::Direction direction,
            std::complex<R>* out,
            cudaStream_t stream) {
  with_plan<PlaneFft<R>>(stream, rows, cols, [&](PlaneFft<R>& plan) {
    plan.along.run(in, out, direction, stream);
    plan.down.run(out, direction, stream);
  });
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, fft, real_fft, inverse_real_fft, fft_2d)

}  // namespace yupana::python::device
