#pragma once

#include <cstdint>

namespace yupana::genotype::cpu {

/// What one pass of a kernel counts for a pair (i, j), i the row. With q = p & p':
enum class PassKind {
  complete,  ///< planes u, w:    e = w ^ w' (IBS1)           f = ~e & (u ^ u') (IBS0)
  pairwise,  ///< planes u, w, p: s = q & ~(w ^ w')           f = s & (u ^ u') (IBS0), and q
  het,       ///< planes u, w, p: w & w' (both heterozygous)  w & p' (row heterozygous, shared)
};

/// 64-bit words of two 32-bit counts that a pass holds for a pair:
///   complete (e, f)   pairwise (s, f), (q, 0); IBS1 = |q| - |s|   het (w & w', w & p')
constexpr int count_words(PassKind kind) { return kind == PassKind::pairwise ? 2 : 1; }

/// How a target's kernel wants its work cut.
struct KernelShape {
  int rows;     ///< rows of a register block
  int columns;  ///< columns of a register block
  int step;     ///< chunks are processed in multiples of this; panels are padded with zeros
  int depth;    ///< chunks of a panel: sites are taken in such blocks
  int strip;    ///< columns of a panel: `depth` chunks of them fill about half an L2 cache
};

/// `shape.rows` rows against `columns` columns of a panel.
struct RowsCall {
  const std::uint8_t* rows;
  std::int64_t row_pitch;         ///< bytes from row to row
  const std::uint8_t* next_rows;  ///< rows of a later call to fetch into cache, or null
  std::int64_t next_pitch;
  const std::uint8_t* column_panel;
  std::int64_t columns;   ///< a multiple of shape.columns
  std::int64_t chunks;    ///< a multiple of shape.step, at most shape.depth
  std::uint32_t* totals;  ///< added to: [columns / shape.columns][word][row][column][2]
};

struct SampleSums {
  std::uint64_t planes[3] = {0, 0, 0};  ///< bits set in each plane
};

/// The kernels of the best instruction set this machine has.
KernelShape kernel_shape();
void count_rows(PassKind kind, const RowsCall& call);
/// Bits of each plane of `chunks` chunks of one row.
SampleSums sum_sample(const std::uint8_t* row, std::int64_t chunks, int planes);

}  // namespace yupana::genotype::cpu
