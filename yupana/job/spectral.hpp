#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "yupana/core/context.hpp"
#include "yupana/spectral/fft.hpp"

namespace yupana::job {

struct FftFileParams {
  std::string in;
  std::string out;  ///< .npy, or text for any other name
  bool inverse = false;
  bool real = false;        ///< real numbers and the half of their spectrum that says all
  bool two_d = false;       ///< along both axes of a matrix
  std::optional<int> axis;  ///< of a matrix: 0 along columns, 1 along rows, which is the default
  bool odd = false;         ///< inverse and real: an odd number of real values comes out
  spectral::FftLibrary library =
      spectral::FftParams{}.library;  ///< cufft: complex numbers along one axis only
};

/// How a file was worked on, for reports.
struct SpectralFileResult {
  std::int64_t rows = 1;
  std::int64_t cols = 0;
  bool matrix = false;
  std::string type;        ///< of the output: c16, f8, ...
  double error_bound = 0;  ///< of a real polynomial product
};

/// The Fourier transform of a file of signals (io::SignalFile), in memory: float32 and complex64 in
/// single precision, everything else in double.
///   errors (bad_input): no numbers; complex ones with `real`; a vector where a
///   matrix is needed; what io::SignalFile refuses. usage: an axis of a vector, of both axes, or
///   that there is not; cuFFT for real numbers or both axes, or without a GPU. out_of_resources,
///   before the work: more bytes than the context's memory
///   A NaN or an infinite number makes all values of its signal's transform NaN.
SpectralFileResult fft_file(Context& context, const FftFileParams& params);

enum class PolymulKind { automatic, exact, real };

struct PolymulFileParams {
  std::string a;
  std::string b;
  std::string out;
  PolymulKind kind = PolymulKind::automatic;  ///< exact where both files hold integers
  std::string digits;  ///< decimal, hex, binary: each file is one integer in digits; empty: arrays
};

/// The product of two polynomials (columns of coefficients, lowest degree first) or, with `digits`,
/// of two integers.
///   errors (bad_input): what io::ColumnReader and spectral::polymul_exact refuse; usage: digits,
///   which are text, into a .npy; out_of_resources, before the work: more bytes than the context's
///   memory
SpectralFileResult polymul_file(Context& context, const PolymulFileParams& params);

}  // namespace yupana::job
