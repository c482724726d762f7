#include "yupana/spectral/fft_transform.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/spectral/fft_bluestein.hpp"

namespace yupana::spectral::cpu {
namespace {

/// Longest signal for which vectors across signals beat vectors within one, if it comes alone.
constexpr std::int64_t longest_alone = 32;

/// See RowFunctions.
template <class T>
std::int64_t place_of(std::int64_t lane) {
  return row_functions<T>().places[static_cast<std::size_t>(lane)];
}
template <class T>
std::int64_t lane_of(std::int64_t place) {
  return row_functions<T>().lane_of[static_cast<std::size_t>(place)];
}

template <class T>
std::size_t size_of(std::int64_t numbers) {
  return static_cast<std::size_t>(numbers) * sizeof(T);
}

}  // namespace

template <class T>
LaneTransform<T>::LaneTransform(std::int64_t length)
    : lanes_(row_functions<T>().lanes), plan_(length), scratch_(4 * lanes_ * length) {}

template <class T>
void LaneTransform<T>::load(
    const T* in, std::int64_t stride, std::int64_t distance, std::int64_t count, T sign, T* rows) {
  if (stride == 1)
    return row_functions<T>().load_signals(in, 2 * distance, plan_.rows, count, sign, rows);
  for (std::int64_t j = 0; j < plan_.rows; ++j) {
    for (std::int64_t l = 0; l < count; ++l) {
      const T* from = in + 2 * (j * stride + l * distance);
      const std::int64_t lane = lane_of<T>(l);
      rows[j * 2 * lanes_ + lane] = from[0];
      rows[j * 2 * lanes_ + lanes_ + lane] = sign * from[1];
    }
  }
}

template <class T>
void LaneTransform<T>::run(const T* in,
                           std::int64_t in_stride,
                           std::int64_t in_distance,
                           std::int64_t count,
                           Ends<T> ends,
                           T* out,
                           std::int64_t out_stride,
                           std::int64_t out_distance) {
  typename Scratch<T>::Block block(scratch_);
  T* const buffer = block.data();
  T* const result = buffer + 2 * lanes_ * plan_.rows;
  RowJob<T> job;
  job.plan = &plan_;
  job.buffer = buffer;
  if (in_distance == 1 && in_stride != 1 && count == lanes_) {
    job.in = in;
    job.in_stride = 2 * in_stride;
    job.in_sign = ends.sign;
  } else {
    load(in, in_stride, in_distance, count, ends.sign, buffer);
  }
  const bool whole = out_distance == 1 && out_stride != 1 && count == lanes_;
  // Complex rows are written after all were read: the views may be one.
  job.sink = whole ? Sink::complexes : Sink::rows;
  job.out = whole ? out : result;
  job.out_stride = whole ? 2 * out_stride : 0;
  job.scale = ends.scale;
  job.scale_imaginary = ends.scale_imaginary;
  row_functions<T>().transform(job);
  if (whole) return;
  if (out_stride == 1) {
    return row_functions<T>().store_signals(
        result, plan_.rows, count, ends.scale, ends.scale_imaginary, out, 2 * out_distance);
  }
  for (std::int64_t j = 0; j < plan_.rows; ++j) {
    for (std::int64_t l = 0; l < count; ++l) {
      T* to = out + 2 * (j * out_stride + l * out_distance);
      const std::int64_t lane = lane_of<T>(l);
      to[0] = ends.scale * result[j * 2 * lanes_ + lane];
      to[1] = ends.scale_imaginary * result[j * 2 * lanes_ + lanes_ + lane];
    }
  }
}

template <class T>
FourStep<T>::FourStep(std::int64_t length, Split split)
    : n_(length),
      lanes_(row_functions<T>().lanes),
      split_(split),
      first_(split.rows),
      second_(split.columns),
      roots_(length, split.columns),
      groups_1_(divide_up(split.rows, lanes_)),
      groups_2_(divide_up(split.columns, lanes_)),
      buffers_(2 * 2 * lanes_ * lanes_ * std::max(groups_1_, groups_2_)),
      tiles_(2 * lanes_ * lanes_ * groups_1_ * groups_2_) {
  make_twiddles();
}

template <class T>
typename FourStep<T>::Tiles FourStep<T>::tiles_in(T* data, bool result) const {
  const std::int64_t row = 2 * lanes_;
  if (result) return {data, lanes_ * groups_1_ * row, row, groups_1_ * row};
  return {data, lanes_ * row, groups_2_ * lanes_ * row, row};
}

/// Whether rows `stride` numbers apart fill whole lines, which are read when no cache holds them.
template <class T>
bool FourStep<T>::goes_past_cache(const T* to, std::int64_t stride) const {
  const bool whole = reinterpret_cast<std::uintptr_t>(to) % 64 == 0 &&
                     size_of<T>(stride) % 64 == 0 && size_of<T>(2 * lanes_) % 64 == 0;
  return whole && is_in_memory<T>(n_);
}

template <class T>
void FourStep<T>::make_twiddles() {
  const int radix = first_.passes.back().radix;
  const std::int64_t m = split_.rows / radix;
  of_base_ = Array<T>(m * 2 * lanes_);
  of_q_ = Array<T>(radix * 2 * lanes_);
  const auto put = [&](std::int64_t power, T* to) {
    for (std::int64_t l = 0; l < lanes_; ++l) {
      const std::complex<double> w = roots_(static_cast<std::int64_t>(
          static_cast<unsigned __int128>(place_of<T>(l)) * static_cast<unsigned __int128>(power) %
          static_cast<unsigned __int128>(n_)));
      to[l] = static_cast<T>(w.real());
      to[lanes_ + l] = static_cast<T>(w.imag());
    }
  };
  for (std::int64_t g = 0; g < m; ++g) {
    put(first_.to[static_cast<std::size_t>(g)], &of_base_[g * 2 * lanes_]);
  }
  for (int q = 0; q < radix; ++q) put(q * m, &of_q_[q * 2 * lanes_]);
}

template <class T>
std::uint64_t FourStep<T>::bytes() const {
  return first_.bytes() + second_.bytes() + roots_.bytes() + of_base_.bytes() + of_q_.bytes() +
         buffers_.bytes() + tiles_.bytes();
}

template <class T>
void FourStep<T>::columns(const T* in, T sign, std::int64_t group, Tiles tiles) {
  typename Scratch<T>::Block block(buffers_);
  const std::int64_t row = 2 * lanes_;
  const std::int64_t first = group * lanes_;
  const std::int64_t count = std::min(lanes_, split_.columns - first);
  RowJob<T> job;
  job.plan = &first_;
  job.buffer = block.data();
  job.in = in + 2 * first;
  job.in_stride = 2 * split_.columns;
  job.in_sign = sign;
  if (count < lanes_) {
    T* padded = block.data() + row * split_.rows;
    for (std::int64_t j = 0; j < split_.rows; ++j) {
      std::memcpy(padded + j * row, job.in + j * job.in_stride, size_of<T>(2 * count));
      std::memset(padded + j * row + 2 * count, 0, size_of<T>(row - 2 * count));
    }
    job.in = padded;
    job.in_stride = row;
  }
  job.sink = Sink::tiles;
  job.out = tiles.data + group * tiles.of_columns;
  job.tile_stride = tiles.of_rows;
  job.out_stride = tiles.stride;
  job.is_far = is_long<T>(n_);
  job.past_cache = goes_past_cache(tiles.data, row);
  job.twiddles = {&roots_, of_base_.data(), of_q_.data(), n_};
  job.first_column = first;
  row_functions<T>().transform(job);
  // Lanes without a row are transposed along with the others.
  for (std::int64_t k = split_.rows; k < groups_1_ * lanes_; ++k) {
    std::memset(
        job.out + k / lanes_ * tiles.of_rows + k % lanes_ * tiles.stride, 0, size_of<T>(row));
  }
  if (job.past_cache) hwy::FlushStream();
}

template <class T>
void FourStep<T>::rows(Tiles tiles, std::int64_t group, Ends<T> ends, const T* factors, T* out) {
  typename Scratch<T>::Block block(buffers_);
  const std::int64_t row = 2 * lanes_;
  const std::int64_t first = group * lanes_;
  const std::int64_t count = std::min(lanes_, split_.rows - first);
  row_functions<T>().transpose_tiles({tiles.data + group * tiles.of_rows,
                                      groups_2_,
                                      tiles.of_columns,
                                      tiles.stride,
                                      is_long<T>(n_)},
                                     block.data());
  RowJob<T> job;
  job.plan = &second_;
  job.buffer = block.data();
  job.sink = Sink::complexes;
  job.out = out + 2 * first;
  job.out_stride = 2 * split_.rows;
  job.scale = ends.scale;
  job.scale_imaginary = ends.scale_imaginary;
  if (factors != nullptr && count == lanes_) job.factors = factors + 2 * first;
  T* const padded = block.data() + row * lanes_ * std::max(groups_1_, groups_2_);
  job.past_cache = count == lanes_ && goes_past_cache(job.out, job.out_stride);
  if (count < lanes_) {
    job.out = padded;
    job.out_stride = row;
  }
  row_functions<T>().transform(job);
  if (job.past_cache) hwy::FlushStream();
  if (count == lanes_) return;
  for (std::int64_t k = 0; k < split_.columns; ++k) {
    T* const to = out + 2 * (first + k * split_.rows);
    std::memcpy(to, padded + k * row, size_of<T>(2 * count));
    if (factors != nullptr) {
      row_functions<T>().multiply_complexes({to, factors + (to - out), to}, count);
    }
  }
}

template <class T>
void FourStep<T>::run(Context* context, const T* in, T* out, Ends<T> ends, const T* factors) {
  if (n_ < min_parallel) context = nullptr;
  const bool in_result = in != out && tiles_fit<T>(split_, lanes_);
  std::optional<typename Scratch<T>::Block> scratch;
  if (!in_result) scratch.emplace(tiles_);
  const Tiles tiles = tiles_in(in_result ? out : scratch->data(), in_result);
  const auto check = [&] {
    if (context != nullptr) context->check_cancelled();
  };
  each(context, groups_2_, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t g = begin; g < end; ++g) {
      check();
      columns(in, ends.sign, g, tiles);
    }
  });
  each(context, groups_1_, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t g = begin; g < end; ++g) {
      check();
      rows(tiles, g, ends, factors, out);
    }
  });
}

template <class T>
Transform<T>::Transform(Context* context, std::int64_t length) : n_(length) {
  if (!is_smooth(n_)) {
    bluestein_ = std::make_unique<Bluestein<T>>(context, n_);
    return;
  }
  ShortShape<T> shape = n_ <= longest_short ? row_functions<T>().short_shape(n_) : ShortShape<T>();
  if (shape.lanes > 0) {
    short_ = std::make_unique<ShortTransform<T>>(n_, std::move(shape));
    return;
  }
  const Split split = split_of(n_, row_functions<T>().lanes, row_functions<T>().max_radix);
  if (n_ <= longest_alone || split.rows == 0) {
    lanes_ = std::make_unique<LaneTransform<T>>(n_);
  } else {
    four_step_ = std::make_unique<FourStep<T>>(n_, split);
  }
}

template <class T>
Transform<T>::~Transform() = default;

template <class T>
void Transform<T>::run(
    Context* context, const T* in, T* out, Direction direction, const T* factors) {
  Ends<T> ends;
  if (direction == Direction::inverse) {
    ends.sign = -1;
    ends.scale = T(1) / static_cast<T>(n_);
    ends.scale_imaginary = -ends.scale;
  }
  if (four_step_) return four_step_->run(context, in, out, ends, factors);
  if (short_) return short_->run(context, in, out, ends, factors);
  if (lanes_) {
    lanes_->run(in, 1, n_, 1, ends, out, 1, n_);
  } else {
    bluestein_->run(context, in, out, ends);
  }
  if (factors != nullptr) row_functions<T>().multiply_complexes({out, factors, out}, n_);
}

template <class T>
std::uint64_t Transform<T>::bytes() const {
  if (short_) return short_->bytes();
  if (lanes_) return lanes_->bytes();
  return four_step_ ? four_step_->bytes() : bluestein_->bytes();
}

YUPANA_CLASSES(YUPANA_FLOATS, LaneTransform, FourStep, Transform)

}  // namespace yupana::spectral::cpu
