#include <algorithm>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/splice/launch_cuda.hpp"
#include "yupana/splice/strip_cuda.cuh"

namespace yupana::splice::cuda {
namespace {

// Selectors of packed scores hold two bases, as low and high strip meet them in one step; of each
// nibble pair the upper one has its top bit set, which is not in the upload.
__global__ void expand_kernel(DeviceBatch batch, bool packed, std::uint32_t high_letters) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       i < batch.program_length + program_end;
       i += threads) {
    const std::uint32_t low = i < batch.program_length ? batch.bases[i] : 0;
    const std::uint32_t high = i > 0 && i <= batch.program_length ? batch.bases[i - 1] : low;
    batch.program[i] = static_cast<std::uint16_t>(
        packed ? low | 0x80 | (high | 0x80 | high_letters) << 8 : low & ~unsigned{base_is_read});
  }
}

/// The best last exon so far; only the lane with the last column knows.
struct BestLast {
  std::int64_t score = 0;
  std::int32_t reading = -1;
  std::int32_t rank = 0;
};

struct Shared {
  std::uint32_t* ring = nullptr;
  std::uint32_t* rows = nullptr;
};

/// What one warp does with one block: all starts of the case, one behind the other.
template <class Scores, bool affine, int columns>
class Forward {
 public:
  using Block = Strip<Scores, affine, columns>;
  static constexpr int halves = Scores::halves;

  __device__ Forward(const DeviceBatch& batch, const WorkItem& item, Shared& shared)
      : batch_(batch),
        problem_(batch.cases[item.problem]),
        result_(batch.results[item.problem]),
        view_(view_block<Scores>(batch, item.problem, item.block, affine)),
        ring_(shared.ring),
        row_words_(Block::row_words(batch.alignment)),
        rows_(slot_words() <= batch.shared_words ? shared.rows + view_.lane : view_.state),
        marks_((slot_words() + problem_.mark_words <= batch.shared_words
                    ? rows_ + slot_words()
                    : view_.state + problem_.stage) +
               view_.lane * (columns - 1)),
        has_last_column_(has_last_column()) {}

  __device__ void run() {
    strip_.prepare(batch_, view_, true);
    std::int32_t version = -1;
    bool fits = true;
    const DeviceStart* const starts = batch_.starts + problem_.starts;
    const std::int32_t count = problem_.start_count;
    // What a start and its first reading say is on its way while the start before is computed.
    DeviceStart start = starts[0];
    Arrivals arrivals = Block::fetch(batch_, view_, start, start.rows);
    for (std::int32_t s = 0; s < count; ++s) {
      const DeviceStart next = starts[min(s + 1, count - 1)];
      const std::uint32_t uses = load_uses(start.readings_from, start.readings_to);
      const typename Block::Row ended = start.version != version
                                            ? absorb(start, version)
                                            : Block::load_row(running(), batch_.alignment);
      version = start.version;
      fits = strip_.enter(batch_, view_, start, ended) && fits;
      const bool has_next = s + 1 < count;
      const bool stop = stopped(batch_);  // heard of behind the sweep
      if (start.marks > 0) {
        strip_.template sweep<Keep::marks>(
            batch_, view_, start, start.rows, arrivals, next, has_next, ring_, marks_, 0);
      } else {
        strip_.template sweep<Keep::nothing>(
            batch_, view_, start, start.rows, arrivals, next, has_next, ring_, nullptr, 0);
      }
      if (stop) break;
      read(start, uses);
      start = next;
    }
    if (!fits) atomicOr(&result_.overflow, 1);
    if (has_last_column_) {
      result_.score = last_.score;
      result_.reading = last_.reading;
    }
  }

 private:
  __device__ std::int32_t last_place() const {
    return problem_.letters - Block::first_column(view_);
  }
  __device__ bool has_last_column() const {
    const std::int32_t place = last_place();
    return place >= 0 && place / (halves * columns) == view_.lane && view_.lane < problem_.lanes;
  }

  __device__ std::int64_t slot_words() const { return (problem_.slots + 1) * row_words_; }
  __device__ std::uint32_t* running() const { return rows_ + problem_.slots * row_words_; }

  /// The running row takes in the exons that have ended.
  __device__ typename Block::Row absorb(const DeviceStart& start, std::int32_t before) {
    typename Block::Row all;
    const std::uint32_t* from = before < 0 ? nullptr : running();
    std::uint32_t* to = running();
    std::uint32_t* version = view_.state + Block::version_at(view_, start.version);
    const std::int64_t planes[] = {0, Block::gap_plane(batch_.alignment)};
#pragma unroll
    for (int state = 0; state < (affine ? 2 : 1); ++state) {
      std::uint32_t value[columns], winner[halves][columns];
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        value[c] = from == nullptr ? Scores::all(Scores::lowest) : from[planes[state] + c * 32];
#pragma unroll
        for (int h = 0; h < halves; ++h) {
          winner[h][c] = from == nullptr || !batch_.alignment
                             ? 0
                             : from[planes[state] + ((1 + h) * columns + c) * 32];
        }
      }
      for (std::int32_t e = start.ended_from; e < start.ended_to; ++e) {
        const std::uint32_t* slot =
            rows_ + planes[state] +
            row_words_ *
                (e == start.ended_from ? start.first_ended : batch_.ended[problem_.ended + e]);
#pragma unroll
        for (int c = 0; c < columns; ++c) {
          const std::uint32_t other = slot[c * 32];
          const std::uint32_t grown = Scores::greater(other, value[c]);
          value[c] = Scores::larger(other, value[c]);
#pragma unroll
          for (int h = 0; h < halves; ++h) {
            if (batch_.alignment && Scores::has(grown, h)) {
              winner[h][c] = slot[((1 + h) * columns + c) * 32];
            }
          }
        }
      }
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        to[planes[state] + c * 32] = value[c];
        (state == 0 ? all.best[c] : all.gap[affine ? c : 0]) = value[c];
#pragma unroll
        for (int h = 0; h < halves; ++h) {
          if (batch_.alignment) {
            to[planes[state] + ((1 + h) * columns + c) * 32] = winner[h][c];
            version[planes[state] + ((1 + h) * columns + c) * 32] = winner[h][c];
          }
        }
        if (batch_.alignment) version[planes[state] + c * 32] = value[c];
      }
    }
    return all;
  }

  /// What a reading does with its row: the first words of a DeviceReading.
  struct Use {
    std::int64_t score_of_zero;
    std::int32_t rank, slot, added, fresh, mark;
  };
  static constexpr int use_words = 8, uses_at_once = 32 / use_words;

  /// A word a lane of the uses of four readings: one register while the rows are computed.
  __device__ std::uint32_t load_uses(std::int32_t first, std::int32_t end) const {
    const std::int32_t reading = min(first + view_.lane / use_words, end - 1);
    const DeviceReading& r = batch_.readings[problem_.readings + reading];
    return reinterpret_cast<const std::uint32_t*>(&r)[view_.lane % use_words];
  }
  __device__ Use use_of(std::uint32_t words, int reading) const {
    const auto word = [&](std::size_t offset) {
      const int lane = reading * use_words + static_cast<int>(offset / sizeof(words));
      return static_cast<std::int32_t>(__shfl_sync(all_lanes, words, lane));
    };
    Use use{0,
            0,
            word(offsetof(DeviceReading, slot)),
            word(offsetof(DeviceReading, added)),
            word(offsetof(DeviceReading, fresh)),
            word(offsetof(DeviceReading, mark))};
    if (view_.right == nullptr) {
      use.rank = word(offsetof(DeviceReading, rank));
      use.score_of_zero = std::int64_t{word(4)} << 32 | static_cast<std::uint32_t>(word(0));
    }
    return use;
  }

  /// The last rows of a start's exons; each next one is loaded while one is used.
  __device__ void read(const DeviceStart& start, std::uint32_t words) {
    const std::int32_t from = start.readings_from, end = start.readings_to;
    std::uint32_t words_after = 0;
    if (end - from > uses_at_once) words_after = load_uses(from + uses_at_once, end);
    Use one = use_of(words, 0);
    typename Block::Row row = row_of(one.mark);
    for (std::int32_t r = from + 1; r < end; ++r) {
      const int place = (r - from) % uses_at_once;
      if (place == 0) {
        words = words_after;
        words_after = load_uses(r + uses_at_once, end);
      }
      const Use next = use_of(words, place);
      const typename Block::Row next_row = row_of(next.mark);
      use(one, r - 1, row);
      one = next;
      row = next_row;
    }
    use(one, end - 1, row);
  }

  /// A row: its score, and into the slot of its end.
  __device__ void use(const Use& how, std::int32_t index, const typename Block::Row& row) {
    if (has_last_column_) hear(how, index, row);
    if (how.slot < 0) return;
    std::uint32_t* const to = rows_ + how.slot * row_words_;
    put(to, row.best, how, index);
    if constexpr (affine) put(to + Block::gap_plane(batch_.alignment), row.gap, how, index);
  }

  /// The last row of an exon.
  __device__ typename Block::Row row_of(std::int32_t mark) const {
    return mark < 0 ? strip_.own_row()
                    : Block::Row::load_mark(marks_ + mark * Block::Row::mark_words);
  }

  __device__ __forceinline__ void put(std::uint32_t* slot,
                                      const std::uint32_t (&row)[columns],
                                      const Use& how,
                                      std::int32_t index) {
    const bool fresh = how.fresh != 0;
    std::uint32_t old[columns];
#pragma unroll
    for (int c = 0; c < columns; ++c) {  // loads of all before the first is needed
      old[c] = fresh ? Scores::all(Scores::lowest) : slot[c * 32];
    }
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      const std::uint32_t value = Scores::add_saturated(row[c], how.added);
      slot[c * 32] = Scores::larger(value, old[c]);
      if (!batch_.alignment) continue;
      const std::uint32_t larger = fresh ? ~0u : Scores::greater(value, old[c]);
#pragma unroll
      for (int h = 0; h < halves; ++h) {
        if (Scores::has(larger, h)) {
          slot[((1 + h) * columns + c) * 32] = static_cast<std::uint32_t>(index);
        }
      }
    }
  }

  /// By the lane with the last column.
  __device__ void hear(const Use& how, std::int32_t index, const typename Block::Row& row) {
    const std::int32_t place = last_place();
    std::uint32_t word = 0;
#pragma unroll
    for (int c = 0; c < columns; ++c) {  // masks: a choice would be made among words in memory
      word |= row.best[c] & (place % columns == c ? ~0u : 0u);
    }
    const std::int32_t value = Scores::half(word, place / columns % halves);
    const std::int64_t score = value + how.score_of_zero;
    const bool is_better =
        last_.reading < 0 || score > last_.score || (score == last_.score && how.rank < last_.rank);
    if (is_better) last_ = {score, index, how.rank};
  }

  const DeviceBatch& batch_;
  const DeviceCase& problem_;
  DeviceResult& result_;
  const BlockView view_;
  std::uint32_t* const ring_;
  const std::int64_t row_words_;
  // In shared memory if there is room:
  std::uint32_t* const rows_;   ///< slots, then the running row
  std::uint32_t* const marks_;  ///< rows of a start that are read before its last
  const bool has_last_column_;
  Block strip_;
  BestLast last_;
};

/// Of a multiprocessor: as many as need no register of a sweep in memory, where each start would
/// wait for what it has just sent for.
constexpr int warps_at_once(Width width, bool affine) {
  return affine || width == Width::packed8 ? 12 : 16;
}

// One warp takes one block after the other, in an order in which what a block waits for was taken
// before it.
template <template <int> class Scores, bool affine>
__global__ void __launch_bounds__(32, warps_at_once(Scores<8>::width, affine))
    forward_kernel(const __grid_constant__ DeviceBatch batch) {
  __shared__ std::uint32_t ring[2 * ring_size];
  extern __shared__ std::uint32_t rows[];
  Shared shared{ring, rows};
  std::int32_t item = 0;
  if (threadIdx.x == 0) item = atomicAdd(batch.counters, 1);
  item = __shfl_sync(all_lanes, item, 0);
  if (item >= batch.item_count) return;
  const WorkItem work = batch.items[item];
  const std::int32_t columns = batch.cases[work.problem].columns;
  if constexpr (Scores<2>::halves == 2) {
    if (columns == 2) return Forward<Scores<2>, affine, 2>(batch, work, shared).run();
  }
  if (columns == 4) {
    Forward<Scores<4>, affine, 4>(batch, work, shared).run();
  } else {
    Forward<Scores<8>, affine, 8>(batch, work, shared).run();
  }
}

template <template <int> class Scores, bool affine>
void launch(const DeviceBatch& batch, cudaStream_t stream) {
  yupana::cuda::launch("align exons",
                       forward_kernel<Scores, affine>,
                       {batch.item_count, 32, std::int64_t{batch.shared_words} * 4},
                       stream,
                       batch);
}

template <template <int> class Scores>
void launch(bool affine, const DeviceBatch& batch, cudaStream_t stream) {
  affine ? launch<Scores, true>(batch, stream) : launch<Scores, false>(batch, stream);
}

}  // namespace

bool packed_are_half_floats() {
  return yupana::cuda::architecture_of(forward_kernel<Packed4, false>) < 90;
}

void launch_forward(Width width, bool affine, const DeviceBatch& batch, cudaStream_t stream) {
  const int blocks = static_cast<int>(std::min<std::int64_t>(1024, batch.program_length / 256 + 1));
  expand_kernel<<<blocks, 256, 0, stream>>>(
      batch, width != Width::wide, width == Width::packed4 ? 0x44 : 0);
  yupana::cuda::check_launch("write programs");
  switch (width) {
    case Width::packed4:
      return launch<Packed4>(affine, batch, stream);
    case Width::packed8:
      return launch<Packed8>(affine, batch, stream);
    case Width::wide:
      return launch<Wide>(affine, batch, stream);
  }
}

}  // namespace yupana::splice::cuda
