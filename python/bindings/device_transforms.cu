#include "python/bindings/device_plans.hpp"
#include "python/bindings/device_transforms.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/spectral/device_real_fft.hpp"

namespace yupana::python::device {

using spectral::cuda::DeviceColumnFft;
using spectral::cuda::DeviceFft;
using spectral::cuda::DeviceRealFft;
using yupana::cuda::Stream;

namespace {

template <class R>
struct PlaneFft {
  PlaneFft(std::int64_t rows, std::int64_t cols)
      : along(cols, rows, {spectral::FftLibrary::own}), down(rows, cols) {}

  DeviceFft<R> along;
  DeviceColumnFft<R> down;
};

template <class R, class Use>
void with_real_plan(std::int64_t n, std::int64_t batch, const Use& use) {
  KeptPlans<DeviceRealFft<R>>::with(
      n, batch, DeviceRealFft<R>::bytes(n, batch), [&](DeviceRealFft<R>& plan) {
        const Stream stream;
        use(plan, stream);
        stream.wait();
      });
}

}  // namespace

template <class R>
void fft(const std::complex<R>* in,
         std::int64_t n,
         std::int64_t batch,
         spectral::Direction direction,
         std::complex<R>* out) {
  KeptPlans<DeviceFft<R>>::with(n, batch, DeviceFft<R>::bytes(n, batch), [&](DeviceFft<R>& plan) {
    const Stream stream;
    plan.run(in, out, direction, stream);
    stream.wait();
  });
}

template <class R>
void real_fft(const R* in, std::int64_t n, std::int64_t batch, std::complex<R>* out) {
  // A view may begin between two complex numbers, which pairs of values are read as.
  yupana::cuda::DeviceArray<R> aligned;
  if (reinterpret_cast<std::uintptr_t>(in) % sizeof(std::complex<R>) != 0) {
    aligned = yupana::cuda::DeviceArray<R>(n * batch);
    yupana::cuda::check(cudaMemcpy(aligned.data(), in, aligned.bytes(), cudaMemcpyDeviceToDevice),
                        "copy signals");
    yupana::cuda::check(cudaDeviceSynchronize(), "copy signals");  // such a copy may still run
    in = aligned.data();
  }
  with_real_plan<R>(n, batch, [&](DeviceRealFft<R>& plan, const Stream& stream) {
    plan.forward(in, out, batch, stream);
  });
}

template <class R>
void inverse_real_fft(const std::complex<R>* in, std::int64_t n, std::int64_t batch, R* out) {
  with_real_plan<R>(n, batch, [&](DeviceRealFft<R>& plan, const Stream& stream) {
    plan.inverse(in, out, batch, stream);
  });
}

template <class R>
void fft_2d(const std::complex<R>* in,
            std::int64_t rows,
            std::int64_t cols,
            spectral::Direction direction,
            std::complex<R>* out) {
  KeptPlans<PlaneFft<R>>::with(
      rows,
      cols,
      DeviceFft<R>::bytes(cols, rows) + DeviceColumnFft<R>::bytes(rows, cols),
      [&](PlaneFft<R>& plan) {
        const Stream stream;
        plan.along.run(in, out, direction, stream);
        plan.down.run(out, direction, stream);
        stream.wait();
      });
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, fft, real_fft, inverse_real_fft, fft_2d)

}  // namespace yupana::python::device
