#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "yupana/core/tiles.hpp"
#include "yupana/genotype/transpose_backends.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/genotype/transpose_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target:
#include <hwy/highway.h>

#ifndef YUPANA_GENOTYPE_TRANSPOSE_TILE
#define YUPANA_GENOTYPE_TRANSPOSE_TILE
namespace yupana::genotype::cpu {

/// Samples of a tile: two 16-byte steps of a row. The staged planes are 16 KB (24 KB with three),
/// which leaves room in 32 KB of L1 for the rows passing by.
constexpr std::int64_t tile_samples = 128;
[[maybe_unused]] constexpr std::int64_t tile_bytes = tile_samples / 4;

}  // namespace yupana::genotype::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace yupana::genotype::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

/// Machines without vectors of a known size: code by code.
template <int planes>
void transpose_tile(const std::uint8_t* const* rows,
                    std::int64_t offset,
                    std::int64_t samples,
                    std::uint8_t* staged) {
  std::memset(staged, 0, samples * planes * chunk_bytes);
  for (std::int64_t site = 0; site < chunk_sites; ++site) {
    for (std::int64_t sample = 0; sample < samples; ++sample) {
      const int code = rows[site][offset + sample / 4] >> (2 * (sample % 4)) & 3;
      const int u = ~code & 1;
      std::uint8_t* to = staged + sample * planes * chunk_bytes + site / 8;
      to[0] |= static_cast<std::uint8_t>(u << (site % 8));
      to[chunk_bytes] |= static_cast<std::uint8_t>((u & code >> 1) << (site % 8));
      if (planes == 3) {
        to[2 * chunk_bytes] |= static_cast<std::uint8_t>((u | code >> 1) << (site % 8));
      }
    }
  }
}

#else

using Bytes = hn::ScalableTag<std::uint8_t>;

/// 16 bytes of the rows 0, 16, 32, ...: one row a 128-bit block.
template <class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, const std::uint8_t* const* rows, std::int64_t offset) {
  if constexpr (hn::MaxLanes(D()) <= 16) {
    return hn::LoadU(d, rows[0] + offset);
  } else {
    const hn::Half<D> half;
    return hn::Combine(
        d, load_blocks(half, rows + hn::MaxLanes(half), offset), load_blocks(half, rows, offset));
  }
}

/// Codes of one byte column (4 samples) at one vector of sites -> bit words of their planes,
/// written `plane_stride` apart a plane, `sample_stride` apart a sample. With lo and hi the bits of
/// a code: u = ~lo, w = hi & ~lo, p = hi | ~lo.
template <int planes, class D, class V>
HWY_INLINE void store_bits(D d, V codes, std::uint8_t* to) {
  constexpr std::int64_t sample_stride = planes * chunk_bytes;
  const hn::RebindToSigned<D> di;
  const auto zero = hn::Zero(di);
  const auto even = hn::Set(d, 0x55);
  const auto not_lo = hn::Not(codes);
  const auto not_lo_up = hn::Add(not_lo, not_lo);  // ~lo at the place of hi
  // Bit 2k: u of sample k; bit 2k + 1: w. Shifted out from the top, sample 3 first.
  auto uw = hn::Or(hn::And(even, not_lo), hn::AndNot(even, hn::And(codes, not_lo_up)));
  auto called = hn::Or(codes, not_lo_up);
  HWY_UNROLL(4)
  for (int sample = 3; sample >= 0; --sample) {
    std::uint8_t* row = to + sample * sample_stride;
    hn::StoreMaskBits(di, hn::Lt(hn::BitCast(di, uw), zero), row + chunk_bytes);
    uw = hn::Add(uw, uw);
    hn::StoreMaskBits(di, hn::Lt(hn::BitCast(di, uw), zero), row);
    uw = hn::Add(uw, uw);
    if constexpr (planes == 3) {
      hn::StoreMaskBits(di, hn::Lt(hn::BitCast(di, called), zero), row + 2 * chunk_bytes);
      called = hn::Add(called, called);
      called = hn::Add(called, called);
    }
  }
}

/// One vector of sites x 64 samples. A 16 x 16 byte transposition inside every 128-bit block, four
/// rounds of interleaving, puts the sites of one byte column side by side; bits are then moved out
/// of whole vectors.
template <int planes, class D>
HWY_INLINE void transpose_step(D d,
                               const std::uint8_t* const* rows,
                               std::int64_t offset,
                               std::uint8_t* to) {
  hn::Vec<D> a[16];
  HWY_UNROLL(16)
  for (int i = 0; i < 16; ++i) a[i] = load_blocks(d, rows + i, offset);
  HWY_UNROLL(4)
  for (int round = 0; round < 4; ++round) {
    hn::Vec<D> b[16];
    HWY_UNROLL(8)
    for (int i = 0; i < 8; ++i) {
      b[2 * i] = hn::InterleaveLower(d, a[i], a[i + 8]);
      b[2 * i + 1] = hn::InterleaveUpper(d, a[i], a[i + 8]);
    }
    HWY_UNROLL(16)
    for (int i = 0; i < 16; ++i) a[i] = b[i];
  }
  // Through the stack: unrolled it is 3 % faster, but takes minutes to compile with sanitizers.
  HWY_UNROLL(1)
  for (int i = 0; i < 16; ++i) store_bits<planes>(d, a[i], to + 4 * i * planes * chunk_bytes);
}

/// One chunk of 512 sites x `samples` (at most a tile) into staged[sample][plane][64 bytes].
template <int planes>
void transpose_tile(const std::uint8_t* const* rows,
                    std::int64_t offset,
                    std::int64_t samples,
                    std::uint8_t* staged) {
  const Bytes d;
  constexpr std::int64_t width = hn::MaxLanes(Bytes());
  for (std::int64_t site = 0; site < chunk_sites; site += width) {
    for (std::int64_t sample = 0; sample < samples; sample += 64) {
      transpose_step<planes>(
          d, rows + site, offset + sample / 4, staged + sample * planes * chunk_bytes + site / 8);
    }
  }
}

#endif  // HWY_SCALAR or scalable

/// Highway's tables hold plain functions.
auto transpose_of(int planes) { return planes == 3 ? transpose_tile<3> : transpose_tile<2>; }

}  // namespace yupana::genotype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::genotype::cpu {
namespace {

HWY_EXPORT(transpose_of);

/// The kept samples of one tile: place in the tile, row of the result.
struct Tile {
  std::int64_t first_sample;
  std::vector<std::pair<std::int64_t, std::int64_t>> rows;
};

/// Tiles that hold a kept sample.
std::vector<Tile> tiles_of(const SiteBlock& block, std::span<const std::int64_t> samples) {
  std::vector<Tile> tiles(static_cast<std::size_t>(divide_up(block.samples, tile_samples)));
  for (std::size_t r = 0; r < samples.size(); ++r) {
    tiles[samples[r] / tile_samples].rows.emplace_back(samples[r] % tile_samples, r);
  }
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    tiles[t].first_sample = static_cast<std::int64_t>(t) * tile_samples;
  }
  std::erase_if(tiles, [](const Tile& tile) { return tile.rows.empty(); });
  return tiles;
}

void transpose_chunk_tile(const SiteBlock& block,
                          const std::uint8_t* const* rows,
                          const Tile& tile,
                          std::int64_t chunk,
                          PlaneBlock& result) {
  alignas(64) std::uint8_t staged[tile_samples * 3 * chunk_bytes];
  const std::int64_t offset = tile.first_sample / 4;
  const std::int64_t samples = std::min(tile_samples, block.samples - tile.first_sample);
  HWY_DYNAMIC_DISPATCH(transpose_of)(result.planes)(rows, offset, samples, staged);
  const std::int64_t bytes = result.planes * chunk_bytes;
  for (const auto& [from, to] : tile.rows) {
    std::memcpy(result.row(to) + chunk * bytes, staged + from * bytes, bytes);
  }
}

}  // namespace

void transpose(Context& context,
               const SiteBlock& block,
               std::span<const std::int64_t> samples,
               std::span<const std::int64_t> sites,
               PlaneBlock& result) {
  // Sites that pad the last chunk read this row of missing calls, whose planes are all zero.
  Array<std::uint8_t> missing(block.stride);
  std::memset(missing.data(), 0x55, missing.bytes());
  const std::vector<Tile> tiles = tiles_of(block, samples);
  const std::int64_t tile_count = std::ssize(tiles);
  // About 100 us a piece: enough to hide the scheduler, few enough lost at the end.
  constexpr std::int64_t tiles_per_task = 16;
  context.parallel_for(
      result.chunks * tile_count, tiles_per_task, [&](std::int64_t begin, std::int64_t end) {
        context.check_cancelled();
        const std::uint8_t* rows[chunk_sites];
        std::int64_t chunk_of_rows = -1;
        for (std::int64_t task = begin; task < end; ++task) {
          const std::int64_t chunk = task / tile_count;
          if (chunk != chunk_of_rows) {
            chunk_of_rows = chunk;
            for (std::int64_t i = 0; i < chunk_sites; ++i) {
              const std::int64_t site = chunk * chunk_sites + i;
              rows[i] = site < result.sites ? block.row(sites[site]) : missing.data();
            }
          }
          transpose_chunk_tile(block, rows, tiles[task % tile_count], chunk, result);
        }
      });
}

}  // namespace yupana::genotype::cpu
#endif  // HWY_ONCE
