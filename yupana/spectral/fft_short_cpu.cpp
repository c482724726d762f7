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
      scratch_numbers_(scratch_numbers()),
      twiddles_(2 * round_up(length / shape_.radix, shape_.lanes) * (shape_.radix - 1)),
      buffers_(values_),
      scratch_(scratch_numbers_) {
  const auto roots = unit_roots(n_);
  T* to = twiddles_.data();
  const std::int64_t lanes = shape_.lanes;
  const std::int64_t places = n_ / shape_.radix;
  const std::int64_t last = first_.passes.back().radix;
  for (std::int64_t group = 0; group < places; group += lanes) {
    const std::int64_t j = std::min(group, places - lanes);
    for (std::int64_t i = 1; i < shape_.radix; ++i) {
      // In the order in which the pass makes its results.
      const std::int64_t q = shape_.composite ? first_.to[static_cast<std::size_t>(i / last)] +
                                                    i % last * (shape_.radix / last)
                                              : i;
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
void ShortTransform<T>::run(Context* context, const T* in, T* out, Ends<T> ends, const T* factors) {
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
    shape_.pass(first);
    if (factors != nullptr) row_functions<T>().multiply_complexes({out, factors, out}, n_);
    return;
  }
  RowJob<T> rest;
  rest.plan = &rows_;
  rest.sink = Sink::complexes;
  rest.out = out;
  rest.scale = ends.scale;
  rest.scale_imaginary = ends.scale_imaginary;
  rest.factors = factors;
  // A lock taken and given back twice is a tenth of the shortest of these.
  if (values_ + scratch_numbers_ <= max_on_stack) {
    alignas(64) T values[max_on_stack];
    T* const scratch = values + values_;
    first_passes(first, 0, rows_.rows / shape_.lanes, values, scratch);
    return last_passes(rest, 0, blocks_, values, scratch);
  }
  if (context != nullptr && (n_ < min_parallel || context->threads() == 1)) context = nullptr;
  typename Scratch<T>::Block block(buffers_);
  T* const values = block.data();
  const auto with_scratch = [&](std::int64_t count, const auto& body) {
    const std::int64_t grain = divide_up(count * (min_parallel / 4), n_);
    each(context, count, grain, [&](std::int64_t begin, std::int64_t end) {
      if (context != nullptr) context->check_cancelled();
      if (scratch_numbers_ == 0) return body(begin, end, nullptr);
      typename Scratch<T>::Block scratch(scratch_);
      body(begin, end, scratch.data());
    });
  };
  with_scratch(rows_.rows / shape_.lanes, [&](std::int64_t begin, std::int64_t end, T* scratch) {
    first_passes(first, begin, end, values, scratch);
  });
  const std::int64_t whole = shape_.radix / shape_.lanes;
  if (whole < blocks_) {
    typename Scratch<T>::Block scratch(scratch_);
    last_passes(rest, whole, blocks_, values, scratch.data());
  }
  with_scratch(whole, [&](std::int64_t begin, std::int64_t end, T* scratch) {
    last_passes(rest, begin, end, values, scratch);
  });
}

/// Of groups [begin, end) of L places, the last of which has the rest as well.
template <class T>
void ShortTransform<T>::first_passes(
    ShortJob<T> job, std::int64_t begin, std::int64_t end, T* values, T* scratch) {
  const std::int64_t lanes = shape_.lanes, row = 2 * lanes;
  const bool last = end == rows_.rows / lanes;
  job.begin = begin;
  job.end = last ? divide_up(rows_.rows, lanes) : end;
  job.out = values;
  job.first = &first_;
  job.scratch = scratch;
  // Lanes without a result are turned along with the others.
  if (shape_.composite) {
    std::fill_n(scratch + 2 * shape_.radix * row, (blocks_ * lanes - shape_.radix) * row, T(0));
  }
  shape_.pass(job);
}

/// Of blocks [begin, end), the last first: what is copied after its results, the others overwrite.
template <class T>
void ShortTransform<T>::last_passes(
    RowJob<T> job, std::int64_t begin, std::int64_t end, T* values, T* scratch) const {
  const std::int64_t lanes = shape_.lanes, row = 2 * lanes, radix = shape_.radix;
  const T* const factors = job.factors;
  T* const out = job.out;
  for (std::int64_t block = end - 1; block >= begin; --block) {
    const std::int64_t count = std::min(lanes, radix - block * lanes);
    job.buffer = values + block * row * rows_.rows;
    job.out = out + block * row;
    job.out_stride = 2 * radix;
    if (factors != nullptr) job.factors = factors + block * row;
    if (count == lanes) {
      shape_.rest(job);
      continue;
    }
    T* const to = std::exchange(job.out, scratch);
    job.out_stride = row;
    job.factors = nullptr;
    shape_.rest(job);
    copy_rows(scratch, 2 * count, row, rows_.rows, to, 2 * radix);
    if (factors == nullptr) continue;
    for (T* at = to; at < out + 2 * n_; at += 2 * radix) {
      row_functions<T>().multiply_complexes({at, factors + (at - out), at}, count);
    }
  }
}

YUPANA_CLASSES(YUPANA_FLOATS, ShortTransform)

}  // namespace yupana::spectral::cpu
