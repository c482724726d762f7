#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/splice/protein_strip_cuda.cuh"

namespace yupana::splice::cuda {
namespace {

/// The three streams of a start.
constexpr int warps = 3;
constexpr int threads = 32 * warps;

/// The best last exon of a warp's streams; only the lane with the last column knows.
struct BestLast {
  std::int64_t score = 0;
  std::int32_t reading = -1;
  std::int32_t rank = 0;
  std::int32_t carried = 0;

  __device__ bool worse_than(const BestLast& other) const {
    if (other.reading < 0) return false;
    if (reading < 0) return true;
    if (score != other.score) return score < other.score;
    return other.rank < rank || (other.rank == rank && other.carried < carried);
  }
};

/// What three warps do with one block: all starts of the case, one behind the other.
class ProteinForward {
 public:
  __device__ ProteinForward(const DeviceProteins& batch,
                            const WorkItem& item,
                            std::int32_t* profile)
      : batch_(batch),
        problem_(batch.cases[item.problem]),
        view_(view_codons(batch, item.problem, item.block, profile)),
        carried_(static_cast<int>(threadIdx.x / 32)),
        last_place_(problem_.letters - view_.first) {}

  __device__ void run() {
    for (std::int32_t s = 0; s < problem_.start_count; ++s) {
      const DeviceProteinStart start = batch_.starts[problem_.starts + s];
      for (int m = start.merges_from + carried_; m < start.merges_to; m += warps) {
        merge(batch_.merges[problem_.merges + m]);
      }
      __syncthreads();
      const DeviceStream stream = batch_.streams[3 * (problem_.starts + s) + carried_];
      if (stream.carries_from < stream.carries_to) run_stream(stream);
      // Rows left are there for the next start's merges.
      if (__syncthreads_or(threadIdx.x == 0 && s % 4 == 3 && stopped(batch_))) return;
    }
  }

  __device__ bool holds_last_column() const {
    return last_place_ >= 0 && last_place_ < codon_width && last_place_ / codon_strip == view_.lane;
  }
  __device__ const BestLast& best() const { return last_; }

 private:
  /// The exon that ends next, and after which row: known before the row, so that none waits for it.
  struct NextLeaving {
    std::int32_t index, codons;
  };

  __device__ std::int32_t* row(std::int32_t index) const {
    return view_.rows + index * batch_.row_words;
  }

  /// A running row takes in rows of exons that have ended.
  __device__ void merge(const DeviceMerge& m) {
    for (int plane = best_plane; plane <= gap_plane; ++plane) {
      std::int32_t value[codon_strip], from[codon_strip];
#pragma unroll
      for (int c = 0; c < codon_strip; ++c) value[c] = codon_lowest, from[c] = -1;
      if (m.before >= 0) load(m.before, plane, value, from);
      for (std::int32_t i = m.merged_from; i < m.merged_to; ++i) {
        std::int32_t other[codon_strip], other_from[codon_strip];
        load(batch_.merged[problem_.merged + i], plane, other, other_from);
#pragma unroll
        for (int c = 0; c < codon_strip; ++c) {
          if (other[c] > value[c]) value[c] = other[c], from[c] = other_from[c];
        }
      }
      store(m.to, plane, value, from);
    }
  }
  __device__ void load(std::int32_t index,
                       int plane,
                       std::int32_t (&value)[codon_strip],
                       std::int32_t (&from)[codon_strip]) const {
    load_strip(row(index) + plane * codon_width, view_.lane, value);
    if (batch_.alignment) load_strip(row(index) + (2 + plane) * codon_width, view_.lane, from);
  }
  __device__ void store(std::int32_t index,
                        int plane,
                        const std::int32_t (&value)[codon_strip],
                        const std::int32_t (&from)[codon_strip]) const {
    store_strip(row(index) + plane * codon_width, view_.lane, value);
    if (batch_.alignment) store_strip(row(index) + (2 + plane) * codon_width, view_.lane, from);
  }

  __device__ void run_stream(const DeviceStream& stream) {
    const std::uint64_t* left = view_.left != nullptr ? view_.left + 2 * stream.boundary : nullptr;
    std::uint64_t* right = view_.right != nullptr ? view_.right + 2 * stream.boundary : nullptr;
    FirstCodon first;
    std::int32_t pass = stream.passes_from;
    for (std::int32_t k = stream.carries_from; k < stream.carries_to; ++k) {
      const DeviceCarry carry = batch_.carries[problem_.carries + k];
      const CodonsAbove above = look_above(view_, stream, carry, batch_.row_words, batch_.open);
      if (pass < stream.passes_to) pass_through(stream, k, above, pass);
      if (stream.rows > 0 && carry.amino >= 0) first.add(batch_, view_, above, carry.amino);
    }
    if (stream.rows == 0) return;
    std::int32_t before = codon_lowest;
    if (left != nullptr) {
      const auto told = static_cast<std::int32_t>(settle(batch_, load_word(left), left));
      if (view_.lane == 0) first.paired[0] = max(first.paired[0], told);
      before = static_cast<std::int32_t>(settle(batch_, load_word(left + 3), left + 3));
    }
    std::int32_t now[codon_strip], to_left[codon_strip];
#pragma unroll
    for (int c = 0; c < codon_strip; ++c) {
      strip_.gap[c] = max(first.opened[c], first.longer[c]);
      now[c] = max(first.paired[c], strip_.gap[c]);
    }
    const std::int32_t all = strip_.spread(view_, now, before, batch_.open, to_left);
    open_gaps();
    if (right != nullptr && view_.lane == 31) {
      store_word(right, static_cast<std::uint32_t>(first.next));
      tell(right, 1, all);
    }
    NextLeaving next = next_leaving(stream, stream.leavings_from);
    leave_row(stream, 1, next);
    run_rows(stream, left, right, next);
  }

  __device__ void open_gaps() {
#pragma unroll
    for (int c = 0; c < codon_strip; ++c) {
      strip_.gap[c] = max(strip_.best[c] + batch_.open, strip_.gap[c]);
    }
  }
  __device__ void tell(std::uint64_t* right, std::int32_t row, std::int32_t all) const {
    store_word(right + 2 * std::int64_t{row},
               static_cast<std::uint32_t>(strip_.best[codon_strip - 1]));
    store_word(right + 2 * std::int64_t{row} + 1, static_cast<std::uint32_t>(all));
  }

  /// Rows 2 and on, 32 at a time: a lane brings the amino acid of one, and what the block before
  /// told of it.
  __device__ void run_rows(const DeviceStream& stream,
                           const std::uint64_t* left,
                           std::uint64_t* right,
                           NextLeaving next) {
    for (std::int32_t begin = 2; begin <= stream.rows; begin += 32) {
      const std::int32_t mine = begin + view_.lane;
      std::int32_t amino = 0, diagonal = codon_lowest, before = codon_lowest;
      if (mine <= stream.rows) {
        amino = codon_amino(batch_, problem_, stream, mine);
        if (left != nullptr) {
          const std::uint64_t* word = left + 2 * std::int64_t{mine};
          const std::uint64_t above = load_word(word - 2), beside = load_word(word + 1);
          diagonal = static_cast<std::int32_t>(settle(batch_, above, word - 2));
          before = static_cast<std::int32_t>(settle(batch_, beside, word + 1));
        }
      }
      __syncwarp();
      if (begin % 8192 == 2 && __any_sync(all_lanes, stopped(batch_))) return;
      const std::int32_t count = min(32, stream.rows - begin + 1);
#pragma unroll 1
      for (std::int32_t u = 0; u < count; ++u) {
        std::int32_t now[codon_strip], to_left[codon_strip];
        strip_.pair(
            view_, __shfl_sync(all_lanes, amino, u), __shfl_sync(all_lanes, diagonal, u), now);
#pragma unroll
        for (int c = 0; c < codon_strip; ++c) now[c] = max(now[c], strip_.gap[c]);
        const std::int32_t all =
            strip_.spread(view_, now, __shfl_sync(all_lanes, before, u), batch_.open, to_left);
        open_gaps();
        if (right != nullptr && view_.lane == 31) tell(right, begin + u, all);
        leave_row(stream, begin + u, next);
      }
    }
  }

  __device__ NextLeaving next_leaving(const DeviceStream& stream, std::int32_t index) const {
    const bool is_some = index < stream.leavings_to;
    return {index, is_some ? batch_.leavings[problem_.leavings + index].codons : 0};
  }
  __device__ void leave_row(const DeviceStream& stream, std::int32_t codons, NextLeaving& next) {
    while (next.codons == codons) {
      leave(stream, batch_.leavings[problem_.leavings + next.index], strip_.best, strip_.gap);
      next = next_leaving(stream, next.index + 1);
    }
  }

  /// Exons without a codon's end are left with what was carried in and their own bases.
  __device__ void pass_through(const DeviceStream& stream,
                               std::int32_t carry,
                               const CodonsAbove& above,
                               std::int32_t& pass) {
    std::int32_t gap[codon_strip];
#pragma unroll
    for (int c = 0; c < codon_strip; ++c) gap[c] = max(above.gap[c], above.best[c] + batch_.open);
    for (; pass < stream.passes_to; ++pass) {
      const DeviceLeaving& exon = batch_.leavings[problem_.leavings + pass];
      if (exon.carry != carry) return;
      leave(stream, exon, above.best, gap);
    }
  }

  __device__ void leave(const DeviceStream& stream,
                        const DeviceLeaving& exon,
                        const std::int32_t (&best)[codon_strip],
                        const std::int32_t (&gap)[codon_strip]) {
    if (exon.row >= 0) {
      put(exon, best_plane, best);
      put(exon, gap_plane, gap);
    }
    if (!holds_last_column()) return;
    std::int32_t value = 0;
#pragma unroll
    for (int c = 0; c < codon_strip; ++c) {  // masks: a choice would be made among words in memory
      value |= best[c] & (last_place_ % codon_strip == c ? -1 : 0);
    }
    if (value < least_reached) return;
    const BestLast here{value + exon.score_of_zero, exon.reading, exon.rank, stream.carried};
    if (last_.worse_than(here)) last_ = here;
  }

  __device__ void put(const DeviceLeaving& exon,
                      int plane,
                      const std::int32_t (&from)[codon_strip]) const {
    std::int32_t value[codon_strip], source[codon_strip];
#pragma unroll
    for (int c = 0; c < codon_strip; ++c) value[c] = codon_lowest, source[c] = -1;
    if (exon.fresh == 0) load(exon.row, plane, value, source);
#pragma unroll
    for (int c = 0; c < codon_strip; ++c) {
      const std::int32_t other = from[c] + exon.added;
      if (other > value[c]) value[c] = other, source[c] = exon.reading;
    }
    store(exon.row, plane, value, source);
  }

  const DeviceProteins& batch_;
  const DeviceProteinCase& problem_;
  const CodonView view_;
  const int carried_;
  const std::int32_t last_place_;
  CodonStrip strip_;
  BestLast last_;
};

// Three warps take one block, in an order in which what a block waits for was taken before it.
__global__ void __launch_bounds__(threads)
    protein_forward_kernel(const __grid_constant__ DeviceProteins batch) {
  extern __shared__ std::int32_t profile[];
  __shared__ std::int32_t item;
  __shared__ BestLast best[warps];
  if (threadIdx.x == 0) item = atomicAdd(batch.counters, 1);
  if (threadIdx.x < warps) best[threadIdx.x].reading = -1;
  __syncthreads();
  if (item >= batch.item_count) return;
  const WorkItem work = batch.items[item];
  const CodonView view = view_codons(batch, work.problem, work.block, profile);
  fill_profile(batch, view, profile, static_cast<int>(threadIdx.x), threads);
  __syncthreads();
  ProteinForward forward(batch, work, profile);
  forward.run();
  const bool last = forward.holds_last_column();
  if (last) best[threadIdx.x / 32] = forward.best();
  if (__syncthreads_or(last) == 0 || threadIdx.x != 0) return;
  for (int w = 1; w < warps; ++w) {
    if (best[0].worse_than(best[w])) best[0] = best[w];
  }
  DeviceProteinResult& result = batch.results[work.problem];
  result.score = best[0].score;
  result.reading = best[0].reading;
  result.carried = best[0].carried;
}

}  // namespace

void launch_protein_forward(const DeviceProteins& batch, cudaStream_t stream) {
  const int bytes = batch.letters * codon_width * static_cast<int>(sizeof(std::int32_t));
  yupana::cuda::launch(
      "align proteins", protein_forward_kernel, {batch.item_count, threads, bytes}, stream, batch);
}

}  // namespace yupana::splice::cuda
