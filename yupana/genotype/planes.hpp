#pragma once

#include <cstdint>

#include "yupana/core/array.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/genotype/site_block.hpp"

namespace yupana::genotype {

/// Sites per chunk: 64 bytes a plane, one AVX-512 register, two k256 tensor steps.
inline constexpr std::int64_t chunk_sites = 512;
inline constexpr std::int64_t chunk_bytes = chunk_sites / 8;

/// Individual-major bit planes of a block of sites. With x the genotype (number of A1 alleles):
///   plane 0  u = [x >= 1]     plane 1  w = [x == 1]     plane 2  p = [x is called]
/// v = [x == 2] is u & ~w. Where a call is missing u = w = p = 0; plane 2 exists only if some call
/// of the block is missing. Sample i is one row; per chunk of 512 sites it holds 64 bytes of u, 64
/// of w (and 64 of p), so that a chunk is one contiguous read. Site k of a chunk is bit k % 8 of
/// byte k / 8. Padding sites past `sites` are zero in every plane.
struct PlaneBlock {
  PlaneBlock() = default;
  PlaneBlock(std::int64_t samples_, std::int64_t sites_, int planes_)
      : samples(samples_),
        sites(sites_),
        planes(planes_),
        chunks(divide_up(sites_, chunk_sites)),
        stride(chunks * planes_ * chunk_bytes),
        bytes(samples_ * stride) {}

  std::uint8_t* row(std::int64_t sample) { return bytes.data() + sample * stride; }
  const std::uint8_t* row(std::int64_t sample) const { return bytes.data() + sample * stride; }
  /// 64 bytes: one plane of one chunk of one sample.
  const std::uint8_t* chunk(std::int64_t sample, std::int64_t index, int plane) const {
    return row(sample) + (index * planes + plane) * chunk_bytes;
  }

  std::int64_t samples = 0;
  std::int64_t sites = 0;
  int planes = 2;  ///< 2, or 3 where calls are missing
  std::int64_t chunks = 0;
  std::int64_t stride = 0;  ///< bytes from one sample to the next
  Array<std::uint8_t> bytes;
};

}  // namespace yupana::genotype
