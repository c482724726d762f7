#pragma once

#include <complex>
#include <cstdint>
#include <memory>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::spectral {

enum class Direction {
  forward,  ///< X[k] = sum over j of x[j] e^(-2 pi i j k / n)
  inverse,  ///< x[j] = 1/n sum over k of X[k] e^(+2 pi i j k / n): undoes forward
};

/// Whose kernels transform on a GPU. Both keep the error bound; bits differ between them.
enum class FftLibrary {
  automatic,  ///< arrays in device memory (device_fft.hpp): cuFFT for the shapes for which it was
              ///< measured ahead, where it is installed; arrays in host memory, whose way to the
              ///< device takes longer than any transform: own
  own,
  cufft,  ///< an error (device) where it is not installed
};

struct FftParams {
  FftLibrary library = FftLibrary::automatic;  ///< of the CUDA backend; others have but their own
};

/// As cuFFT counts: 12100 for 12.1; 0 where it is not installed or this build has no CUDA.
int cufft_version();

/// Where `batch` signals of `length` values lie: value j of signal b at data[b * distance + j *
/// stride]. Does not own.
template <class T>
struct Signals {
  T* data = nullptr;
  std::int64_t length = 0;
  std::int64_t batch = 1;
  std::int64_t stride = 1;
  std::int64_t distance = 0;  ///< between the first values of two signals

  Signals() = default;
  /// One signal, or several one after the other.
  Signals(T* data_, std::int64_t length_, std::int64_t batch_ = 1)
      : Signals(data_, length_, batch_, 1, length_) {}
  Signals(T* data_,
          std::int64_t length_,
          std::int64_t batch_,
          std::int64_t stride_,
          std::int64_t distance_)
      : data(data_), length(length_), batch(batch_), stride(stride_), distance(distance_) {}
  /// A view of mutable values reads as a view of constants.
  operator Signals<const T>() const { return {data, length, batch, stride, distance}; }

  T& operator()(std::int64_t b, std::int64_t j) const { return data[b * distance + j * stride]; }
};

/// Discrete Fourier transform of every signal, of any length >= 1. `out` has the shape of `in`; it
/// is `in` (same data and layout) or does not overlap it.
///   place: the host; but for fft_real_2d and its inverse also the memory of a GPU of the context,
///   signals one after the other without gaps; queued on ContextParams::gpu_stream
///   error: relative L2 error <= 3e-7 log2 n (float), 1e-15 log2 n (double), measured against a
///   transform in long double; lengths 2^a 3^b 5^c 7^d by mixed radix, others by Bluestein's
///   convolution
///   work: O(n log n) for any n; memory: as much as one signal at most, none for a long one of 2^k
///   values from one array to another, Bluestein 4 to 6 times that
///   determinism: the same bits for any number of threads; another backend or another SIMD width
///   stays within the error bound
///   errors (bad_input): a length below 1, a negative batch, shapes that differ, overlapping views;
///   params.library is cufft and the backend is not CUDA. device: cuFFT is not installed
void fft(Context& context,
         Signals<const std::complex<float>> in,
         Signals<std::complex<float>> out,
         Direction direction = Direction::forward,
         const FftParams& params = {});
void fft(Context& context,
         Signals<const std::complex<double>> in,
         Signals<std::complex<double>> out,
         Direction direction = Direction::forward,
         const FftParams& params = {});

/// Forward transform of real signals of length n: the n/2 + 1 values X[0..n/2] of each (n/2 rounded
/// down); the others are X[n - k] = conj(X[k]). out.length = n/2 + 1, out.batch = in.batch. `out`
/// does not overlap `in`. Error, determinism and errors as fft().
void fft_real(Context& context, Signals<const float> in, Signals<std::complex<float>> out);
void fft_real(Context& context, Signals<const double> in, Signals<std::complex<double>> out);

/// Undoes fft_real(): n = out.length real values from in.length = n/2 + 1 complex ones, scaled by
/// 1/n. The imaginary parts of X[0], and of X[n/2] for even n, are taken as 0. Leaves `in` as it
/// is.
void inverse_fft_real(Context& context, Signals<const std::complex<float>> in, Signals<float> out);
void inverse_fft_real(Context& context,
                      Signals<const std::complex<double>> in,
                      Signals<double> out);

/// Two-dimensional transform: along rows and along columns; inverse scaled by 1/(rows cols). `out`
/// has the shape of `in`; it is `in` or does not overlap it. Otherwise as fft().
void fft_2d(Context& context,
            MatrixView<const std::complex<float>> in,
            MatrixView<std::complex<float>> out,
            Direction direction = Direction::forward);
void fft_2d(Context& context,
            MatrixView<const std::complex<double>> in,
            MatrixView<std::complex<double>> out,
            Direction direction = Direction::forward);

/// The same of a real matrix: rows x (cols/2 + 1) values, the half that says all.
void fft_real_2d(Context& context, MatrixView<const float> in, MatrixView<std::complex<float>> out);
void fft_real_2d(Context& context,
                 MatrixView<const double> in,
                 MatrixView<std::complex<double>> out);
/// Undoes fft_real_2d(): out is rows x cols, in rows x (cols/2 + 1).
void inverse_fft_real_2d(Context& context,
                         MatrixView<const std::complex<float>> in,
                         MatrixView<float> out);
void inverse_fft_real_2d(Context& context,
                         MatrixView<const std::complex<double>> in,
                         MatrixView<double> out);

namespace cpu {
template <class T>
class SignalPlan;
template <class T>
class RealSignalPlan;
}  // namespace cpu

/// fft() of signals of one length, executed many times: the first execution on a CPU makes tables
/// and scratch memory, which stay. fft() itself keeps plans of its last lengths (32 MiB in all for
/// each type), so that a plan saves it looking them up, and the scratch memory of long signals.
///   FftPlan<float> plan(1024);
///   plan.execute(context, in, out);
/// The same bits as fft(). A copy shares the tables. Several threads may execute one plan, each
/// with a context of its own. On the reference and CUDA backends nothing is kept: execute() is
/// fft(); device arrays have plans of their own (device_fft.hpp).
///   memory: up to 6 signals, or 20 kB if that is more; Bluestein 12 to 16; errors as fft(), and
///   bad_input for views of another length
template <class T>
class FftPlan {
 public:
  explicit FftPlan(std::int64_t length);
  std::int64_t length() const { return length_; }
  /// Bytes of tables and scratch memory at present.
  std::uint64_t bytes() const;
  void execute(Context& context,
               Signals<const std::complex<T>> in,
               Signals<std::complex<T>> out,
               Direction direction = Direction::forward) const;
  /// One signal, `out` being `in` or apart: without a look at strides and batches, which takes as
  /// long as a transform of 64 values.
  void execute(Context& context,
               const std::complex<T>* in,
               std::complex<T>* out,
               Direction direction = Direction::forward) const;

 private:
  std::int64_t length_;
  std::shared_ptr<cpu::SignalPlan<T>> kept_;
};

/// The same for fft_real() and inverse_fft_real(); `length` counts the real values.
template <class T>
class RealFftPlan {
 public:
  explicit RealFftPlan(std::int64_t length);
  std::int64_t length() const { return length_; }
  std::uint64_t bytes() const;
  void forward(Context& context, Signals<const T> in, Signals<std::complex<T>> out) const;
  void inverse(Context& context, Signals<const std::complex<T>> in, Signals<T> out) const;
  /// One signal: `length` real values, length/2 + 1 complex ones.
  void forward(Context& context, const T* in, std::complex<T>* out) const;
  void inverse(Context& context, const std::complex<T>* in, T* out) const;

 private:
  std::int64_t length_;
  std::shared_ptr<cpu::RealSignalPlan<T>> kept_;
};

}  // namespace yupana::spectral
