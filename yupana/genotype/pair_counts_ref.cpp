#include "yupana/genotype/pair_counts_backends.hpp"

namespace yupana::genotype::reference {
namespace {

bool bit(const PlaneBlock& block, std::int64_t sample, int plane, std::int64_t site) {
  const std::uint8_t* const bytes = block.chunk(sample, site / chunk_sites, plane);
  const std::int64_t within = site % chunk_sites;
  return (bytes[within / 8] >> (within % 8) & 1) != 0;
}

/// Number of A1 alleles; -1 where missing.
int genotype(const PlaneBlock& block, std::int64_t sample, std::int64_t site) {
  if (block.planes == 3 && !bit(block, sample, 2, site)) return -1;
  if (!bit(block, sample, 0, site)) return 0;
  return bit(block, sample, 1, site) ? 1 : 2;
}

}  // namespace

void add_pairs(const PlaneBlock& block, PairCounts& counts) {
  for (std::int64_t k = 0; k < block.sites; ++k) {
    for (std::int64_t i = 0; i < block.samples; ++i) {
      const int x = genotype(block, i, k);
      const auto sample = static_cast<std::size_t>(i);
      counts.called[sample] += x >= 0;
      counts.heterozygous[sample] += x == 1;
      counts.homozygous[sample] += x == 2;
      if (i < counts.rows.begin || i >= counts.rows.end) continue;
      for (std::int64_t j = 0; j <= i; ++j) {
        const int y = genotype(block, j, k);
        if (x < 0 || y < 0) continue;
        const std::int64_t cell = counts.ibs1.offset(i) + j;
        const int difference = x > y ? x - y : y - x;
        if (difference == 1) add_to(counts.ibs1, cell, 1);
        if (difference == 2) add_to(counts.ibs0, cell, 1);
        if (!counts.shared.empty()) add_to(counts.shared, cell, 1);
        if (!counts.hethet.empty() && x == 1 && y == 1) add_to(counts.hethet, cell, 1);
        if (!counts.het.empty() && x == 1) add_to(counts.het, cell, 1);
      }
    }
  }
}

}  // namespace yupana::genotype::reference
