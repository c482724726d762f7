#include "yupana/spectral/fft.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "yupana/core/messages.hpp"
#include "yupana/io/signal_file.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/spectral.hpp"
#include "yupana/spectral/scratch_bytes.hpp"

namespace yupana::job {
namespace {

using io::SignalArray;
using spectral::Direction;
using spectral::Signals;

template <class T>
std::complex<T>* complexes(SignalArray<T>& signals) {
  return reinterpret_cast<std::complex<T>*>(signals.numbers.data());
}

/// The signals of an array along an axis.
template <class V, class T>
Signals<V> along(V* data, const SignalArray<T>& signals, bool columns) {
  if (columns) return {data, signals.rows, signals.cols, signals.cols, 1};
  return {data, signals.cols, signals.rows};
}

template <class T>
SignalArray<T> shaped_as(const SignalArray<T>& in,
                         bool complex,
                         std::int64_t rows,
                         std::int64_t cols) {
  SignalArray<T> out;
  out.complex = complex;
  out.matrix = in.matrix;
  out.rows = rows;
  out.cols = cols;
  out.numbers = Array<T>(rows * cols * (complex ? 2 : 1));
  return out;
}

template <class T>
SignalArray<T> widened(Context& context, SignalArray<T> in) {
  if (in.complex) return in;
  SignalArray<T> out = shaped_as(in, true, in.rows, in.cols);
  context.parallel_for(in.count(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t i = begin; i < end; ++i) {
      out.numbers[2 * i] = in.numbers[i];
      out.numbers[2 * i + 1] = 0;
    }
  });
  return out;
}

template <class T>
SignalArray<T> complex_transform(Context& context,
                                 SignalArray<T> signals,
                                 const FftFileParams& params) {
  signals = widened(context, std::move(signals));
  const Direction direction = params.inverse ? Direction::inverse : Direction::forward;
  auto* const data = complexes(signals);
  if (params.two_d) {
    const MatrixView<std::complex<T>> matrix(data, signals.rows, signals.cols);
    spectral::fft_2d(context, matrix, matrix, direction);
  } else {
    const auto view = along(data, signals, params.axis == 0 && signals.matrix);
    spectral::fft(context, view, view, direction, {params.library});
  }
  return signals;
}

/// Largest real or imaginary part.
template <class T>
T largest_part(const Signals<const std::complex<T>>& spectra, std::int64_t signal) {
  T most = 0;
  for (std::int64_t k = 0; k < spectra.length; ++k) {
    const std::complex<T> value = spectra(signal, k);
    most = std::max({most, std::abs(value.real()), std::abs(value.imag())});
  }
  return most;
}

/// Notes what the inverse of a real transform leaves out, beyond rounding: the spectrum of real
/// numbers is real in its first value and, of an even length, in its last; that of a matrix has in
/// these columns the conjugate at the opposite frequency.
template <class T>
void note_dropped(Context& context,
                  const FftFileParams& params,
                  const Signals<const std::complex<T>>& spectra) {
  T most = 0;  // of a matrix, whose rows are one signal
  for (std::int64_t b = 0; params.two_d && b < spectra.batch; ++b) {
    most = std::max(most, largest_part(spectra, b));
  }
  std::int64_t dropped = 0;
  for (std::int64_t b = 0; b < spectra.batch; ++b) {
    context.check_cancelled();
    const T size = params.two_d ? most : largest_part(spectra, b);
    const std::int64_t opposite = params.two_d && b > 0 ? spectra.batch - b : b;
    const auto is_dropped = [&](std::int64_t k) {
      return std::abs(spectra(b, k) - std::conj(spectra(opposite, k))) >
             64 * std::numeric_limits<T>::epsilon() * size;
    };
    if (is_dropped(0) || (!params.odd && is_dropped(spectra.length - 1))) ++dropped;
  }
  if (dropped == 0) return;
  context.note(fmt::format(
      "fft: {}: {} of {} with imaginary parts in the first value{}, which no spectrum of real "
      "numbers has; they are left out",
      params.in,
      dropped,
      counted(spectra.batch, params.two_d ? "row" : "signal"),
      params.odd ? "" : " or the last"));
}

template <class T>
SignalArray<T> real_transform(Context& context, SignalArray<T> in, const FftFileParams& params) {
  const bool columns = params.axis == 0 && in.matrix && !params.two_d;
  const std::int64_t length = columns ? in.rows : in.cols;
  if (params.inverse) {
    in = widened(context, std::move(in));
    const std::int64_t n = 2 * (length - 1) + (params.odd ? 1 : 0);
    if (n < 1) {
      throw bad_file(params.in,
                     "expected at least 2 values of a spectrum, got 1; of one number, add --odd");
    }
    SignalArray<T> out = shaped_as(in, false, columns ? n : in.rows, columns ? in.cols : n);
    T* const data = out.numbers.data();
    const std::complex<T>* const from = complexes(in);
    note_dropped<T>(context, params, along(from, in, columns));
    if (params.two_d) {
      spectral::inverse_fft_real_2d(context,
                                    MatrixView<const std::complex<T>>(from, in.rows, in.cols),
                                    MatrixView<T>(data, out.rows, out.cols));
    } else {
      spectral::inverse_fft_real(context, along(from, in, columns), along(data, out, columns));
    }
    return out;
  }
  if (in.complex) {
    throw bad_file(params.in, "holds complex numbers; leave --real out, or save real ones");
  }
  const std::int64_t half = length / 2 + 1;
  SignalArray<T> out = shaped_as(in, true, columns ? half : in.rows, columns ? in.cols : half);
  const T* const from = in.numbers.data();
  auto* const data = complexes(out);
  if (params.two_d) {
    spectral::fft_real_2d(context,
                          MatrixView<const T>(from, in.rows, in.cols),
                          MatrixView<std::complex<T>>(data, out.rows, out.cols));
  } else {
    spectral::fft_real(context, along(from, in, columns), along(data, out, columns));
  }
  return out;
}

struct Extents {
  bool complex = false;
  std::int64_t rows = 1;
  std::int64_t cols = 0;
};

/// Bytes that the transform of signals in memory holds at most, theirs and the result's included.
template <class T>
std::uint64_t transform_bytes(const Context& context,
                              const Extents& in,
                              bool matrix,
                              const FftFileParams& params) {
  if (in.rows == 0 || in.cols == 0) return 0;
  const auto bytes_of = [](bool complex, std::int64_t rows, std::int64_t cols) {
    return static_cast<std::uint64_t>(rows * cols) * sizeof(T) * (complex ? 2 : 1);
  };
  const bool columns = params.axis == 0 && matrix && !params.two_d;
  const std::int64_t length = columns ? in.rows : in.cols;
  const std::int64_t batch = columns ? in.cols : in.rows;
  const std::uint64_t own = bytes_of(in.complex, in.rows, in.cols);
  const std::uint64_t complex = bytes_of(true, in.rows, in.cols);
  const std::uint64_t widening = in.complex ? own : own + complex;
  const std::uint64_t down =
      params.two_d ? spectral::fft_scratch_bytes<T>(context, {in.rows, in.cols, true}) : 0;
  if (!params.real) {
    const std::uint64_t along = spectral::fft_scratch_bytes<T>(context, {length, batch, columns});
    return std::max(widening, complex + std::max(along, down));
  }
  const std::int64_t odd = params.odd ? 1 : 0;
  const std::int64_t n = params.inverse ? 2 * (length - 1) + odd : length;
  const std::int64_t others = params.inverse ? std::max<std::int64_t>(n, 1) : length / 2 + 1;
  const std::uint64_t out =
      bytes_of(!params.inverse, columns ? others : in.rows, columns ? in.cols : others);
  const std::uint64_t along = spectral::real_fft_scratch_bytes<T>(
      context, {std::max<std::int64_t>(n, 1), batch, columns}, params.inverse);
  if (!params.inverse) return own + out + std::max(along, down);
  const std::uint64_t half = params.two_d && context.backend() != Backend::cuda ? complex : 0;
  return std::max(widening, complex + out + half + std::max(along, down));
}

template <class T>
std::int64_t count_not_finite(const SignalArray<T>& signals) {
  return std::count_if(signals.numbers.begin(), signals.numbers.end(), [](T value) {
    return !std::isfinite(value);
  });
}

template <class T>
SpectralFileResult transform(Context& context,
                             const io::SignalFile& file,
                             const FftFileParams& params) {
  const std::string name = "fft: " + params.in;
  const auto bytes_of = [&](const io::SignalFile::Shape& shape) {
    return transform_bytes<T>(
        context, {shape.complex, shape.rows, shape.cols}, shape.matrix, params);
  };
  if (file.shape()) {
    check_memory(context, name, std::max(file.read_bytes<T>(), bytes_of(*file.shape())));
  }
  SignalArray<T> signals;
  {
    Stage stage(context, "read");
    signals = file.read<T>(context, bytes_of);
  }
  if (signals.count() == 0) throw bad_file(params.in, "expected at least one number, got none");
  if (params.axis && !signals.matrix) {
    throw usage_error("fft: --axis {} is for matrices, and {} holds one signal; leave it out",
                      *params.axis,
                      params.in);
  }
  if (params.two_d && !signals.matrix) {
    throw usage_error("fft: --2d is for matrices, and {} holds one signal; leave it out",
                      params.in);
  }
  io::check_signals_fit(params.out, signals.matrix);
  const std::uint64_t bytes = transform_bytes<T>(
      context, {signals.complex, signals.rows, signals.cols}, signals.matrix, params);
  check_memory(context, name, bytes);
  const bool finite_before = count_not_finite(signals) == 0;
  {
    Stage stage(context, "transform", static_cast<double>(signals.count()), "numbers");
    signals = params.real ? real_transform(context, std::move(signals), params)
                          : complex_transform(context, std::move(signals), params);
    stage.advance(static_cast<double>(signals.count()));
  }
  if (const std::int64_t none = count_not_finite(signals); none > 0) {
    context.note(fmt::format(
        "fft: {} of {} {} inf or nan: {}",
        none,
        counted(signals.numbers.size(), "real number"),
        none == 1 ? "is" : "are",
        finite_before ? fmt::format("sums of {} are beyond what f{} holds", params.in, sizeof(T))
                      : fmt::format("{} holds inf or nan", params.in)));
  }
  Stage stage(context, "write");
  AtomicFile out(params.out);
  io::write_signals(context, out, signals);
  out.commit();
  const int width = static_cast<int>(sizeof(T)) * (signals.complex ? 2 : 1);
  return {signals.rows,
          signals.cols,
          signals.matrix,
          fmt::format("{}{}", signals.complex ? 'c' : 'f', width)};
}

}  // namespace

SpectralFileResult fft_file(Context& context, const FftFileParams& params) {
  check_column_name(params.out, !(params.real && params.inverse));
  if (params.axis && *params.axis != 0 && *params.axis != 1) {
    throw usage_error("fft: --axis: expected 0 (along columns) or 1 (along rows), got {}",
                      *params.axis);
  }
  if (params.odd && !(params.real && params.inverse)) {
    throw usage_error(
        "fft: --odd says how many real values come out; it goes with --real --inverse");
  }
  if (params.axis && params.two_d) {
    throw usage_error("fft: --2d goes along both axes, --axis along one; leave one of them out");
  }
  if (params.library == spectral::FftLibrary::cufft && context.backend() != Backend::cuda) {
    throw usage_error(
        "fft: --library cufft works on a GPU; give --device cuda, or leave --library out");
  }
  if (params.library == spectral::FftLibrary::cufft && (params.real || params.two_d)) {
    throw usage_error(
        "fft: --library cufft is for complex numbers along one axis; leave out --real and --2d, or "
        "--library");
  }
  const io::SignalFile file(params.in);
  return file.single() ? transform<float>(context, file, params)
                       : transform<double>(context, file, params);
}

}  // namespace yupana::job
