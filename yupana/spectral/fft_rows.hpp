#pragma once

#include <cstdint>
#include <vector>

#include "yupana/spectral/fft_plan.hpp"

/// The SIMD part of the CPU's FFT: transforms over rows, one signal a lane. A row of a buffer is a
/// vector of real parts and a vector of imaginary parts; L lanes each.
namespace yupana::spectral::cpu {

/// Four-step twiddles of a block of columns j0 .. j0 + L - 1: row k of column j is multiplied by
/// w^(j k), w = e^(-2 pi i / n), k = base + q m: w^(j0 base) w^(l base) w^(j0 q m) w^(l q m).
template <class T>
struct StepTwiddles {
  const RootTable* roots = nullptr;
  const T* of_base = nullptr;  ///< [group of the last pass][re, im][lane]: w^(l base), l its place
  const T* of_q = nullptr;     ///< [q][re, im][lane]: w^(l q m)
  std::int64_t order = 0;      ///< n
};

/// Where the last pass puts its rows.
enum class Sink {
  rows,      ///< row k at out + k * 2L: parts apart
  tiles,     ///< row k, times its twiddle, at out + (k / L) * tile_stride + (k % L) * stride
  complexes  ///< row k at out + k * stride: L complex numbers, scaled
};

template <class T>
struct RowJob {
  const RowPlan<T>* plan = nullptr;
  T* buffer = nullptr;         ///< plan->rows rows; the input where `in` is null
  const T* in = nullptr;       ///< row j at in + j * in_stride: L complex numbers
  std::int64_t in_stride = 0;  ///< in numbers of T, as all strides
  T in_sign = 1;               ///< of the imaginary parts read from `in`
  Sink sink = Sink::rows;
  T* out = nullptr;
  std::int64_t out_stride = 0;
  std::int64_t tile_stride = 0;  ///< of tiles
  bool is_far = false;           ///< `in` is beyond the second-level cache and fetched ahead
  bool past_cache = false;  ///< of tiles and complexes: every row lies on whole lines of 64 bytes
                            ///< and is not read soon; written around the cache
  T scale = 1;              ///< of complexes: real parts
  T scale_imaginary = 1;    ///< of complexes: imaginary parts
  /// Multiplied in, or null: of complexes, laid out as they are; of rows, as rows in the order in
  /// which they are made, but of the first, which is not multiplied.
  const T* factors = nullptr;
  StepTwiddles<T> twiddles;       ///< of tiles
  std::int64_t first_column = 0;  ///< of tiles: j0
};

template <class T>
struct ShortJob {
  std::int64_t length = 0;
  std::int64_t begin = 0, end = 0;  ///< groups of L places, unless whole
  const T* in = nullptr;
  T in_sign = 1;
  /// [group of lanes][q - 1][re, im][lane]: w^(j q), j that of the value in the lane; of composite,
  /// the q in the order of the last pass
  const T* twiddles = nullptr;
  const T* row_twiddles = nullptr;  ///< of whole: those of RowPlan(length / radix)
  T* out = nullptr;  ///< whole: the complex result; else radix / L blocks of length / radix rows
  const RowPlan<T>* first = nullptr;  ///< of composite: the passes of its radix
  T* scratch = nullptr;   ///< of composite: `radix` rows, and again as many up to a multiple of L
  T scale = 1;            ///< of whole: real parts
  T scale_imaginary = 1;  ///< of whole: imaginary parts
};

/// How one signal that fits the cache is transformed: its first pass over vectors of neighbours.
template <class T>
struct ShortShape {
  int lanes = 0;           ///< of those vectors; 0: not this way
  int radix = 0;           ///< of that pass
  bool whole = false;      ///< the other passes as well
  bool composite = false;  ///< the radix takes passes of its own, or is no multiple of the lanes
  void (*pass)(const ShortJob<T>& job) = nullptr;
  void (*rest)(const RowJob<T>& job) = nullptr;  ///< the passes over rows of as many lanes
  std::vector<std::int64_t> places;  ///< of the lanes of those vectors: see RowFunctions
};

/// out[j] = x[j] y[j], with x's imaginary parts times `sign`, scaled; `count` complex numbers. out
/// may be x.
template <class T>
struct ProductJob {
  const T* x = nullptr;
  const T* y = nullptr;
  T* out = nullptr;
  T sign = 1;
  T scale = 1;
  T scale_imaginary = 1;
};
/// Between the transform Z of h = n/2 complex values and the spectrum X of n real ones, in place:
///   X[k] = E + t, X[h-k] = conj(E - t), E = (Z[k] + conj Z[h-k]) / 2,
///   t = -i w^k (Z[k] - conj Z[h-k]) / 2, w = e^(-2 pi i / n); back with the conjugate factor.
template <class T>
struct HalfSpectrumJob {
  T* values = nullptr;
  std::int64_t half_length = 0;  ///< h
  bool inverse = false;
  const RootTable* roots = nullptr;  ///< of order n
  const T* lane_roots = nullptr;     ///< [re, im][lane]: w^l, l its place
  const T* table = nullptr;          ///< [group][re, im][lane]: w^(1 + group L + l); null: none
};

/// Tiles `distance` numbers apart, whose rows lie `stride` apart.
template <class T>
struct TileColumn {
  const T* data = nullptr;
  std::int64_t count = 0;
  std::int64_t distance = 0;
  std::int64_t stride = 0;
  bool is_far = false;  ///< beyond the second-level cache, fetched ahead
};

/// The functions of this processor's vectors.
template <class T>
struct RowFunctions {
  std::int64_t lanes;  ///< L
  int max_radix;       ///< of a pass
  /// Lane l of a row holds the signal or column, of L in memory, places[l].
  std::vector<std::int64_t> places;
  std::vector<std::int64_t> lane_of;  ///< of a place its lane
  void (*transform)(const RowJob<T>& job);
  ShortShape<T> (*short_shape)(std::int64_t length);
  void (*multiply_complexes)(const ProductJob<T>& job, std::int64_t count);

  /// Rows of a buffer from tiles of L x L complex numbers, parts apart, transposed.
  void (*transpose_tiles)(const TileColumn<T>& tiles, T* rows);

  /// Rows of a buffer from signals of `length` numbers: lane l is the one at in + places[l]
  /// distance.
  void (*load_signals)(
      const T* in, std::int64_t distance, std::int64_t length, std::int64_t lanes, T sign, T* rows);
  /// The inverse of load_signals, scaled.
  void (*store_signals)(const T* rows,
                        std::int64_t length,
                        std::int64_t lanes,
                        T scale,
                        T scale_imaginary,
                        T* out,
                        std::int64_t distance);

  /// The pairs k, h - k for k in [begin, end), within 1 <= k < h/2 or k = h/2.
  void (*pair_half_spectrum)(const HalfSpectrumJob<T>& job, std::int64_t begin, std::int64_t end);
};
template <class T>
const RowFunctions<T>& row_functions();
/// Those of the set that Highway has chosen by now. Plans serve the set that they were made with.
template <class T>
void choose_row_functions_for_test();

}  // namespace yupana::spectral::cpu
