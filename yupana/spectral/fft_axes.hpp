#pragma once

#include <vector>

#include "yupana/spectral/fft.hpp"

namespace yupana::spectral {

/// A dense array of any number of axes, the last of which runs fastest. Does not own.
template <class T>
struct DenseArray {
  T* data = nullptr;
  std::vector<std::int64_t> extents;
};

/// The transform along each of `axes`, one after the other in that order. `out` has the extents of
/// `in`; it is `in` (same data) or does not overlap it. Scale and error per axis as fft().
///   work: O(size log n) an axis, without a copy of the array: other axes than the last are read in
///   columns
///   determinism: the same bits for any number of threads
///   errors (bad_input): an axis out of range, named twice, or of no values; extents that differ
template <class T>
void fft_axes(Context& context,
              const DenseArray<const std::complex<T>>& in,
              const DenseArray<std::complex<T>>& out,
              const std::vector<std::int64_t>& axes,
              Direction direction = Direction::forward);

/// The same of real values: fft_real() along the last of `axes`, where `out` has n/2 + 1 values for
/// n, then fft() along the others. At least one axis.
template <class T>
void fft_real_axes(Context& context,
                   const DenseArray<const T>& in,
                   const DenseArray<std::complex<T>>& out,
                   const std::vector<std::int64_t>& axes);

/// Undoes fft_real_axes(). Leaves `in` as it is: with more axes than one, in a copy of it, or of a
/// slab at a time where the axes lie within slabs that fit the cache.
template <class T>
void inverse_fft_real_axes(Context& context,
                           const DenseArray<const std::complex<T>>& in,
                           const DenseArray<T>& out,
                           const std::vector<std::int64_t>& axes);

}  // namespace yupana::spectral
