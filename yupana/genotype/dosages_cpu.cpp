#include <algorithm>
#include <atomic>
#include <cstring>

#include "yupana/genotype/dosages_backends.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/genotype/dosages_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target:
#include <hwy/highway.h>

#ifndef YUPANA_DOSAGES_CPU_ONCE
#define YUPANA_DOSAGES_CPU_ONCE
namespace yupana::genotype::cpu {

/// Planes of one chunk, with room for what a vector of few lanes writes past its bits.
struct ChunkPlanes {
  std::uint8_t nonzero[chunk_bytes + 8];
  std::uint8_t one[chunk_bytes + 8];
  std::uint8_t called[chunk_bytes + 8];
  bool missing = false;
  bool valid = true;
};

}  // namespace yupana::genotype::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace yupana::genotype::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A chunk of 512 genotypes, one after the other, the first `sites` of which exist.
void pack_chunk(const std::int8_t* genotypes, std::int64_t sites, ChunkPlanes& planes) {
#if HWY_TARGET == HWY_SCALAR
  planes.missing = false;
  planes.valid = true;
  for (std::int64_t b = 0; b < chunk_bytes; ++b) {
    int nonzero = 0, one = 0, called = 0;
    for (int k = 0; k < 8; ++k) {
      const std::int8_t x = genotypes[8 * b + k];
      nonzero |= (x >= 1) << k;
      one |= (x == 1) << k;
      called |= (x >= 0) << k;
      planes.valid &= x <= 2;
      planes.missing |= x < 0 && 8 * b + k < sites;
    }
    planes.nonzero[b] = static_cast<std::uint8_t>(nonzero);
    planes.one[b] = static_cast<std::uint8_t>(one);
    planes.called[b] = static_cast<std::uint8_t>(called);
  }
#else
  const hn::ScalableTag<std::int8_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto zero = hn::Zero(d);
  const auto unit = hn::Set(d, std::int8_t{1});
  const auto minus = hn::Set(d, std::int8_t{-1});
  auto most = zero;
  for (std::int64_t i = 0; i < chunk_sites; i += lanes) {
    const auto x = hn::LoadU(d, genotypes + i);
    most = hn::Max(most, x);
    hn::StoreMaskBits(d, hn::Gt(x, zero), planes.nonzero + i / 8);
    hn::StoreMaskBits(d, hn::Eq(x, unit), planes.one + i / 8);
    hn::StoreMaskBits(d, hn::Gt(x, minus), planes.called + i / 8);
  }
  planes.valid = hn::AllFalse(d, hn::Gt(most, hn::Set(d, std::int8_t{2})));
  std::int64_t called = 0;
  for (std::int64_t b = 0; b < chunk_bytes; b += 8) {
    std::uint64_t word;
    std::memcpy(&word, planes.called + b, 8);
    called += __builtin_popcountll(word);
  }
  planes.missing = called < sites;
#endif
}

}  // namespace yupana::genotype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::genotype::cpu {

HWY_EXPORT(pack_chunk);

namespace {

/// Samples whose genotypes are gathered together where sites are not contiguous: 16 KiB.
constexpr std::int64_t tile_samples = 32;

/// Genotypes of a chunk of `count` samples from `first`; -1 past the last site.
void gather(const Dosages& dosages,
            std::int64_t first,
            std::int64_t count,
            std::int64_t site,
            std::int64_t sites,
            std::int8_t* tile) {
  for (std::int64_t k = 0; k < sites; ++k) {
    for (std::int64_t i = 0; i < count; ++i) {
      tile[i * chunk_sites + k] = dosages.at(first + i, site + k);
    }
  }
  for (std::int64_t i = 0; i < count; ++i) {
    std::fill(tile + i * chunk_sites + sites, tile + (i + 1) * chunk_sites, std::int8_t{-1});
  }
}

void store(const ChunkPlanes& chunk, int planes, std::uint8_t* to) {
  std::memcpy(to, chunk.nonzero, chunk_bytes);
  std::memcpy(to + chunk_bytes, chunk.one, chunk_bytes);
  if (planes == 3) std::memcpy(to + 2 * chunk_bytes, chunk.called, chunk_bytes);
}

}  // namespace

bool fill_planes(
    Context& context, const Dosages& dosages, Range sites, PlaneBlock& planes, bool& missing) {
  std::atomic<bool> any_missing{false}, valid{true};
  context.parallel_for(dosages.samples, tile_samples, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    Array<std::int8_t> tile(tile_samples * chunk_sites);
    ChunkPlanes chunk;
    for (std::int64_t first = begin; first < end; first += tile_samples) {
      const std::int64_t count = std::min(tile_samples, end - first);
      for (std::int64_t c = 0; c < planes.chunks; ++c) {
        const std::int64_t site = sites.begin + c * chunk_sites;
        const std::int64_t present = std::min(chunk_sites, sites.end - site);
        const bool direct = dosages.site_step == 1 && present == chunk_sites;
        if (!direct) gather(dosages, first, count, site, present, tile.data());
        for (std::int64_t i = 0; i < count; ++i) {
          HWY_DYNAMIC_DISPATCH(pack_chunk)
          (direct ? dosages.data + (first + i) * dosages.sample_step + site
                  : tile.data() + i * chunk_sites,
           present,
           chunk);
          store(chunk, planes.planes, planes.row(first + i) + c * planes.planes * chunk_bytes);
          if (chunk.missing) any_missing.store(true, std::memory_order_relaxed);
          if (!chunk.valid) valid.store(false, std::memory_order_relaxed);
        }
      }
    }
  });
  missing = any_missing;
  return valid;
}

}  // namespace yupana::genotype::cpu
#endif  // HWY_ONCE
