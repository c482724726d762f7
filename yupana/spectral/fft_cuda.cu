// The conversion of a view to one of constants exists for views of constants too, where it is never
// called; nvcc says so at every instance.
#pragma nv_diag_suppress 554
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "yupana/core/cuda/call_stream.hpp"
#include "yupana/core/cuda/gpu_memory.hpp"
#include "yupana/core/cuda/kept.hpp"
#include "yupana/core/cuda/place.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/spectral/device_fft.hpp"
#include "yupana/spectral/device_real_fft.hpp"
#include "yupana/spectral/fft_backends.hpp"

// Signals in host memory: to the device, as many at once as fit, transformed, and back.
namespace yupana::spectral::cuda {

using namespace yupana::cuda;

namespace {

// Signals whose values lie side by side, and that lie apart, the driver copies by itself.
template <class T>
bool copies_as_rows(const Signals<T>& signals) {
  return signals.stride == 1 && (signals.batch == 1 || signals.distance >= signals.length);
}

template <class T>
void copy_rows(void* to,
               std::int64_t to_pitch,
               const void* from,
               std::int64_t from_pitch,
               std::int64_t length,
               std::int64_t batch,
               cudaStream_t stream) {
  const auto bytes = [](std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(T); };
  yupana::cuda::copy_rows("copy signals",
                          {to, bytes(to_pitch)},
                          {from, bytes(from_pitch)},
                          bytes(length),
                          batch,
                          stream);
}

template <class T>
void to_device(Context& context, Signals<const T> signals, T* values, cudaStream_t stream) {
  const std::int64_t n = signals.length;
  context.count_moved(static_cast<std::uint64_t>(n * signals.batch) * sizeof(T));
  if (copies_as_rows(signals)) {
    copy_rows<T>(values, n, signals.data, std::max(signals.distance, n), n, signals.batch, stream);
    return;
  }
  std::vector<T> packed(static_cast<std::size_t>(n * signals.batch));
  context.parallel_for(signals.batch * n, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; ++at) {
      packed[static_cast<std::size_t>(at)] = signals(at / n, at % n);
    }
  });
  copy_rows<T>(values, n, packed.data(), n, n, signals.batch, stream);
  check(cudaStreamSynchronize(stream), "copy signals");
}

template <class T>
void to_host(Context& context, const T* values, Signals<T> signals, cudaStream_t stream) {
  const std::int64_t n = signals.length;
  context.count_moved(static_cast<std::uint64_t>(n * signals.batch) * sizeof(T));
  if (copies_as_rows(signals)) {
    copy_rows<T>(signals.data, std::max(signals.distance, n), values, n, n, signals.batch, stream);
    check(cudaStreamSynchronize(stream), "copy spectra");
    return;
  }
  std::vector<T> packed(static_cast<std::size_t>(n * signals.batch));
  copy_rows<T>(packed.data(), n, values, n, n, signals.batch, stream);
  check(cudaStreamSynchronize(stream), "copy spectra");
  context.parallel_for(signals.batch * n, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; ++at) {
      signals(at / n, at % n) = packed[static_cast<std::size_t>(at)];
    }
  });
}

template <class T>
Signals<T> part_of(Signals<T> signals, std::int64_t begin, std::int64_t count) {
  return {signals.data + begin * signals.distance,
          signals.length,
          count,
          signals.stride,
          signals.distance};
}

void check_fits(const Context& context, std::uint64_t bytes, const std::string& what) {
  if (bytes <= context.gpu_memory()) return;
  throw gpu_memory_error("an FFT of " + what, static_cast<double>(bytes), context.gpu_memory());
}

/// As many of `batch` signals of n values as fit with what bytes(count) says that they hold.
template <class Bytes>
std::int64_t signals_at_once(const Context& context,
                             std::int64_t n,
                             std::int64_t batch,
                             const Bytes& bytes) {
  std::int64_t count = batch;
  while (count > 1 && bytes(count) > context.gpu_memory()) count = (count + 1) / 2;
  check_fits(context, bytes(count), fmt::format("a signal of {} values", n));
  return count;
}

/// Bytes of values; of complex ones with T = std::complex.
template <class T>
std::uint64_t bytes_of(std::int64_t values) {
  return static_cast<std::uint64_t>(values) * sizeof(T);
}

template <class T>
std::int64_t real_signals_at_once(const Context& context, std::int64_t n, std::int64_t batch) {
  return signals_at_once(context, n, batch, [n](std::int64_t count) {
    return bytes_of<T>(n * count) + bytes_of<std::complex<T>>((n / 2 + 1) * count) +
           DeviceRealFft<T>::bytes(n, count);
  });
}

/// Throws where a matrix of complex values does not fit with its transforms.
template <class T>
void check_matrix_fits(const Context& context,
                       MatrixView<const std::complex<T>> m,
                       std::uint64_t others) {
  check_fits(context,
             bytes_of<std::complex<T>>(m.rows * m.cols) + others +
                 DeviceColumnFft<T>::bytes(m.rows, m.cols),
             fmt::format("a matrix of {} x {} values", m.rows, m.cols));
}

template <class T>
Signals<T> rows_of(MatrixView<T> m) {
  return {m.data, m.cols, m.rows, 1, std::max(m.stride, m.cols)};
}

template <class T>
void check_dense(const Signals<T>& signals) {
  if (signals.stride == 1 && (signals.batch == 1 || signals.distance == signals.length)) return;
  throw Error(ErrorCode::usage,
              "fft: expected signals one after the other without gaps in the memory of a GPU");
}

/// use(plan, stream) of a kept plan for signals that are on a device.
template <class Plan, class Use>
void with_kept(const Context& context, int device, std::int64_t a, std::int64_t b, const Use& use) {
  const DeviceScope scope(device);
  const CallStream stream(context);
  const auto make = [&] { return std::make_unique<Plan>(a, b); };
  yupana::cuda::Kept<Plan>::with(stream, {a, b}, make, [&](Plan& plan) {
    use(plan, stream);
    return Plan::bytes(a, b);
  });
  stream.finish();
}

template <class T>
struct PlaneFft {
  PlaneFft(std::int64_t rows, std::int64_t cols)
      : along(cols, rows, {FftLibrary::own}), down(rows, cols) {}
  static std::uint64_t bytes(std::int64_t rows, std::int64_t cols) {
    return DeviceFft<T>::bytes(cols, rows) + DeviceColumnFft<T>::bytes(rows, cols);
  }

  DeviceFft<T> along;
  DeviceColumnFft<T> down;
};

}  // namespace

template <class T>
void fft(Context& context,
         Signals<const std::complex<T>> in,
         Signals<std::complex<T>> out,
         Direction direction,
         const FftParams& params) {
  if (const int device = yupana::cuda::device_of(context, in.data); device >= 0) {
    check_dense(in), check_dense(out);
    const auto run = [&](DeviceFft<T>& plan, cudaStream_t stream) {
      plan.run(in.data, out.data, direction, stream);
    };
    if (params.library == FftLibrary::automatic) {
      return with_kept<DeviceFft<T>>(context, device, in.length, in.batch, run);
    }
    const DeviceScope scope(device);
    const CallStream stream(context);
    DeviceFft<T> transform(in.length, in.batch, params);
    run(transform, stream);
    return stream.wait();
  }
  const DeviceScope scope(context.devices().front());
  const std::int64_t n = in.length;
  const std::int64_t most = signals_at_once(context, n, in.batch, [n](std::int64_t count) {
    return bytes_of<std::complex<T>>(n * count) + DeviceFft<T>::bytes(n, count);
  });
  const Stream stream;
  DeviceArray<std::complex<T>> values(n * most);
  // Copies take longer than transforms: cuFFT only on request.
  const bool requested = params.library == FftLibrary::cufft;
  DeviceFft<T> transform(n, most, {requested ? FftLibrary::cufft : FftLibrary::own});
  for (std::int64_t begin = 0; begin < in.batch; begin += most) {
    context.check_cancelled();
    const std::int64_t count = std::min(most, in.batch - begin);
    to_device(context, part_of(in, begin, count), values.data(), stream);
    transform.run(values.data(), values.data(), count, direction, stream);
    to_host(context, values.data(), part_of(out, begin, count), stream);
  }
}

template <class T>
void fft_real(Context& context, Signals<const T> in, Signals<std::complex<T>> out) {
  if (const int device = yupana::cuda::device_of(context, in.data); device >= 0) {
    check_dense(in), check_dense(out);
    using Plan = DeviceRealFft<T>;
    return with_kept<Plan>(
        context, device, in.length, in.batch, [&](Plan& plan, const auto& stream) {
          // A view may begin between two complex numbers, which pairs of values are read as.
          DeviceArray<T> aligned;
          const bool fits =
              reinterpret_cast<std::uintptr_t>(in.data) % sizeof(std::complex<T>) == 0;
          if (!fits) {
            aligned = DeviceArray<T>(in.length * in.batch);
            copy_rows<T>(
                aligned.data(), in.length, in.data, in.length, in.length, in.batch, stream);
          }
          plan.forward(fits ? in.data : aligned.data(), out.data, in.batch, stream);
          if (!fits) stream.wait();  // before the copy goes
        });
  }
  const DeviceScope scope(context.devices().front());
  const std::int64_t n = in.length;
  const std::int64_t most = real_signals_at_once<T>(context, n, in.batch);
  const Stream stream;
  DeviceArray<T> values(n * most);
  DeviceArray<std::complex<T>> spectra(out.length * most);
  DeviceRealFft<T> transform(n, most);
  for (std::int64_t begin = 0; begin < in.batch; begin += most) {
    context.check_cancelled();
    const std::int64_t count = std::min(most, in.batch - begin);
    to_device(context, part_of(in, begin, count), values.data(), stream);
    transform.forward(values.data(), spectra.data(), count, stream);
    to_host(context, spectra.data(), part_of(out, begin, count), stream);
  }
}

template <class T>
void inverse_fft_real(Context& context, Signals<const std::complex<T>> in, Signals<T> out) {
  if (const int device = yupana::cuda::device_of(context, in.data); device >= 0) {
    check_dense(in), check_dense(out);
    using Plan = DeviceRealFft<T>;
    return with_kept<Plan>(
        context, device, out.length, in.batch, [&](Plan& plan, cudaStream_t stream) {
          plan.inverse(in.data, out.data, in.batch, stream);
        });
  }
  const DeviceScope scope(context.devices().front());
  const std::int64_t n = out.length;
  const std::int64_t most = real_signals_at_once<T>(context, n, in.batch);
  const Stream stream;
  DeviceArray<T> values(n * most);
  DeviceArray<std::complex<T>> spectra(in.length * most);
  DeviceRealFft<T> transform(n, most);
  for (std::int64_t begin = 0; begin < in.batch; begin += most) {
    context.check_cancelled();
    const std::int64_t count = std::min(most, in.batch - begin);
    to_device(context, part_of(in, begin, count), spectra.data(), stream);
    transform.inverse(spectra.data(), values.data(), count, stream);
    to_host(context, values.data(), part_of(out, begin, count), stream);
  }
}

template <class T>
void fft_2d(Context& context,
            MatrixView<const std::complex<T>> in,
            MatrixView<std::complex<T>> out,
            Direction direction) {
  if (const int device = yupana::cuda::device_of(context, in.data); device >= 0) {
    check_dense(rows_of(in)), check_dense(rows_of(out));
    return with_kept<PlaneFft<T>>(
        context, device, in.rows, in.cols, [&](PlaneFft<T>& plan, cudaStream_t stream) {
          plan.along.run(in.data, out.data, direction, stream);
          plan.down.run(out.data, direction, stream);
        });
  }
  const DeviceScope scope(context.devices().front());
  const Stream stream;
  check_matrix_fits<T>(context, in, DeviceFft<T>::bytes(in.cols, in.rows));
  DeviceArray<std::complex<T>> values(in.rows * in.cols);
  to_device(context, rows_of(in), values.data(), stream);
  DeviceFft<T> rows(in.cols, in.rows, {FftLibrary::own});
  rows.run(values.data(), values.data(), direction, stream);
  DeviceColumnFft<T> columns(in.rows, in.cols);
  columns.run(values.data(), direction, stream);
  to_host(context, values.data(), rows_of(out), stream);
}

template <class T>
void fft_real_2d(Context& context, MatrixView<const T> in, MatrixView<std::complex<T>> out) {
  const DeviceScope scope(context.devices().front());
  const Stream stream;
  check_matrix_fits<T>(
      context, out, bytes_of<T>(in.rows * in.cols) + DeviceRealFft<T>::bytes(in.cols, in.rows));
  DeviceArray<T> values(in.rows * in.cols);
  DeviceArray<std::complex<T>> spectra(out.rows * out.cols);
  to_device(context, rows_of(in), values.data(), stream);
  DeviceRealFft<T> rows(in.cols, in.rows);
  rows.forward(values.data(), spectra.data(), in.rows, stream);
  DeviceColumnFft<T> columns(out.rows, out.cols);
  columns.run(spectra.data(), Direction::forward, stream);
  to_host(context, spectra.data(), rows_of(out), stream);
}

template <class T>
void inverse_fft_real_2d(Context& context,
                         MatrixView<const std::complex<T>> in,
                         MatrixView<T> out) {
  const DeviceScope scope(context.devices().front());
  const Stream stream;
  check_matrix_fits<T>(
      context, in, bytes_of<T>(out.rows * out.cols) + DeviceRealFft<T>::bytes(out.cols, out.rows));
  DeviceArray<T> values(out.rows * out.cols);
  DeviceArray<std::complex<T>> spectra(in.rows * in.cols);
  to_device(context, rows_of(in), spectra.data(), stream);
  DeviceColumnFft<T> columns(in.rows, in.cols);
  columns.run(spectra.data(), Direction::inverse, stream);
  DeviceRealFft<T> rows(out.cols, out.rows);
  rows.inverse(spectra.data(), values.data(), out.rows, stream);
  to_host(context, values.data(), rows_of(out), stream);
}

YUPANA_FUNCTIONS(
    YUPANA_FLOATS, fft, fft_real, inverse_fft_real, fft_2d, fft_real_2d, inverse_fft_real_2d)

}  // namespace yupana::spectral::cuda
