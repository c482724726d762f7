#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "yupana/genotype/grm_backends.hpp"
#include "yupana/genotype/grm_words.hpp"
#include "yupana/genotype/planes.hpp"
#include "yupana/genotype/transpose.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/genotype/grm_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target:
#include <hwy/highway.h>

#ifndef YUPANA_GRM_CPU_ONCE
#define YUPANA_GRM_CPU_ONCE
namespace yupana::genotype::cpu {

/// Pairs of rows and columns of one slab.
struct PairTile {
  const PlaneBlock& planes;
  const std::int16_t* low;  ///< of the words of the slab
  const std::int16_t* high;
  int digits;
  int shift;
  Range rows;
  Range columns;
};

/// Sums over some sites of a number that the code of a sample chooses, for `samples_per_line`
/// samples from a multiple of them.
struct Lookup {
  const SiteBlock& codes;
  const std::int64_t* tables;  ///< four numbers a site, and four more
  const std::int32_t* sites;
  std::int64_t count;
  std::int64_t line;
};

/// Samples whose codes are one line of the cache.
inline constexpr std::int64_t line_samples = 256;

}  // namespace yupana::genotype::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace yupana::genotype::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::CappedTag<std::uint16_t, 32>;
using Signed = hn::RebindToSigned<Words>;
using Sums = hn::RepartitionToWide<Signed>;
constexpr std::int64_t lanes = hn::MaxLanes(Words());

// The block of pairs whose sums fit the registers: two vectors a pair.
constexpr std::int64_t block_rows = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
constexpr std::int64_t block_columns = HWY_TARGET <= HWY_AVX3 ? 2 : 1;

// Where bits are counted in one instruction and products added in another, squares of one digit are
// not put together from ones and fours: each is multiplied.
#if HWY_TARGET <= HWY_AVX3_DL && HWY_COMPILER_GCC_ACTUAL
// This target's processors have it; not every Highway lets the compiler know.
#pragma GCC target("avx512vnni")
constexpr bool ones_and_fours = true;
HWY_INLINE hn::Vec<Sums> plus_products(hn::Vec<Sums> sums, hn::Vec<Signed> a, hn::Vec<Signed> b) {
  return hn::Vec<Sums>{_mm512_dpwssd_epi32(sums.raw, a.raw, b.raw)};
}
#else
constexpr bool ones_and_fours = false;
HWY_INLINE hn::Vec<Sums> plus_products(hn::Vec<Sums> sums, hn::Vec<Signed> a, hn::Vec<Signed> b) {
  auto unused = hn::Zero(Sums());
  return hn::ReorderWidenMulAccumulate(Sums(), a, b, sums, unused);
}
#endif

/// Bits of each word of `one`, and four times those of `two`.
HWY_INLINE hn::Vec<Signed> squares_of(hn::Vec<Words> one, hn::Vec<Words> two) {
#if HWY_TARGET <= HWY_AVX3_DL || HWY_TARGET == HWY_SCALAR
  const auto squares =
      hn::Add(hn::PopulationCount(one), hn::ShiftLeft<2>(hn::PopulationCount(two)));
#else
  // The bits of bytes; there are at most 8, so that fours do not leave their byte either.
  const Words d;
  const hn::Repartition<std::uint8_t, Words> d8;
  const auto bits = [&](auto v) { return hn::BitCast(d, hn::PopulationCount(hn::BitCast(d8, v))); };
  const auto bytes = hn::Add(bits(one), hn::ShiftLeft<2>(bits(two)));
  const auto squares = hn::Add(hn::ShiftRight<8>(bytes), hn::And(bytes, hn::Set(d, 0xff)));
#endif
  return hn::BitCast(Signed(), squares);
}

/// The sums over the slab of weight * (x - x')^2, x the copies of the minor allele.
template <int digits>
void block_sums(const PairTile& tile,
                const std::uint8_t* const* rows,
                const std::uint8_t* const* columns,
                std::int64_t* sums) {
  const Words d;
  const Signed s;
  const Sums wide;
  hn::Vec<Sums> low[block_rows][block_columns], high[block_rows][block_columns];
  for (auto& row : low) std::fill_n(row, block_columns, hn::Zero(wide));
  for (auto& row : high) std::fill_n(row, block_columns, hn::Zero(wide));
  const auto load = [&](const std::uint8_t* plane) {
    return hn::LoadU(d, reinterpret_cast<const std::uint16_t*>(plane));
  };
  for (std::int64_t word = 0; word < tile.planes.chunks * (chunk_bytes / 2); word += lanes) {
    // Of each chunk 64 bytes of u = [x >= 1] and 64 of w = [x == 1].
    const std::int64_t at = 2 * word + word / (chunk_bytes / 2) * chunk_bytes;
    const auto low_digits = hn::LoadU(s, tile.low + word);
    const auto high_digits = digits == 2 ? hn::LoadU(s, tile.high + word) : hn::Zero(s);
    hn::Vec<Words> u[block_columns], w[block_columns];
    for (std::int64_t c = 0; c < block_columns; ++c) {
      u[c] = load(columns[c] + at);
      w[c] = load(columns[c] + at + chunk_bytes);
    }
    for (std::int64_t r = 0; r < block_rows; ++r) {
      const auto row_u = load(rows[r] + at), row_w = load(rows[r] + at + chunk_bytes);
      for (std::int64_t c = 0; c < block_columns; ++c) {
        const auto by_one = hn::Xor(row_w, w[c]);
        const auto by_two = hn::AndNot(by_one, hn::Xor(row_u, u[c]));
        if constexpr (digits == 1 && ones_and_fours) {
          low[r][c] =
              plus_products(low[r][c], hn::BitCast(s, hn::PopulationCount(by_one)), low_digits);
          high[r][c] =
              plus_products(high[r][c], hn::BitCast(s, hn::PopulationCount(by_two)), low_digits);
        } else {
          const auto squares = squares_of(by_one, by_two);
          low[r][c] = plus_products(low[r][c], squares, low_digits);
          if constexpr (digits == 2) high[r][c] = plus_products(high[r][c], squares, high_digits);
        }
      }
    }
  }
  // By way of memory and without a loop, which would keep the sums in memory all along.
  constexpr std::int64_t width = hn::MaxLanes(Sums()), pairs = block_rows * block_columns;
  alignas(64) std::int32_t parts[2][pairs * width];
  const auto store = [&]<std::size_t... k>(std::index_sequence<k...>) {
    (hn::Store(low[k / block_columns][k % block_columns], wide, parts[0] + k * width), ...);
    (hn::Store(high[k / block_columns][k % block_columns], wide, parts[1] + k * width), ...);
  };
  store(std::make_index_sequence<pairs>());
  const auto sum_of = [&](const std::int32_t* part) {
    return std::int64_t{hn::GetLane(hn::SumOfLanes(wide, hn::Load(wide, part)))};
  };
  constexpr std::int64_t scale = digits == 2 ? 1 << 15 : ones_and_fours ? 4 : 0;
  for (std::int64_t k = 0; k < pairs; ++k) {
    std::int64_t sum = sum_of(parts[0] + k * width);
    if constexpr (scale != 0) sum += sum_of(parts[1] + k * width) * scale;
    sums[k] = sum * (std::int64_t{1} << tile.shift);
  }
}

/// Takes the sums of a tile off its pairs.
void subtract_tile(const PairTile& tile, Grm& grm) {
  for (std::int64_t i = tile.rows.begin; i < tile.rows.end; i += block_rows) {
    const std::int64_t last_row = std::min(i + block_rows, tile.rows.end) - 1;
    const std::uint8_t* rows[block_rows];
    for (std::int64_t r = 0; r < block_rows; ++r) {
      rows[r] = tile.planes.row(std::min(i + r, last_row));
    }
    const std::int64_t columns_end = std::min(tile.columns.end, last_row + 1);
    for (std::int64_t j = tile.columns.begin; j < columns_end; j += block_columns) {
      const std::uint8_t* columns[block_columns];
      for (std::int64_t c = 0; c < block_columns; ++c) {
        columns[c] = tile.planes.row(std::min(j + c, columns_end - 1));
      }
      std::int64_t sums[block_rows * block_columns];
      if (tile.digits == 2) {
        block_sums<2>(tile, rows, columns, sums);
      } else {
        block_sums<1>(tile, rows, columns, sums);
      }
      for (std::int64_t r = i; r <= last_row; ++r) {
        for (std::int64_t c = j; c < std::min({j + block_columns, columns_end, r + 1}); ++c) {
          grm.sums[grm.cell(r, c)] -= sums[(r - i) * block_columns + c - j];
        }
      }
    }
  }
}

/// Adds to sums[0 .. line_samples).
void lookup_sums(const Lookup& lookup, std::int64_t* sums) {
  const hn::CappedTag<std::int64_t, 8> d;
  const hn::RebindToUnsigned<decltype(d)> codes;
  constexpr std::int64_t width = hn::MaxLanes(d);
  const std::int64_t first = lookup.line * (line_samples / 4);
  if constexpr (width < 4) {
    for (std::int64_t k = 0; k < lookup.count; ++k) {
      const std::int64_t site = lookup.sites[k];
      const std::uint8_t* row = lookup.codes.row(site) + first;
      for (std::int64_t i = 0; i < line_samples; ++i) {
        sums[i] += lookup.tables[4 * site + (row[i / 4] >> (2 * (i % 4)) & 3)];
      }
    }
  } else {
    constexpr std::int64_t group = 64;  // samples whose sums are in registers
    constexpr std::int64_t word = 32;   // samples of 64 bits
    constexpr std::int64_t vectors = word / width;
    hn::Vec<decltype(codes)> shifts[vectors];
    for (std::int64_t v = 0; v < vectors; ++v) {
      shifts[v] = hn::ShiftLeft<1>(hn::Iota(codes, static_cast<std::uint64_t>(v * width)));
    }
    const auto three = hn::Set(codes, 3);
    // The line of a site is in the second-level cache, and far from that of the one before.
    for (std::int64_t k = 0; k < lookup.count; ++k) {
      __builtin_prefetch(lookup.codes.row(lookup.sites[k]) + first);
    }
    for (std::int64_t begin = 0; begin < line_samples; begin += group) {
      hn::Vec<decltype(d)> parts[group / width];
      for (auto& part : parts) part = hn::Zero(d);
      for (std::int64_t k = 0; k < lookup.count; ++k) {
        const std::int64_t site = lookup.sites[k];
        const auto table = hn::LoadU(d, lookup.tables + 4 * site);
        std::uint64_t bits[group / word];
        std::memcpy(bits, lookup.codes.row(site) + first + begin / 4, sizeof(bits));
        for (std::int64_t v = 0; v < group / width; ++v) {
          const auto shifted = hn::Shr(hn::Set(codes, bits[v / vectors]), shifts[v % vectors]);
          const auto chosen = hn::IndicesFromVec(d, hn::And(shifted, three));
          parts[v] = hn::Add(parts[v], hn::TableLookupLanes(table, chosen));
        }
      }
      for (std::int64_t v = 0; v < group / width; ++v) {
        std::int64_t* to = sums + begin + v * width;
        hn::StoreU(hn::Add(hn::LoadU(d, to), parts[v]), d, to);
      }
    }
  }
}

}  // namespace yupana::genotype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::genotype::cpu {

HWY_EXPORT(subtract_tile);
HWY_EXPORT(lookup_sums);

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
  std::vector<std::int64_t> samples(static_cast<std::size_t>(grm.samples));
  std::iota(samples.begin(), samples.end(), 0);
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
      HWY_DYNAMIC_DISPATCH(subtract_tile)(tile, grm);
      if (stage != nullptr) stage->advance(share * pairs_of(rows, columns));
    });
  }
}

/// Per sample the sites of a range at which its call is missing.
using SiteLists = std::vector<std::vector<std::int32_t>>;

SiteLists missing_lists(Context& context, const SiteBlock& codes, Range sites) {
  SiteLists lists(static_cast<std::size_t>(codes.samples));
  constexpr std::int64_t line_bytes = line_samples / 4;
  context.parallel_for(
      divide_up(codes.samples, line_samples), 1, [&](std::int64_t begin, std::int64_t end) {
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
  return lists;
}

/// Corrects the pairs of a tile of one line of samples by one for the missing calls of both sides.
void correct_tile(
    const GrmBlock& block, const SiteLists& lists, Range rows, Range columns, Grm& grm) {
  constexpr std::int64_t count_mask = (1 << count_bits) - 1;
  const auto sums_of = [&](std::int64_t sample, Range of, std::int64_t* sums) {
    const auto& list = lists[static_cast<std::size_t>(sample)];
    std::fill_n(sums, line_samples, 0);
    HWY_DYNAMIC_DISPATCH(lookup_sums)
    (Lookup{block.codes,
            block.missing_terms.data(),
            list.data(),
            std::ssize(list),
            of.begin / line_samples},
     sums);
    return !list.empty();
  };
  constexpr std::int64_t group = 8;  // columns that share a line of the cache
  std::int64_t sums[group][line_samples];
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    if (!sums_of(i, columns, sums[0])) continue;
    for (std::int64_t j = columns.begin; j < std::min(columns.end, i + 1); ++j) {
      const std::int64_t sum = sums[0][j - columns.begin];
      grm.sums[grm.cell(i, j)] += 2 * (sum >> count_bits);
      grm.missing_both[grm.cell(i, j)] += static_cast<std::uint32_t>(sum & count_mask);
    }
  }
  const std::int64_t line_begin = rows.begin / line_samples * line_samples;
  for (std::int64_t j = columns.begin; j < std::min(columns.end, rows.end); j += group) {
    const std::int64_t end = std::min({j + group, columns.end, rows.end});
    bool any = false;
    for (std::int64_t k = j; k < end; ++k) any = sums_of(k, rows, sums[k - j]) || any;
    for (std::int64_t i = std::max(rows.begin, j); any && i < rows.end; ++i) {
      for (std::int64_t k = j; k < std::min(end, i + 1); ++k) {
        grm.sums[grm.cell(i, k)] += 2 * (sums[k - j][i - line_begin] >> count_bits);
      }
    }
  }
}

void add_missing(Context& context, const GrmBlock& block, Grm& grm) {
  for (std::int64_t begin = 0; begin < block.sites(); begin += missing_sites) {
    const Range sites = {begin, std::min(begin + missing_sites, block.sites())};
    const SiteLists lists = missing_lists(context, block.codes, sites);
    for (std::size_t i = 0; i < lists.size(); ++i) grm.missing[i] += std::ssize(lists[i]);
    for_each_tile(context, grm.rows, line_samples, [&](Range rows, Range columns) {
      context.check_cancelled();
      correct_tile(block, lists, rows, columns, grm);
    });
  }
}

void add_own(Context& context, const GrmBlock& block, Grm& grm) {
  std::vector<std::int32_t> sites(static_cast<std::size_t>(block.sites()));
  std::iota(sites.begin(), sites.end(), 0);
  context.parallel_for(
      divide_up(grm.samples, line_samples), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t line = begin; line < end; ++line) {
          std::int64_t sums[line_samples] = {};
          for (std::int64_t first = 0; first < block.sites(); first += missing_sites) {
            context.check_cancelled();
            const std::int64_t count = std::min(missing_sites, block.sites() - first);
            HWY_DYNAMIC_DISPATCH(lookup_sums)
            (Lookup{block.codes, block.own_terms.data(), &sites[first], count, line}, sums);
          }
          for (std::int64_t i = 0; i < line_samples; ++i) {
            const std::int64_t sample = line * line_samples + i;
            if (sample < grm.samples) grm.own_sums[sample] += sums[i];
          }
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
#endif  // HWY_ONCE
