#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/splice/path_cuda.cuh"
#include "yupana/splice/protein_strip_cuda.cuh"

namespace yupana::splice::cuda {
namespace {

// How a cell was reached, and how its two gaps were. Letters win over codons where both are marked.
enum : std::uint32_t { from_codons = 1, from_letters = 2, codons_open = 4, letters_open = 8 };

/// What the walk back stands in: a cell however reached, a gap of codons, a gap of letters.
enum class State { any, codons, letters };

/// One warp follows one alignment back. Of a chosen exon only the blocks that the path goes through
/// are computed again, from the words that the block before left behind, with a byte of directions
/// for each cell. The path is that of cpu::ProteinTracer.
class ProteinTracer {
 public:
  __device__ ProteinTracer(const DeviceProteins& batch, std::int32_t problem, std::int32_t* profile)
      : batch_(batch),
        index_(problem),
        problem_(batch.cases[problem]),
        profile_(profile),
        ways_(batch.scratch + blockIdx.x * batch.scratch_bytes),
        path_(reinterpret_cast<std::uint32_t*>(ways_ + batch.scratch_bytes) - batch.path_words),
        lane_(static_cast<std::int32_t>(threadIdx.x)) {}

  __device__ void run() {
    DeviceProteinResult& result = batch_.results[index_];
    j_ = problem_.letters;
    if (result.reading >= 0) follow(result.reading, result.carried);
    path_.add(word_letters, j_);
    path_.flush();
    path_.hand_over(batch_, traced_, result);
  }

 private:
  __device__ void follow(std::int32_t reading, std::int32_t carried) {
    open_exon(reading, carried);
    if (row_ == 0) carry_ = best_carry(best_plane, j_, -1);
    while (!stopped(batch_)) {
      while (row_ > 0 && !stopped(batch_)) follow_block();
      const std::int32_t from = source(state_ == State::codons ? gap_plane : best_plane);
      if (from < 0 || stopped(batch_)) return;
      const int out = batch_.carries[problem_.carries + stream_.carries_from + carry_].carry;
      const int size = out == 0 ? 0 : out < 6 ? 1 : 2;
      const std::int32_t bases = batch_.readings[problem_.readings + from].bases;
      open_exon(from, ((size - bases) % 3 + 3) % 3);
      // An exon without a codon's end: what it was left with less its own bases was carried in.
      if (row_ == 0) carry_ = place_of(carried_ == 0 ? 0 : 1 + (out - 6) / 5);
    }
  }

  __device__ void open_exon(std::int32_t reading, std::int32_t carried) {
    const DeviceProteinReading& exon = batch_.readings[problem_.readings + reading];
    carried_ = carried;
    stream_ = batch_.streams[3 * (problem_.starts + exon.start) + carried];
    row_ = (carried + exon.bases) / 3;
    path_.mark(reading);
  }

  // Carries are named by their place among those of the stream.
  __device__ std::int32_t place_of(int carry) const {
    const std::int32_t k = stream_.carries_from + lane_;
    const bool here = k < stream_.carries_to && batch_.carries[problem_.carries + k].carry == carry;
    return __ffs(static_cast<int>(__ballot_sync(all_lanes, here))) - 1;
  }

  /// A value that the stream sees with a carry at a column, and the reading it comes from.
  struct Seen {
    std::int32_t value = codon_lowest;
    std::int32_t from = -1;
  };
  __device__ Seen see(const DeviceCarry& carry, int plane, std::int32_t j) const {
    Seen seen;
    if (plane == best_plane && carry.carry == 0) {
      seen.value = stream_.begin + (j > 0 ? batch_.open : 0);
    }
    if (carry.row < 0) return seen;
    const std::int32_t* row = batch_.rows + problem_.rows +
                              j / codon_width * problem_.rows_of_block +
                              carry.row * batch_.row_words + codon_place(j % codon_width);
    const std::int32_t value = row[plane * codon_width] + stream_.entry;
    if (plane == best_plane && value <= seen.value) return seen;
    return {value, row[(2 + plane) * codon_width]};
  }
  __device__ std::int32_t source(int plane) const {
    const DeviceCarry carry = batch_.carries[problem_.carries + stream_.carries_from + carry_];
    return see(carry, plane, j_).from;
  }

  /// Of the carries, in row 1 of those with which a codon is read: that with the largest value at
  /// column j, of the first source where equal, then the first carry. With `letter`, values are of
  /// pairs of the first codon with that letter.
  __device__ std::int32_t best_carry(int plane, std::int32_t j, std::int32_t letter) const {
    const std::int32_t k = stream_.carries_from + lane_;
    std::int32_t value = INT32_MIN, rank = INT32_MAX;
    const DeviceCarry none;
    const DeviceCarry carry = k < stream_.carries_to ? batch_.carries[problem_.carries + k] : none;
    if (k < stream_.carries_to && (row_ == 0 || carry.amino >= 0)) {
      const Seen seen = see(carry, plane, j);
      value = seen.value;
      if (letter >= 0) value += batch_.substitution[carry.amino * batch_.letters + letter];
      rank = seen.from < 0 ? -1 : batch_.readings[problem_.readings + seen.from].rank;
    }
    const std::int32_t most = __reduce_max_sync(all_lanes, value);
    const std::int32_t first = __reduce_min_sync(all_lanes, value == most ? rank : INT32_MAX);
    const bool best = value == most && rank == first;
    return __ffs(static_cast<int>(__ballot_sync(all_lanes, best))) - 1;
  }

  /// Through one block.
  __device__ void follow_block() {
    const std::int32_t block = j_ / codon_width;
    if (block != block_) {
      view_ = view_codons(batch_, index_, block, profile_);
      view_.right = nullptr;
      __syncwarp();
      fill_profile(batch_, view_, profile_, lane_, 32);
      block_ = block;
    }
    __syncwarp();
    fill();
    __syncwarp();
    traced_ += std::int64_t{row_} * codon_width;
    while (row_ > 0 && j_ >= view_.first) step();
  }

  /// What the block before told of a row: its last cell, and the largest of its cells.
  __device__ std::int32_t told(std::int32_t row, int word) const {
    if (view_.left == nullptr) return codon_lowest;
    return static_cast<std::int32_t>(load_word(view_.left + 2 * (stream_.boundary + row) + word));
  }

  /// Directions of rows 1 to row_.
  __device__ void fill() {
    CodonStrip strip;
    FirstCodon first;
    for (std::int32_t k = stream_.carries_from; k < stream_.carries_to; ++k) {
      const DeviceCarry carry = batch_.carries[problem_.carries + k];
      if (carry.amino < 0) continue;
      first.add(batch_,
                view_,
                look_above(view_, stream_, carry, batch_.row_words, batch_.open),
                carry.amino);
    }
    if (lane_ == 0) first.paired[0] = max(first.paired[0], told(0, 0));
    std::uint32_t open = 0;  // lanes' columns whose gap of codons opens in the row at hand
#pragma unroll
    for (int c = 0; c < codon_strip; ++c) {
      open |= first.longer[c] > first.opened[c] ? 0 : 1u << c;
      strip.gap[c] = max(first.opened[c], first.longer[c]);
    }
    keep_row(strip, first.paired, 1, told(1, 0), told(1, 1), open);
    for (std::int32_t begin = 2; begin <= row_; begin += 32) {
      const std::int32_t mine = begin + lane_;
      std::int32_t amino = 0, above = 0, beside = 0, before = 0;
      if (mine <= row_) {
        amino = codon_amino(batch_, problem_, stream_, mine);
        above = told(mine - 1, 0), beside = told(mine, 0), before = told(mine, 1);
      }
      __syncwarp();
      if (begin % 8192 == 2 && __any_sync(all_lanes, stopped(batch_))) return;
      const std::int32_t count = min(32, row_ - begin + 1);
#pragma unroll 1
      for (std::int32_t u = 0; u < count; ++u) {
        std::int32_t paired[codon_strip];
        strip.pair(
            view_, __shfl_sync(all_lanes, amino, u), __shfl_sync(all_lanes, above, u), paired);
        keep_row(strip,
                 paired,
                 begin + u,
                 __shfl_sync(all_lanes, beside, u),
                 __shfl_sync(all_lanes, before, u),
                 open);
      }
    }
  }

  __device__ std::uint64_t* ways_of(std::int32_t row) const {
    return reinterpret_cast<std::uint64_t*>(ways_ + std::int64_t{row - 1} * codon_width) + lane_;
  }

  /// A row from its pairs and the gaps of codons into it, and its directions. A gap of letters
  /// opens in the column before unless some cell further left is worth more.
  __device__ void keep_row(CodonStrip& strip,
                           const std::int32_t (&paired)[codon_strip],
                           std::int32_t row,
                           std::int32_t beside,
                           std::int32_t before,
                           std::uint32_t& open) {
    std::int32_t now[codon_strip], to_left[codon_strip];
#pragma unroll
    for (int c = 0; c < codon_strip; ++c) now[c] = max(paired[c], strip.gap[c]);
    strip.spread(view_, now, before, batch_.open, to_left);
    std::int32_t left = __shfl_up_sync(all_lanes, strip.best[codon_strip - 1], 1);
    if (lane_ == 0) left = beside;
    std::uint64_t ways = 0;
    std::uint32_t opens = 0;
#pragma unroll
    for (int c = 0; c < codon_strip; ++c) {
      std::uint32_t way = (open >> c & 1) != 0 ? codons_open : 0u;
      if (paired[c] < strip.gap[c]) way |= from_codons;
      if (left >= to_left[c]) way |= letters_open;
      if (to_left[c] + batch_.open > now[c]) way |= from_letters;
      ways |= static_cast<std::uint64_t>(way) << 8 * c;
      left = strip.best[c];
      const std::int32_t opened = strip.best[c] + batch_.open;
      opens |= opened >= strip.gap[c] ? 1u << c : 0;
      strip.gap[c] = max(opened, strip.gap[c]);
    }
    *ways_of(row) = ways;
    open = opens;
  }

  __device__ std::uint32_t way(std::int32_t row, std::int32_t j) const {
    return ways_[std::int64_t{row - 1} * codon_width + j - view_.first];
  }

  __device__ void step() {
    if (state_ == State::any) {
      // Pairs, up to 32 at once; that of the first row looks for its carry.
      const std::int32_t i = row_ - lane_, j = j_ - lane_;
      const bool pair =
          i > 1 && j >= view_.first && (way(i, j) & (from_codons | from_letters)) == 0;
      const unsigned fails = ~__ballot_sync(all_lanes, pair);
      const std::int32_t pairs = fails == 0 ? 32 : __ffs(static_cast<int>(fails)) - 1;
      if (pairs > 0) {
        path_.add(word_pair, pairs);
        row_ -= pairs, j_ -= pairs;
        return;
      }
    }
    const std::uint32_t here = way(row_, j_);
    if (state_ == State::any && (here & (from_codons | from_letters)) == 0) {
      carry_ = best_carry(best_plane, j_ - 1, batch_.targets[problem_.target + j_ - 1]);
      path_.add(word_pair, 1);
      --row_, --j_;
      return;
    }
    if (state_ == State::any) {
      state_ = (here & from_letters) != 0 ? State::letters : State::codons;
    }
    if (state_ == State::letters) {
      path_.add(word_letters, 1);
      if ((here & letters_open) != 0) state_ = State::any;
      --j_;
      return;
    }
    path_.add(word_bases, 1);
    if ((here & codons_open) != 0) state_ = State::any;
    if (row_ == 1) carry_ = best_carry(state_ == State::any ? best_plane : gap_plane, j_, -1);
    --row_;
  }

  const DeviceProteins& batch_;
  const std::int32_t index_;
  const DeviceProteinCase& problem_;
  std::int32_t* const profile_;
  std::uint8_t* const ways_;
  Path path_;
  const std::int32_t lane_;
  CodonView view_;
  DeviceStream stream_;
  std::int32_t block_ = -1;  ///< that the profile is of
  std::int32_t carried_ = 0;
  std::int32_t carry_ = 0;  ///< place, in row 0
  std::int32_t row_ = 0, j_ = 0;
  State state_ = State::any;
  std::int64_t traced_ = 0;
};

__global__ void __launch_bounds__(32)
    protein_trace_kernel(const __grid_constant__ DeviceProteins batch) {
  extern __shared__ std::int32_t profile[];
  while (true) {
    std::int32_t problem = 0;
    if (threadIdx.x == 0) problem = atomicAdd(batch.counters + 1, 1);
    problem = __shfl_sync(all_lanes, problem, 0);
    if (problem >= batch.case_count || stopped(batch)) return;
    ProteinTracer(batch, problem, profile).run();
  }
}

}  // namespace

void launch_protein_trace(const DeviceProteins& batch, int warps, cudaStream_t stream) {
  const int bytes = batch.letters * codon_width * static_cast<int>(sizeof(std::int32_t));
  yupana::cuda::launch("trace proteins", protein_trace_kernel, {warps, 32, bytes}, stream, batch);
}

}  // namespace yupana::splice::cuda
