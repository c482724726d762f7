#include "yupana/genotype/grm_dosages.hpp"

#include <algorithm>
#include <vector>

#include "yupana/core/messages.hpp"
#include "yupana/genotype/site_dosages.hpp"

namespace yupana::genotype {
namespace {

constexpr std::int64_t tile_samples = DosageTiles::tile_samples;

/// Standardized dosages of a few sites, and per site the samples, by their places among those kept,
/// whose dosage is missing.
struct Standardized {
  DosageTiles tiles;
  std::vector<std::vector<std::int32_t>> missing;
};

Standardized standardize_sites(Context& context,
                               const CallBlock& block,
                               Range sites,
                               Standardize standardize) {
  const std::int64_t samples = std::ssize(block.samples);
  Standardized result;
  DosageTiles& tiles = result.tiles;
  tiles.sites = sites.size();
  tiles.z = Array<double>::zeros(round_up(samples, tile_samples) * tiles.sites);
  result.missing.resize(static_cast<std::size_t>(tiles.sites));
  context.parallel_for(tiles.sites, 4, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    std::vector<double> z(static_cast<std::size_t>(samples));
    for (std::int64_t s = begin; s < end; ++s) {
      const DosageSums sums = dosage_sums(block.codes, sites.begin + s, block.samples);
      const SiteScale scale = dosage_scale(sums, standardize);
      standardize_dosages(block.codes, sites.begin + s, block.samples, scale, z.data());
      const std::uint16_t* const row = block.codes.dosage_row(sites.begin + s);
      for (std::int64_t i = 0; i < samples; ++i) {
        const std::int64_t at = (i / tile_samples * tiles.sites + s) * tile_samples;
        const auto k = static_cast<std::size_t>(i);
        tiles.z[at + i % tile_samples] = static_cast<float>(z[k]);
        if (sums.calls < samples && row[block.samples[k]] == missing_dosage) {
          result.missing[static_cast<std::size_t>(s)].push_back(static_cast<std::int32_t>(i));
        }
      }
    }
  });
  return result;
}

/// Adds the products of a tile of pairs to those of its pairs that are in the band.
void add_tile(
    Backend backend, const DosageTiles& tiles, std::int64_t row, std::int64_t column, Grm& grm) {
  double sums[tile_samples * tile_samples] = {};
  const auto for_each_row = [&](const auto& copy) {
    const std::int64_t first = row * tile_samples, begin = column * tile_samples;
    for (std::int64_t i = std::max(first, grm.rows.begin);
         i < std::min(first + tile_samples, grm.rows.end);
         ++i) {
      const std::int64_t count = std::min(tile_samples, i + 1 - begin);
      copy(&grm.products[grm.cell(i, begin)], &sums[(i - first) * tile_samples], count);
    }
  };
  for_each_row(
      [](const double* band, double* tile, std::int64_t n) { std::copy_n(band, n, tile); });
  const auto add =
      backend == Backend::reference ? reference::add_dosage_tile : cpu::add_dosage_tile;
  add(tiles.tile(row), tiles.tile(column), tiles.sites, sums);
  for_each_row(
      [](double* band, const double* tile, std::int64_t n) { std::copy_n(tile, n, band); });
}

/// Counts the sites of every pair, and of every sample, that both miss.
void count_missing(Context& context, const Standardized& block, Grm& grm) {
  bool any = false;
  for (const auto& samples : block.missing) {
    any = any || !samples.empty();
    for (const std::int32_t i : samples) ++grm.missing[static_cast<std::size_t>(i)];
  }
  if (!any) return;
  if (grm.missing_both.empty()) {
    grm.missing_both = Array<std::uint32_t>::zeros(grm.products.size());
  }
  context.parallel_for(grm.rows.size(), 64, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (const auto& samples : block.missing) {
      const auto first = std::lower_bound(samples.begin(), samples.end(), grm.rows.begin + begin);
      for (auto i = first; i != samples.end() && *i < grm.rows.begin + end; ++i) {
        std::uint32_t* const row = &grm.missing_both[grm.cell(*i, 0)];
        for (auto j = samples.begin(); j <= i; ++j) ++row[*j];
      }
    }
  });
}

}  // namespace

void add_dosages(
    Context& context, const CallBlock& block, Standardize standardize, Grm& grm, Stage* stage) {
  if (block.codes.dosages.empty())
    throw usage_error("expected blocks with dosages, got hard calls");
  const std::int64_t first = grm.rows.begin / tile_samples;
  const std::int64_t last = divide_up(grm.rows.end, tile_samples);
  const std::int64_t tiles = triangle_cells(last) - triangle_cells(first);
  const auto pairs =
      static_cast<double>(triangle_cells(grm.rows.end) - triangle_cells(grm.rows.begin));
  for (std::int64_t begin = 0; begin < block.codes.sites; begin += DosageTiles::max_sites) {
    const Range sites = {begin, std::min(begin + DosageTiles::max_sites, block.codes.sites)};
    const Standardized standardized = standardize_sites(context, block, sites, standardize);
    context.parallel_for(tiles, 1, [&](std::int64_t index) {
      context.check_cancelled();
      std::int64_t row = first, left = index;
      while (left > row) left -= ++row;
      add_tile(context.backend(), standardized.tiles, row, left, grm);
      if (stage != nullptr) {
        stage->advance(pairs * static_cast<double>(sites.size()) / static_cast<double>(tiles));
      }
    });
    count_missing(context, standardized, grm);
  }
  grm.sites += block.codes.sites;
}

std::uint64_t grm_dosages_bytes(std::int64_t samples) {
  return sizeof(double) * DosageTiles::max_sites *
         static_cast<std::uint64_t>(round_up(samples, tile_samples));
}

}  // namespace yupana::genotype
