#include <algorithm>
#include <limits>

#include "yupana/genotype/pair_counts.hpp"
#include "yupana/genotype/pair_counts_backends.hpp"

namespace yupana::genotype {
namespace {

std::int64_t cells_in(Range rows) { return triangle_cells(rows.end) - triangle_cells(rows.begin); }

void add_vectors(Comm& comm, std::vector<std::uint64_t>& values) {
  comm.sum(values.data(), std::ssize(values));
}

/// Sums of one triangle over all ranks; this rank's share of the rows.
CountTriangle sum_triangle(Comm& comm,
                           CountTriangle& counts,
                           const std::vector<std::int64_t>& cells,
                           Range mine,
                           bool wide) {
  CountTriangle sum(mine);
  if (!wide) {
    comm.sum_scatter(counts.low(), cells, sum.low());
    counts = {};
    return sum;
  }
  const std::int64_t all = counts.low_words().size();
  Array<std::uint64_t> whole(all), share(cells_in(mine));
  const std::uint32_t* const high = counts.high();
  for (std::int64_t i = 0; i < all; ++i) {
    whole[i] = counts.low()[i] | (high == nullptr ? 0 : std::uint64_t{high[i]} << 32);
  }
  counts = {};
  comm.sum_scatter(whole.data(), cells, share.data());
  sum.widen();
  for (std::int64_t i = 0; i < share.size(); ++i) {
    sum.low()[i] = static_cast<std::uint32_t>(share[i]);
    sum.high()[i] = static_cast<std::uint32_t>(share[i] >> 32);
  }
  return sum;
}

}  // namespace

std::vector<Range> triangle_shares(Range rows, int parts) {
  std::vector<Range> shares;
  const std::int64_t cells = cells_in(rows);
  std::int64_t end = rows.begin;
  for (int part = 1; part <= parts; ++part) {
    // Up to the row at which the cells before it come nearest to their part: no share drifts.
    const std::int64_t before = cells * part / parts;
    const std::int64_t begin = end;
    while (end < rows.end && cells_in({rows.begin, end}) + end / 2 < before) ++end;
    shares.push_back({begin, part == parts ? rows.end : end});
  }
  return shares;
}

PairCounts sum_over_ranks(Comm& comm,
                          PairCounts counts,
                          bool hethet,
                          const std::vector<Range>& shares) {
  if (comm.size() == 1) return counts;
  std::uint64_t facts[2] = {static_cast<std::uint64_t>(counts.sites), !counts.shared.empty()};
  comm.sum(facts, 2);
  if (facts[1] > 0 && counts.shared.empty()) store_shared(counts, hethet);
  const bool wide = facts[0] > std::numeric_limits<std::uint32_t>::max();
  const Range mine = shares[static_cast<std::size_t>(comm.rank())];
  std::vector<std::int64_t> cells;
  for (const Range rows : shares) cells.push_back(cells_in(rows));

  PairCounts sum;
  sum.samples = counts.samples;
  sum.sites = static_cast<std::int64_t>(facts[0]);
  sum.rows = mine;
  sum.ibs1 = sum_triangle(comm, counts.ibs1, cells, mine, wide);
  sum.ibs0 = sum_triangle(comm, counts.ibs0, cells, mine, wide);
  if (facts[1] > 0) {
    sum.shared = sum_triangle(comm, counts.shared, cells, mine, wide);
    if (hethet) {
      sum.hethet = sum_triangle(comm, counts.hethet, cells, mine, wide);
      sum.het = sum_triangle(comm, counts.het, cells, mine, wide);
    }
  }
  sum.called = std::move(counts.called);
  sum.heterozygous = std::move(counts.heterozygous);
  sum.homozygous = std::move(counts.homozygous);
  add_vectors(comm, sum.called);
  add_vectors(comm, sum.heterozygous);
  add_vectors(comm, sum.homozygous);
  return sum;
}

}  // namespace yupana::genotype
