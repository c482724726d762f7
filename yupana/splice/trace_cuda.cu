#include "yupana/core/cuda/runtime.hpp"
#include "yupana/splice/launch_cuda.hpp"
#include "yupana/splice/path_cuda.cuh"
#include "yupana/splice/strip_cuda.cuh"

namespace yupana::splice::cuda {
namespace {

/// One warp follows one alignment back. Of a chosen exon only the blocks that the path goes through
/// are computed again, each from the column that its left neighbour left behind; then up to 32
/// cells along the path's direction are looked at together. The path is that of cpu::Tracer.
template <class Scores, bool affine, int columns>
class Tracer {
 public:
  using Block = Strip<Scores, affine, columns>;
  static constexpr int halves = Scores::halves;
  static constexpr std::int64_t kept_words = (affine ? 2 : 1) * columns * 32;

  __device__ Tracer(const DeviceBatch& batch, std::int32_t problem, std::uint32_t* ring)
      : batch_(batch),
        ring_(ring),
        index_(problem),
        problem_(batch.cases[problem]),
        kept_(batch.scratch + blockIdx.x * batch.scratch_words),
        path_(kept_ + batch.scratch_words - batch.path_words),
        width_(halves * problem_.lanes * columns),
        lane_(static_cast<std::int32_t>(threadIdx.x)) {}

  __device__ void run() {
    DeviceResult& result = batch_.results[index_];
    j_ = problem_.letters;
    std::int32_t reading = result.reading;
    while (reading >= 0 && !stopped(batch_)) {
      start_ = batch_.starts[problem_.starts + batch_.readings[problem_.readings + reading].start];
      i_ = batch_.readings[problem_.readings + reading].rows;
      path_.mark(reading);
      while (i_ > 0) follow();
      reading = predecessor();
    }
    path_.add(word_letters, j_);
    path_.flush();
    path_.hand_over(batch_, traced_, result);
  }

 private:
  /// Through one block, as far as its rows are kept.
  __device__ void follow() {
    view_ = view_block<Scores>(batch_, index_, j_ / width_, affine);
    view_.right = nullptr;
    first_ = Block::first_column(view_);
    low_ = max(0, i_ - batch_.slab_rows);
    Block strip;
    strip.prepare(batch_, view_, false);
    const std::uint32_t* row = view_.state + Block::version_at(view_, start_.version);
    strip.enter(batch_, view_, start_, Block::load_row(row, true));
    Arrivals arrivals = Block::fetch(batch_, view_, start_, i_);
    __syncwarp();
    strip.template sweep<Keep::everything>(
        batch_, view_, start_, i_, arrivals, start_, false, ring_, kept_ + lane_, low_);
    __syncwarp();
    traced_ += std::int64_t{i_} * width_;
    while (i_ > low_ && j_ >= first_) {
      if (state_ == word_pair) {
        follow_any();
      } else if (state_ == word_bases) {
        follow_bases();
      } else {
        follow_letters();
      }
    }
  }

  __device__ std::int32_t kept(std::int32_t i, std::int32_t j, int plane) const {
    const std::int32_t v = (j - first_) / columns, c = (j - first_) % columns;
    const std::int64_t row = i + Block::delay(v) - low_;
    const std::uint32_t word = kept_[row * kept_words + (plane * columns + c) * 32 + v / halves];
    return Scores::half(word, v % halves);
  }
  __device__ std::int32_t best(std::int32_t i, std::int32_t j) const {
    if (j >= first_) return kept(i, j, 0);
    const std::uint64_t told = load_word(view_.left + start_.position + i - 1);
    return Scores::best_score_told(static_cast<std::uint32_t>(told));
  }
  /// Best gap of bases that ends at row i.
  __device__ std::int32_t gap(std::int32_t i, std::int32_t j) const {
    return affine ? kept(i - 1, j, 1) : best(i - 1, j);
  }
  __device__ std::int32_t pair(std::int32_t i, std::int32_t j) const {
    const std::uint32_t base = view_.program[start_.position + i - 1];
    const std::uint32_t code = batch_.targets[problem_.target + j - 1];
    if constexpr (Scores::width == Width::wide) {
      return batch_.substitution[base * batch_.letters + code];
    } else {
      const std::uint64_t scores = batch_.column_scores[problem_.scores + code];
      return static_cast<std::int8_t>(scores >> (base & 7) * 8);
    }
  }
  __device__ bool is_pair(std::int32_t i, std::int32_t j) const {
    return j >= 1 && best(i, j) == best(i - 1, j - 1) + pair(i, j);
  }
  /// Lanes from 0 on for which it holds.
  __device__ static std::int32_t run_of(bool holds) {
    const unsigned fails = ~__ballot_sync(all_lanes, holds);
    return fails == 0 ? 32 : __ffs(static_cast<int>(fails)) - 1;
  }

  __device__ void follow_any() {
    const std::int32_t i = i_ - lane_, j = j_ - lane_;
    const std::int32_t pairs = run_of(i > low_ && j >= first_ && is_pair(i, j));
    if (pairs > 0) {
      path_.add(word_pair, pairs);
      i_ -= pairs, j_ -= pairs;
      return;
    }
    const bool bases = best(i_, j_) == gap(i_, j_);
    if constexpr (affine) {
      state_ = bases ? word_bases : word_letters;
      letters_gap_ = best(i_, j_);
    } else if (bases) {
      const bool again = i > low_ && !is_pair(i, j_) && best(i, j_) == best(i - 1, j_);
      const std::int32_t run = run_of(again);
      path_.add(word_bases, run);
      i_ -= run;
    } else {
      const bool again = j >= first_ && j > 0 && !is_pair(i_, j) && best(i_, j) != best(i_ - 1, j);
      const std::int32_t run = run_of(again);
      path_.add(word_letters, run);
      j_ -= run;
    }
  }

  /// Affine: up to the row where the gap was opened.
  __device__ void follow_bases() {
    const std::int32_t i = i_ - lane_;
    const bool valid = i > low_;
    const bool opened = valid && gap(i, j_) == best(i - 1, j_) + batch_.open;
    const std::int32_t before = run_of(valid && !opened);
    const bool ends = __shfl_sync(all_lanes, opened, before & 31) && before < 32;
    if (ends) state_ = word_pair;
    path_.add(word_bases, before + (ends ? 1 : 0));
    i_ -= before + (ends ? 1 : 0);
  }
  __device__ void follow_letters() {
    const std::int32_t j = j_ - 1 - lane_;
    const bool valid = j >= max(first_ - 1, 0);
    const bool opened = valid && letters_gap_ == best(i_, j) + batch_.open;
    const std::int32_t before = run_of(valid && !opened);
    const bool ends = __shfl_sync(all_lanes, opened, before & 31) && before < 32;
    if (ends) state_ = word_pair;
    path_.add(word_letters, before + (ends ? 1 : 0));
    j_ -= before + (ends ? 1 : 0);
  }

  __device__ std::int32_t predecessor() {
    const std::int32_t none = start_.none + (j_ > 0 ? batch_.open : 0);
    if (state_ == word_pair && best(0, j_) == none) return -1;
    const std::int32_t block = j_ / width_, place = j_ % width_;
    const BlockView view = view_block<Scores>(batch_, index_, block, affine);
    const std::int32_t v = place / columns;
    const std::int64_t plane = state_ == word_bases ? Block::gap_plane(true) : 0;
    const std::uint32_t* row = view.state - lane_ + Block::version_at(view, start_.version);
    return static_cast<std::int32_t>(
        row[plane + ((1 + v % halves) * columns + place % columns) * 32 + v / halves]);
  }

  const DeviceBatch& batch_;
  std::uint32_t* const ring_;
  const std::int32_t index_;
  const DeviceCase& problem_;
  std::uint32_t* const kept_;  ///< states after each step, from that before the first on
  Path path_;
  const std::int32_t width_;
  const std::int32_t lane_;
  BlockView view_;
  DeviceStart start_;
  std::int32_t first_ = 0;  ///< column of the block
  std::int32_t low_ = 0;    ///< row from which on states are kept
  std::int32_t i_ = 0, j_ = 0;
  std::uint32_t state_ = word_pair;  ///< pair: any
  std::int32_t letters_gap_ = 0;     ///< value of the gap of letters being followed
  std::int64_t traced_ = 0;
};

template <template <int> class Scores, bool affine>
__global__ void __launch_bounds__(32) trace_kernel(const __grid_constant__ DeviceBatch batch) {
  __shared__ std::uint32_t ring[2 * ring_size];
  while (true) {
    std::int32_t problem = 0;
    if (threadIdx.x == 0) problem = atomicAdd(batch.counters + 1, 1);
    problem = __shfl_sync(all_lanes, problem, 0);
    if (problem >= batch.case_count) return;
    if (batch.results[problem].overflow != 0) continue;
    const std::int32_t columns = batch.cases[problem].columns;
    if constexpr (Scores<2>::halves == 2) {
      if (columns == 2) {
        Tracer<Scores<2>, affine, 2>(batch, problem, ring).run();
        continue;
      }
    }
    if (columns == 4) {
      Tracer<Scores<4>, affine, 4>(batch, problem, ring).run();
    } else {
      Tracer<Scores<8>, affine, 8>(batch, problem, ring).run();
    }
  }
}

template <template <int> class Scores>
void launch(bool affine, const DeviceBatch& batch, int warps, cudaStream_t stream) {
  if (affine) {
    trace_kernel<Scores, true><<<warps, 32, 0, stream>>>(batch);
  } else {
    trace_kernel<Scores, false><<<warps, 32, 0, stream>>>(batch);
  }
  yupana::cuda::check_launch("trace alignments");
}

}  // namespace

void launch_trace(
    Width width, bool affine, const DeviceBatch& batch, int warps, cudaStream_t stream) {
  switch (width) {
    case Width::packed4:
      return launch<Packed4>(affine, batch, warps, stream);
    case Width::packed8:
      return launch<Packed8>(affine, batch, warps, stream);
    case Width::wide:
      return launch<Wide>(affine, batch, warps, stream);
  }
}

}  // namespace yupana::splice::cuda
