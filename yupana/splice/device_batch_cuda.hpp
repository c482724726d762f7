#pragma once

#include <cstdint>

/// Private to the family: many cases as they lie on a device. Plain structures, read by kernels.
///
/// A case's target positions 0 .. n are cut into blocks, a block into strips of `columns`
/// positions, one strip a virtual lane: a lane of the warp holds two strips in the halves of its
/// words (or one, in 32 bits). The bases of all starts of a case follow one another in its program,
/// and virtual lane v works on the base that lane 0 had v steps before. A block is the work of one
/// warp.
namespace yupana::splice::cuda {

/// Positions between two starts of a program hold no base; as many as virtual lanes at most, so
/// that all lanes may look up the base of every step.
inline constexpr std::int64_t program_gap = 64;
/// Letters after the last program: loaded ahead of it, never used.
inline constexpr std::int64_t program_end = 128;
/// In the base of an upload: exons end here that are shorter than the longest of their start.
inline constexpr std::uint8_t base_is_read = 0x80;
/// In a letter that passes a warp, above what chooses scores: the same of the low strip, and of the
/// high one, which meets each base a step later.
inline constexpr std::uint32_t low_is_read = 1u << 16, high_is_read = 1u << 17;

struct DeviceStart {
  std::int64_t position = 0;  ///< of its first base in the program of the case
  std::int32_t rows = 0;
  std::int32_t entry = 0;
  std::int32_t none = 0;     ///< zero + begin: without exon before it
  std::int32_t version = 0;  ///< of the best row over all exons that ended before it
  std::int32_t readings_from = 0, readings_to = 0;
  std::int32_t ended_from = 0, ended_to = 0;
  std::int32_t first_ended = 0;  ///< slot; the others are listed
  std::int32_t marks = 0;        ///< rows but the last that are read
};

struct DeviceReading {
  std::int64_t score_of_zero = 0;  ///< score of its exon as last, less the stored value
  std::int32_t rank = 0;
  std::int32_t slot = 0;   ///< -1: no use
  std::int32_t added = 0;  ///< to its last row on the way into the slot
  std::int32_t fresh = 0;  ///< first to write its slot
  std::int32_t mark = 0;   ///< among those of its start; -1: the last row
  std::int32_t rows = 0;
  std::int32_t start = 0;
  std::int32_t unused = 0;
};

struct DeviceCase {
  std::int64_t program = 0;     ///< where it begins among all
  std::int64_t length = 0;      ///< of the program, gaps included
  std::int64_t boundaries = 0;  ///< columns between blocks: `length` words a block and plane
  std::int64_t state = 0;       ///< words of its blocks, block_words each
  std::int64_t block_words = 0;
  std::int64_t stage = 0;       ///< in the words of a block: rows read before the last
  std::int64_t mark_words = 0;  ///< of those rows
  std::int64_t table = 0;       ///< in the words of a block: scores of the columns (32 bits)
  std::int64_t starts = 0, readings = 0, ended = 0;
  std::int64_t target = 0;  ///< its codes
  std::int64_t scores = 0;  ///< for each target code, of up to 8 base letters (16 bits)
  std::int32_t start_count = 0;
  std::int32_t letters = 0;  ///< n
  std::int32_t blocks = 0;
  std::int32_t lanes = 0;    ///< of a warp that hold columns
  std::int32_t columns = 0;  ///< of a strip
  std::int32_t slots = 0;
  std::int32_t gain = 0;  ///< of a column at most
  std::int32_t unused = 0;
};

struct DeviceResult {
  std::int64_t score = 0;
  std::int64_t words_at = 0;  ///< its alignment, from the last column to the first
  std::int64_t words = 0;
  std::int64_t traced_cells = 0;
  std::int32_t reading = -1;
  std::int32_t overflow = 0;  ///< the scores may not have fitted
};

/// One block of one case.
struct WorkItem {
  std::int32_t problem = 0;
  std::int32_t block = 0;
};

/// All that kernels see.
struct DeviceBatch {
  const DeviceCase* cases = nullptr;
  const DeviceStart* starts = nullptr;
  const DeviceReading* readings = nullptr;
  const std::int32_t* ended = nullptr;
  const WorkItem* items = nullptr;  ///< longest case first; blocks of a case from left to right
  const std::uint8_t* bases = nullptr;
  const std::uint8_t* targets = nullptr;
  const std::uint64_t* column_scores = nullptr;
  const std::int32_t* substitution = nullptr;  ///< letters x letters, less 2 extend
  std::uint16_t* program = nullptr;
  std::uint64_t* boundaries = nullptr;
  std::uint32_t* state = nullptr;
  DeviceResult* results = nullptr;
  std::uint32_t* scratch = nullptr;  ///< of the traceback: scratch_words a warp
  std::uint32_t* words = nullptr;    ///< alignments
  std::int32_t* counters = nullptr;  ///< next item; next case to trace; 1: stop
  unsigned long long* words_used = nullptr;
  std::int64_t shared_words = 0;  ///< of shared memory a warp has for rows
  std::int64_t scratch_words = 0;
  std::int64_t path_words = 0;  ///< at the end of a warp's scratch: one alignment
  std::int64_t program_length = 0;
  std::int32_t item_count = 0;
  std::int32_t case_count = 0;
  std::int32_t slab_rows = 0;  ///< kept at once by the traceback
  std::int32_t letters = 0;    ///< of the substitution
  std::int32_t open = 0;
  bool alignment = false;
};

/// Score type, and how the score of a base with a column is found.
enum class Width {
  packed4,  ///< 16 bits, up to 4 base letters
  packed8,  ///< 16 bits, up to 8
  wide      ///< 32 bits, any
};

/// Words of an alignment: the operation in the top two bits, the length below. A marker is followed
/// by a reading.
enum : std::uint32_t { word_pair = 0, word_bases = 1, word_letters = 2, word_exon = 3 };
inline constexpr int word_shift = 30;

/// What a row of scores above a start consists of, in planes of columns * 32 words: values, then,
/// where alignments are wanted, the reading each value comes from (one plane a half); with affine
/// gaps the same again for gaps of bases.
inline constexpr std::int64_t row_planes(int halves, bool affine, bool alignment) {
  return (affine ? 2 : 1) * (alignment ? 1 + halves : 1);
}

inline constexpr int halves_of(Width width) { return width == Width::wide ? 1 : 2; }

}  // namespace yupana::splice::cuda
