// Signals that one thread transforms without leaving its cache.
#include <algorithm>
#include <cstring>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/spectral/fft_transform.hpp"

namespace yupana::spectral::cpu {
namespace {

/// The first `count` of the `row` numbers of each row: whole rows are copied in ascending order as
/// long as they end before the last copy does.
template <class T>
void copy_rows(const T* from,
               std::int64_t count,
               std::int64_t row,
               std::int64_t rows,
               T* to,
               std::int64_t stride) {
  const T* const end = to + (rows - 1) * stride + count;
  const auto bytes = [](std::int64_t numbers) {
    return static_cast<std::size_t>(numbers) * sizeof(T);
  };
  const auto copy = [&](std::size_t of_row) {
    for (; to + row <= end; from += row, to += stride) std::memcpy(to, from, of_row);
  };
  switch (bytes(row)) {
    case 64:
      copy(64);
      break;
    case 128:
      copy(128);
      break;
    default:
      break;
  }
  for (; to < end; from += row, to += stride) std::memcpy(to, from, bytes(count));
}

}  // namespace

template <class T>
ShortTransform<T>::ShortTransform(std::int64_t length, ShortShape<T> shape)
    : shape_(std::move(shape)),
      n_(length),
      first_(shape_.radix),
      rows_(length / shape_.radix),
      blocks_(divide_up(shape_.radix, shape_.lanes)),
      values_(2 * blocks_ * shape_.lanes * rows_.rows),
      numbers_(values_ + scratch_numbers()),
      twiddles_(2 * round_up(length / shape_.radix, shape_.lanes) * (shape_.radix - 1)),
      scratch_(numbers_) {
  const auto roots = unit_roots(n_);
  T* to = twiddles_.data();
  const std::int64_t lanes = shape_.lanes;
  const std::int64_t places = n_ / shape_.radix;
  for (std::int64_t group = 0; group < places; group += lanes) {
    const std::int64_t j = std::min(group, places - lanes);
    for (std::int64_t q = 1; q < shape_.radix; ++q) {
      for (std::int64_t l = 0; l < lanes; ++l) {
        const std::int64_t k = shape_.places[static_cast<std::size_t>(l)];
        const std::complex<double> w = roots[static_cast<std::size_t>((j + k) * q)];
        to[l] = static_cast<T>(w.real());
        to[lanes + l] = static_cast<T>(w.imag());
      }
      to += 2 * lanes;
    }
  }
}

/// For the rows of the first passes and their results, or those of the last block.
template <class T>
std::int64_t ShortTransform<T>::scratch_numbers() const {
  if (!shape_.composite) return 0;
  const std::int64_t first = shape_.radix + blocks_ * shape_.lanes;
  return 2 * shape_.lanes * std::max(rows_.rows, first);
}

template <class T>
void ShortTransform<T>::run(const T* in, T* out, Ends<T> ends) {
  ShortJob<T> first;
  first.length = n_;
  first.in = in;
  first.in_sign = ends.sign;
  first.twiddles = twiddles_.data();
  first.row_twiddles = rows_.twiddles.data();
  first.scale = ends.scale;
  first.scale_imaginary = ends.scale_imaginary;
  if (shape_.whole) {
    first.out = out;
    return shape_.pass(first);
  }
  // A lock taken and given back twice is a tenth of the shortest of these.
  if (numbers_ <= max_on_stack) {
    alignas(64) T values[max_on_stack];
    return passes(first, values, out, ends);
  }
  typename Scratch<T>::Block block(scratch_);
  passes(first, block.data(), out, ends);
}

template <class T>
void ShortTransform<T>::passes(ShortJob<T> first, T* values, T* out, Ends<T> ends) {
  const std::int64_t lanes = shape_.lanes, row = 2 * lanes, radix = shape_.radix;
  T* const scratch = values + values_;
  first.out = values;
  first.first = &first_;
  first.scratch = scratch;
  // Lanes without a result are turned along with the others.
  if (shape_.composite) {
    std::fill_n(scratch + 2 * radix * row, (blocks_ * lanes - radix) * row, T(0));
  }
  shape_.pass(first);
  RowJob<T> job;
  job.plan = &rows_;
  job.sink = Sink::complexes;
  job.out_stride = 2 * radix;
  job.scale = ends.scale;
  job.scale_imaginary = ends.scale_imaginary;
  // The last block first: what is copied after its results, the other blocks overwrite.
  for (std::int64_t block = blocks_ - 1; block >= 0; --block) {
    job.buffer = values + block * row * rows_.rows;
    job.out = out + block * row;
    job.out_stride = 2 * radix;
    const std::int64_t count = std::min(lanes, radix - block * lanes);
    if (count == lanes) {
      shape_.rest(job);
    } else {
      T* const to = std::exchange(job.out, scratch);
      job.out_stride = row;
      shape_.rest(job);
      copy_rows(scratch, 2 * count, row, rows_.rows, to, 2 * radix);
    }
  }
}

YUPANA_CLASSES(YUPANA_FLOATS, ShortTransform)

}  // namespace yupana::spectral::cpu
