#include <algorithm>
#include <bit>
#include <vector>

#include "yupana/core/tiles.hpp"
#include "yupana/genotype/grm_backends.hpp"
#include "yupana/genotype/grm_sums_cpu.hpp"
#include "yupana/genotype/grm_words.hpp"
#include "yupana/genotype/transpose.hpp"

namespace yupana::genotype::cpu {
namespace {

/// Calls body(rows, columns) for tiles of `edge` that cover the pairs of the band, on all threads.
template <class Body>
void for_each_tile(Context& context, Range band, std::int64_t edge, const Body& body) {
  const std::int64_t first = band.begin / edge;
  const std::int64_t tiles = triangle_tiles(band.end, edge) - triangle_cells(first);
  context.parallel_for(tiles, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t index = begin; index < end; ++index) {
      std::int64_t row = first, left = index;
      while (left > row) left -= ++row;
      body(Range{std::max(row * edge, band.begin), std::min((row + 1) * edge, band.end)},
           Range{left * edge, (left + 1) * edge});
    }
  });
}

/// Pairs of a tile, with those of a sample and itself; its last columns may be past the rows.
double pairs_of(Range rows, Range columns) {
  if (columns.end <= rows.begin) return static_cast<double>(rows.size() * columns.size());
  return static_cast<double>(triangle_cells(rows.end) - triangle_cells(rows.begin) -
                             rows.size() * columns.begin);
}

void add_weights(Context& context, const GrmBlock& block, Grm& grm, Stage* stage) {
  const std::span<const std::int64_t> weights(block.weights.data(), block.weights.bytes() / 8);
  const WeightWords words = weight_words(weights, block.sites());
  auto samples = first_integers<std::int64_t>(grm.samples);
  PlaneBlock planes;
  for (const WeightWords::Slab& slab : words.slabs) {
    transpose(context,
              block.codes,
              samples,
              std::span(words.sites).subspan(slab.sites.begin, slab.sites.size()),
              2,
              planes);
    const std::int64_t word = slab.sites.begin / word_sites;
    // Work is reported in sites of the input: a site may be in several words.
    const double share = static_cast<double>(block.sites() * slab.sites.size()) /
                         static_cast<double>(words.sites.size());
    for_each_tile(context, grm.rows, 64, [&](Range rows, Range columns) {
      const PairTile tile = {
          planes, &words.low[word], &words.high[word], words.digits, slab.shift, rows, columns};
      subtract_tile(tile, grm);
      if (stage != nullptr) stage->advance(share * pairs_of(rows, columns));
    });
  }
}

/// Per sample the sites of a range at which its call is missing.
using SiteLists = std::vector<std::vector<std::int32_t>>;

void fill_missing_lists(Context& context, const SiteBlock& codes, Range sites, SiteLists& lists) {
  context.parallel_for(
      divide_up(codes.samples, line_samples), 1, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t last = std::min(end * line_samples, codes.samples);
        for (std::int64_t i = begin * line_samples; i < last; ++i) lists[i].clear();
        for (std::int64_t site = sites.begin; site < sites.end; ++site) {
          for (std::int64_t at = begin * line_bytes; at < end * line_bytes; at += 8) {
            std::uint64_t word;
            std::memcpy(&word, codes.row(site) + at, 8);
            word &= ~(word >> 1) & 0x5555555555555555;
            for (; word != 0; word &= word - 1) {
              const std::int64_t sample = 4 * at + std::countr_zero(word) / 2;
              if (sample < codes.samples) lists[sample].push_back(static_cast<std::int32_t>(site));
            }
          }
        }
      });
}

/// Corrects the pairs of a tile of one line of samples by one.
class TileCorrections {
 public:
  TileCorrections(const GrmBlock& block, const SiteLists& lists, Grm& grm)
      : block_(block), lists_(lists), grm_(grm) {}

  /// For the missing calls of the rows.
  void add_rows(Range rows, Range columns) {
    std::int64_t sums[line_samples];
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      const Corrections of = corrections(i, columns);
      if (of.sites.empty()) continue;
      std::fill_n(sums, line_samples, 0);
      correction_sums(of, sums);
      std::uint32_t counts[line_samples] = {};
      count_missing(of, counts);
      const std::int64_t cell = grm_.cell(i, columns.begin);
      std::int64_t* const to = &grm_.sums[cell];
      std::uint32_t* const both = &grm_.missing_both[cell];
      const std::int64_t count = std::min(columns.end, i + 1) - columns.begin;
      for (std::int64_t k = 0; k < count; ++k) {
        to[k] += 2 * sums[k];
        both[k] += counts[k % 4 * line_bytes + k / 4];
      }
    }
  }

  /// For the missing calls of the columns.
  void add_columns(Range rows, Range columns) {
    constexpr std::int64_t group = 8;  // columns that share a line of the cache
    std::int64_t sums[group][line_samples];
    const std::int64_t line_begin = rows.begin / line_samples * line_samples;
    const std::int64_t end = std::min(columns.end, rows.end);
    for (std::int64_t first = columns.begin; first < end; first += group) {
      const std::int64_t width = std::min(group, end - first);
      for (std::int64_t k = 0; k < width; ++k) {
        std::fill_n(sums[k], line_samples, 0);
        correction_sums(corrections(first + k, rows), sums[k]);
      }
      for (std::int64_t i = std::max(rows.begin, first); i < rows.end; ++i) {
        std::int64_t* const to = &grm_.sums[grm_.cell(i, first)];
        const std::int64_t count = std::min(width, i + 1 - first);
        for (std::int64_t k = 0; k < count; ++k) to[k] += 2 * sums[k][i - line_begin];
      }
    }
  }

 private:
  Corrections corrections(std::int64_t owner, Range line) const {
    return {block_.codes,
            block_.corrections.data(),
            lists_[static_cast<std::size_t>(owner)],
            line.begin / line_samples};
  }

  const GrmBlock& block_;
  const SiteLists& lists_;
  Grm& grm_;
};

/// The sites from `begin` on whose lists are no larger than the planes of as many sites, or one.
Range next_sites(const GrmBlock& block, std::int64_t begin) {
  const std::int64_t end = std::min(begin + missing_sites, block.sites());
  const std::int64_t most = block.codes.samples * std::min(missing_sites, block.sites()) / 32;
  std::int64_t calls = 0;
  for (std::int64_t site = begin; site < end; ++site) {
    for (std::int64_t at = 0; at < block.codes.stride; at += 8) {
      std::uint64_t word;
      std::memcpy(&word, block.codes.row(site) + at, 8);
      calls += std::popcount(word & ~(word >> 1) & 0x5555555555555555);
    }
    if (calls > most) return {begin, std::max(begin + 1, site)};
  }
  return {begin, end};
}

void add_missing(Context& context, const GrmBlock& block, Grm& grm) {
  SiteLists lists(static_cast<std::size_t>(grm.samples));
  for (Range sites = next_sites(block, 0); sites.size() > 0; sites = next_sites(block, sites.end)) {
    fill_missing_lists(context, block.codes, sites, lists);
    for (std::size_t i = 0; i < lists.size(); ++i) grm.missing[i] += std::ssize(lists[i]);
    for_each_tile(context, grm.rows, line_samples, [&](Range rows, Range columns) {
      context.check_cancelled();
      TileCorrections tile(block, lists, grm);
      tile.add_rows(rows, columns);
      tile.add_columns(rows, columns);
    });
  }
}

void add_own(Context& context, const GrmBlock& block, Grm& grm) {
  auto sites = first_integers<std::int32_t>(block.sites());
  context.parallel_for(divide_up(grm.samples, line_samples), 1, [&](std::int64_t line) {
    std::int64_t sums[line_samples] = {};
    for (std::int64_t first = 0; first < block.sites(); first += missing_sites) {
      context.check_cancelled();
      const std::int64_t count = std::min(missing_sites, block.sites() - first);
      lookup_sums(Lookup{block.codes, block.own_terms.data(), &sites[first], count, line}, sums);
    }
    for (std::int64_t i = 0; i < line_samples; ++i) {
      const std::int64_t sample = line * line_samples + i;
      if (sample < grm.samples) grm.own_sums[sample] += sums[i];
    }
  });
}

}  // namespace

void add_block(Context& context, const GrmBlock& block, Grm& grm, Stage* stage) {
  add_own(context, block, grm);
  add_weights(context, block, grm, stage);
  if (!block.complete) add_missing(context, block, grm);
}

}  // namespace yupana::genotype::cpu
