#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/splice/device_batch_cuda.hpp"

/// Private to the family: proteins as they lie on a device. Plain structures, read by kernels.
///
/// A case's target positions 0 .. n are cut into blocks of `codon_width`, each the work of three
/// warps: the streams of a start, by the bases carried in, are run side by side. Rows between exons
/// are words of best scores and gaps of codons and, where alignments are wanted, of the readings
/// that each comes from. Only files of the CUDA build include this.
namespace yupana::splice::cuda {

inline constexpr int codon_strip = 8;                 ///< columns of a lane
inline constexpr int codon_width = 32 * codon_strip;  ///< of a block

/// Readings taken into a running row: rows [from, to) of `merged`, behind those of `before`.
struct DeviceMerge {
  std::int32_t to = 0;
  std::int32_t before = -1;  ///< row; -1: none. May be `to`
  std::int32_t merged_from = 0, merged_to = 0;
};

/// What a stream can begin with.
struct DeviceCarry {
  std::int32_t row = -1;   ///< best over all exons left with this carry; -1: none
  std::int16_t carry = 0;  ///< 0: the chain may begin here
  std::int16_t amino = 0;  ///< of the first codon, if one ends in the start; -1: it is not read
};

/// The row of an exon, as it is left.
struct DeviceLeaving {
  std::int64_t score_of_zero = 0;  ///< score of its exon as last, less the stored value
  std::int32_t codons = 0;
  std::int32_t reading = 0;
  std::int32_t rank = 0;
  std::int32_t row = -1;    ///< of its end and carry; -1: no use
  std::int32_t added = 0;   ///< on the way into that row
  std::int32_t carry = -1;  ///< without codons: entered with that of the case's carries
  std::int32_t fresh = 0;   ///< first to write its row
  std::int32_t unused = 0;
};

/// A start with 0, 1 or 2 bases carried in.
struct DeviceStream {
  std::int64_t bases = 0;     ///< of the case: the start's first
  std::int64_t boundary = 0;  ///< of the case: words between blocks, two for each row from 0 on
  std::int32_t rows = 0;      ///< codons; 0 too where nothing is carried in so
  std::int32_t entry = 0, begin = 0;
  std::int32_t carried = 0;
  std::int32_t carries_from = 0, carries_to = 0;
  std::int32_t passes_from = 0, passes_to = 0;  ///< leavings without codons, by carry
  std::int32_t leavings_from = 0, leavings_to = 0;
};

struct DeviceProteinStart {
  std::int32_t merges_from = 0, merges_to = 0;
};

struct DeviceProteinReading {
  std::int32_t start = 0;
  std::int32_t bases = 0;
  std::int32_t rank = 0;
};

struct DeviceProteinCase {
  std::int64_t starts = 0;  ///< streams: three a start
  std::int64_t carries = 0, leavings = 0, merges = 0, merged = 0, readings = 0;
  std::int64_t bases = 0, target = 0;
  std::int64_t rows = 0;           ///< words of its blocks
  std::int64_t rows_of_block = 0;  ///< words
  std::int64_t words = 0;          ///< between its blocks
  std::int64_t words_of_block = 0;
  std::int32_t start_count = 0;
  std::int32_t letters = 0;  ///< n
  std::int32_t blocks = 0;
  std::int32_t unused = 0;
};

struct DeviceProteinResult {
  std::int64_t score = 0;
  std::int64_t words_at = 0, words = 0;  ///< its alignment, from the last column to the first
  std::int64_t traced_cells = 0;
  std::int32_t reading = -1;
  std::int32_t carried = 0;  ///< bases, into its exon
};

/// All that kernels see.
struct DeviceProteins {
  const DeviceProteinCase* cases = nullptr;
  const DeviceProteinStart* starts = nullptr;
  const DeviceStream* streams = nullptr;
  const DeviceCarry* carries = nullptr;
  const DeviceLeaving* leavings = nullptr;
  const DeviceMerge* merges = nullptr;
  const std::int32_t* merged = nullptr;
  const DeviceProteinReading* readings = nullptr;
  const WorkItem* items = nullptr;             ///< longest case first; blocks from left to right
  const std::uint8_t* bases = nullptr;         ///< codes, 0 to 4
  const std::uint8_t* targets = nullptr;       ///< codes of the substitution
  const std::int32_t* substitution = nullptr;  ///< letters x letters, less 2 extend
  const std::uint8_t* amino = nullptr;         ///< code of each codon of three base codes
  std::int32_t* rows = nullptr;
  std::uint64_t* between = nullptr;
  DeviceProteinResult* results = nullptr;
  std::uint8_t* scratch = nullptr;   ///< of the traceback: scratch_bytes a warp
  std::uint32_t* words = nullptr;    ///< alignments
  std::int32_t* counters = nullptr;  ///< next item; next case to trace; 1: stop
  unsigned long long* words_used = nullptr;
  std::int64_t scratch_bytes = 0;
  std::int64_t path_words = 0;  ///< at the end of a warp's scratch: one alignment
  std::int64_t row_words = 0;   ///< of a row of a block
  std::int32_t item_count = 0, case_count = 0;
  std::int32_t letters = 0;  ///< of the substitution
  std::int32_t open = 0;
  bool alignment = false;
};

void launch_protein_forward(const DeviceProteins& batch, cudaStream_t stream);
/// Alignments of all cases, by `warps` warps.
void launch_protein_trace(const DeviceProteins& batch, int warps, cudaStream_t stream);

}  // namespace yupana::splice::cuda
