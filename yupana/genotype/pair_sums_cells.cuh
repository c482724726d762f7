#pragma once

#include "yupana/genotype/pair_sums.hpp"

namespace yupana::genotype::cuda {

/// Counts of one pair; 32 bits hold them until the sums are emptied.
struct CellCounts {
  std::uint32_t ibs1 = 0, ibs0 = 0, shared = 0, hethet = 0, het = 0;
};

__device__ inline std::int64_t triangle_cells_before(std::int64_t row) {
  return row * (row + 1) / 2;
}

/// Of row i and column j <= i, i in the band.
__device__ inline CellCounts cell_counts(const SumMatrices& m, std::int64_t i, std::int64_t j) {
  const std::int64_t cell = (i - m.band.begin) * m.band.end + j;
  CellCounts counts;
  if (m.s != nullptr) {
    const unsigned long long* const hom = m.complete + 1 * m.padded_samples;  // planes u, v, w
    const unsigned long long* const het = m.complete + 2 * m.padded_samples;
    const auto het_i = static_cast<std::uint32_t>(het[i]);
    const std::uint32_t w = m.w[cell];
    counts.ibs0 = static_cast<std::uint32_t>(hom[i] + hom[j]) + w - m.s[cell];
    counts.ibs1 = het_i + static_cast<std::uint32_t>(het[j]) - 2 * w;
    counts.shared = m.complete_sites;
    counts.hethet = w;
    counts.het = het_i;
  }
  if (m.p != nullptr) {
    const std::uint32_t h = m.h[cell], w = m.wm[cell];
    counts.ibs0 += h - m.z[cell];
    counts.ibs1 += m.p[cell] - h - w;
    counts.shared += m.p[cell];
    counts.hethet += w;
    if (m.wp != nullptr) counts.het += m.wp[cell];
  }
  return counts;
}

}  // namespace yupana::genotype::cuda
