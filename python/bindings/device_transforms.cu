#include "python/bindings/device_transforms.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/spectral/device_real_fft.hpp"

namespace yupana::python::device {

using spectral::cuda::DeviceColumnFft;
using spectral::cuda::DeviceFft;
using spectral::cuda::DeviceRealFft;
using yupana::cuda::Stream;

template <class R>
void real_fft(const R* in, std::int64_t n, std::int64_t batch, std::complex<R>* out) {
  const Stream stream;
  // A view may begin between two complex numbers, which pairs of values are read as.
  yupana::cuda::DeviceArray<R> aligned;
  if (reinterpret_cast<std::uintptr_t>(in) % sizeof(std::complex<R>) != 0) {
    aligned = yupana::cuda::DeviceArray<R>(n * batch);
    yupana::cuda::check(
        cudaMemcpyAsync(aligned.data(), in, aligned.bytes(), cudaMemcpyDeviceToDevice, stream),
        "copy signals");
    in = aligned.data();
  }
  DeviceRealFft<R> plan(n, batch);
  plan.forward(in, out, batch, stream);
  stream.wait();
}

template <class R>
void inverse_real_fft(const std::complex<R>* in, std::int64_t n, std::int64_t batch, R* out) {
  const Stream stream;
  DeviceRealFft<R> plan(n, batch);
  plan.inverse(in, out, batch, stream);
  stream.wait();
}

template <class R>
void fft_2d(const std::complex<R>* in,
            std::int64_t rows,
            std::int64_t cols,
            spectral::Direction direction,
            std::complex<R>* out) {
  const Stream stream;
  DeviceFft<R> along(cols, rows, {spectral::FftLibrary::own});
  DeviceColumnFft<R> down(rows, cols);
  along.run(in, out, direction, stream);
  down.run(out, direction, stream);
  stream.wait();
}

template void real_fft(const float*, std::int64_t, std::int64_t, std::complex<float>*);
template void real_fft(const double*, std::int64_t, std::int64_t, std::complex<double>*);
template void inverse_real_fft(const std::complex<float>*, std::int64_t, std::int64_t, float*);
template void inverse_real_fft(const std::complex<double>*, std::int64_t, std::int64_t, double*);
template void fft_2d(const std::complex<float>*,
                     std::int64_t,
                     std::int64_t,
                     spectral::Direction,
                     std::complex<float>*);
template void fft_2d(const std::complex<double>*,
                     std::int64_t,
                     std::int64_t,
                     spectral::Direction,
                     std::complex<double>*);

}  // namespace yupana::python::device
