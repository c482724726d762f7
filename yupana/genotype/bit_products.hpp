#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"

/// Private to the CUDA build: sums(i, j) += popcount(plane of row i & plane of row j) for the lower
/// triangle, on binary tensor cores. All pair counts are made of such products. Planes of bytes
/// give the sums of their products, modulo 2^32, of which relationships are made.
namespace yupana::genotype::cuda {

/// Rows come in pairs of 128, products in squares of 256.
inline constexpr std::int64_t product_edge = 256;
/// Sites of one step: 128 bytes a row.
inline constexpr std::int64_t product_sites = 1024;
inline constexpr std::int64_t product_bytes = product_sites / 8;

/// Bit planes of a block of sites in device memory, cut into steps of 1,024 sites: step s of plane
/// p is a table of rows of 128 bytes, number p x steps + s, so that the tile of 128 rows that a
/// block works on is one contiguous read. Within a row of 128 bytes the 16-byte piece c is stored
/// at place c ^ (row % 8), where the tensor cores want it. Rows are padded with zeros to a multiple
/// of 256.
struct DevicePlanes {
  const std::uint8_t* bytes = nullptr;
  std::int64_t rows = 0;  ///< padded
  int planes = 0;
  int steps = 0;  ///< of 1,024 sites, in each plane
  std::int64_t size() const { return planes * steps * rows * product_bytes; }
#ifdef __CUDACC__
  /// Row `row` of step `step`, counted over all planes.
  __host__ __device__ const std::uint8_t* tile(std::int64_t step, std::int64_t row) const {
    return bytes + (step * rows + row) * product_bytes;
  }
#endif
};

/// Products of `count` neighbouring planes (all against their own kind, summed into one matrix);
/// `column_plane` differs from `row_plane` only where a product is not symmetric.
struct Product {
  int row_plane = 0;
  int column_plane = 0;
  int count = 1;
  std::uint32_t* sums = nullptr;  ///< row-major, of the band's padded rows x `columns`
};

/// Which part of the triangle a set of sums holds: rows [begin, end) of it, both multiples of 256,
/// and all columns up to `end`, the row length.
struct Band {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  constexpr std::int64_t rows() const { return end - begin; }
  constexpr std::int64_t columns() const { return end; }
  constexpr std::int64_t cells() const { return rows() * columns(); }
};

/// What a row of 128 bytes holds: 1,024 sites, or numbers of 128.
enum class Elements { bits, bytes };

/// Which instruction multiplies.
enum class BitMethod {
  automatic,  ///< the fastest that was compiled for the device
  wgmma,      ///< warp-group tensor instructions: code for Hopper
  mma_rows,   ///< mma, where a block may have 144 KiB of shared memory
  mma,        ///< tensor instructions of compute capability 8.0, anywhere
};

/// The methods that the current device runs, slowest first.
std::vector<BitMethod> compiled_methods(Elements elements = Elements::bits);

/// The squares of a band in the order they are worked, in memory of the current device.
class BitProducts {
 public:
  explicit BitProducts(Band band,
                       BitMethod method = BitMethod::automatic,
                       Elements elements = Elements::bits);
  /// Queues all products of a block on `stream`. `planes` must cover the band's columns.
  void add(const DevicePlanes& planes, std::span<const Product> products, cudaStream_t stream);
  const Band& band() const { return band_; }

 private:
  Band band_;
  BitMethod method_;
  Elements elements_;
  int multiprocessors_ = 0;
  yupana::cuda::DeviceArray<int2> squares_;  ///< (row, column) in units of 256, rows from the top
};

}  // namespace yupana::genotype::cuda
