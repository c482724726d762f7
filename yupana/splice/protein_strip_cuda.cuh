#pragma once

#include <cstdint>

#include "yupana/splice/block_view_cuda.cuh"
#include "yupana/splice/protein_batch_cuda.hpp"

/// Private to the family: a warp at work on the codons of one stream, over one block of columns.
///
/// Scores are X(i,j) = S(i,j) - extend (i + j), as on the CPU. A cell without a gap of letters is
/// `now`; the best gap of letters into column j is open + the largest `now` to its left, since a
/// gap that follows a gap only pays for opening again. So a row is a maximum over its columns, one
/// scan of the warp; and the maximum over all carries of a first row is that of its cells.
namespace yupana::splice::cuda {

/// What is not reached begins here and gains less than 2^28 (see check_protein_range).
inline constexpr std::int32_t codon_lowest = -(1 << 29);
inline constexpr std::int32_t least_reached = -(1 << 28);

/// Where a column of a block stands in a row, so that lanes read 16 bytes side by side.
__device__ inline int codon_place(int x) { return x % 8 / 4 * 128 + x / 8 * 4 + x % 4; }

__device__ inline void load_strip(const std::int32_t* row,
                                  int lane,
                                  std::int32_t (&to)[codon_strip]) {
  const int4 low = *reinterpret_cast<const int4*>(row + lane * 4);
  const int4 high = *reinterpret_cast<const int4*>(row + 128 + lane * 4);
  to[0] = low.x, to[1] = low.y, to[2] = low.z, to[3] = low.w;
  to[4] = high.x, to[5] = high.y, to[6] = high.z, to[7] = high.w;
}
__device__ inline void store_strip(std::int32_t* row,
                                   int lane,
                                   const std::int32_t (&from)[codon_strip]) {
  *reinterpret_cast<int4*>(row + lane * 4) = make_int4(from[0], from[1], from[2], from[3]);
  *reinterpret_cast<int4*>(row + 128 + lane * 4) = make_int4(from[4], from[5], from[6], from[7]);
}

/// Planes of a row, codon_width words each.
enum : int { best_plane = 0, gap_plane = 1, best_from_plane = 2, gap_from_plane = 3 };
inline constexpr std::int64_t codon_row_words(bool alignment) {
  return (alignment ? 4 : 2) * std::int64_t{codon_width};
}

/// Where a warp finds its block.
struct CodonView {
  const DeviceProteinCase* problem = nullptr;
  std::int32_t* rows = nullptr;
  const std::uint64_t* left = nullptr;    ///< words of the block before; null: none
  std::uint64_t* right = nullptr;         ///< null where no block follows
  const std::int32_t* profile = nullptr;  ///< shared: scores of each amino acid with the columns
  std::int32_t first = 0;                 ///< column
  std::int32_t lane = 0;
};

__device__ inline CodonView view_codons(const DeviceProteins& batch,
                                        std::int32_t problem,
                                        std::int32_t block,
                                        const std::int32_t* profile) {
  const DeviceProteinCase& c = batch.cases[problem];
  CodonView view;
  view.problem = &c;
  view.rows = batch.rows + c.rows + block * c.rows_of_block;
  std::uint64_t* between = batch.between + c.words;
  view.left = block > 0 ? between + (block - 1) * c.words_of_block : nullptr;
  view.right = block + 1 < c.blocks ? between + block * c.words_of_block : nullptr;
  view.profile = profile;
  view.first = block * codon_width;
  view.lane = static_cast<std::int32_t>(threadIdx.x % 32);
  return view;
}

/// Columns that are none score 0: what is left of all columns is not reached, and what is right of
/// them is not looked at. Written by `threads` threads from `thread` on.
__device__ inline void fill_profile(const DeviceProteins& batch,
                                    const CodonView& view,
                                    std::int32_t* profile,
                                    int thread,
                                    int threads) {
  const DeviceProteinCase& c = *view.problem;
  for (int x = thread; x < codon_width; x += threads) {
    const std::int32_t j = view.first + x;
    const bool real = j > 0 && j <= c.letters;
    const std::int32_t code = real ? batch.targets[c.target + j - 1] : 0;
    for (int amino = 0; amino < batch.letters; ++amino) {
      profile[amino * codon_width + codon_place(x)] =
          real ? batch.substitution[amino * batch.letters + code] : 0;
    }
  }
}

/// What a stream sees with one carry, entry and begin included.
struct CodonsAbove {
  std::int32_t best[codon_strip];
  std::int32_t gap[codon_strip];  ///< of codons that the row before left open
};

__device__ inline CodonsAbove look_above(const CodonView& view,
                                         const DeviceStream& stream,
                                         const DeviceCarry& carry,
                                         std::int64_t row_words,
                                         std::int32_t open) {
  CodonsAbove above;
  if (carry.row >= 0) {
    const std::int32_t* row = view.rows + carry.row * row_words;
    load_strip(row, view.lane, above.best);
    load_strip(row + gap_plane * codon_width, view.lane, above.gap);
  }
#pragma unroll
  for (int c = 0; c < codon_strip; ++c) {
    const bool column0 = c == 0 && view.first + view.lane == 0;
    const std::int32_t none = carry.carry == 0 ? stream.begin + (column0 ? 0 : open) : codon_lowest;
    above.best[c] = carry.row >= 0 ? max(above.best[c] + stream.entry, none) : none;
    above.gap[c] = carry.row >= 0 ? above.gap[c] + stream.entry : codon_lowest;
  }
  return above;
}

/// The cells of a first row, of all carries so far.
struct FirstCodon {
  std::int32_t paired[codon_strip];
  std::int32_t opened[codon_strip];  ///< a gap of codons that begins here
  std::int32_t longer[codon_strip];  ///< one that goes on over the junction
  std::int32_t next = codon_lowest;  ///< paired in the first column of the next block

  __device__ FirstCodon() {
#pragma unroll
    for (int c = 0; c < codon_strip; ++c) paired[c] = opened[c] = longer[c] = codon_lowest;
  }
  __device__ void add(const DeviceProteins& batch,
                      const CodonView& view,
                      const CodonsAbove& above,
                      int amino) {
    std::int32_t score[codon_strip];
    load_strip(view.profile + amino * codon_width, view.lane, score);
    std::int32_t before = __shfl_up_sync(all_lanes, above.best[codon_strip - 1], 1);
    if (view.lane == 0) before = codon_lowest;
#pragma unroll
    for (int c = 0; c < codon_strip; ++c) {
      paired[c] = max(paired[c], before + score[c]);
      opened[c] = max(opened[c], above.best[c] + batch.open);
      longer[c] = max(longer[c], above.gap[c]);
      before = above.best[c];
    }
    if (view.right != nullptr) {
      const DeviceProteinCase& c = *view.problem;
      const std::int32_t code = batch.targets[c.target + view.first + codon_width - 1];
      next = max(next, before + batch.substitution[amino * batch.letters + code]);
    }
  }
};

/// A row of the lane's columns.
struct CodonStrip {
  std::int32_t best[codon_strip];
  std::int32_t gap[codon_strip];  ///< best gap of codons into the next row

  /// Cells but for the gap of letters, of a row after the first.
  __device__ void pair(const CodonView& view,
                       int amino,
                       std::int32_t diagonal,
                       std::int32_t (&paired)[codon_strip]) const {
    std::int32_t score[codon_strip];
    load_strip(view.profile + amino * codon_width, view.lane, score);
    std::int32_t before = __shfl_up_sync(all_lanes, best[codon_strip - 1], 1);
    if (view.lane == 0) before = diagonal;
#pragma unroll
    for (int c = 0; c < codon_strip; ++c) {
      paired[c] = before + score[c];
      before = best[c];
    }
  }

  /// The row of cells `now`; `to_left` becomes the largest of them to the left of each column,
  /// where `before` is that of the blocks before. Returns that of the next block.
  __device__ std::int32_t spread(const CodonView& view,
                                 const std::int32_t (&now)[codon_strip],
                                 std::int32_t before,
                                 std::int32_t open,
                                 std::int32_t (&to_left)[codon_strip]) {
    std::int32_t largest = now[0];
#pragma unroll
    for (int c = 1; c < codon_strip; ++c) largest = max(largest, now[c]);
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      // Lanes without one that far hear their own.
      largest = max(largest, __shfl_up_sync(all_lanes, largest, d));
    }
    const std::int32_t lanes_before = __shfl_up_sync(all_lanes, largest, 1);
    const std::int32_t all = max(before, __shfl_sync(all_lanes, largest, 31));
    std::int32_t left = view.lane == 0 ? before : max(before, lanes_before);
#pragma unroll
    for (int c = 0; c < codon_strip; ++c) {
      to_left[c] = left;
      best[c] = max(now[c], left + open);
      left = max(left, now[c]);
    }
    return all;
  }
};

/// Code of the amino acid of row i > 1 of a stream.
__device__ inline int codon_amino(const DeviceProteins& batch,
                                  const DeviceProteinCase& c,
                                  const DeviceStream& stream,
                                  std::int32_t row) {
  const std::uint8_t* base =
      batch.bases + c.bases + stream.bases + 3 * std::int64_t{row - 1} - stream.carried;
  return batch.amino[(base[0] * 5 + base[1]) * 5 + base[2]];
}

}  // namespace yupana::splice::cuda
