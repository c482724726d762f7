#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/som/search_cuda.hpp"

/// Private to the family; only files of the CUDA build include this: the search of wide maps by
/// tensor cores, which name the few neurons that can be the nearest, and what decides among those.
namespace yupana::som::cuda {

constexpr int tile_rows = 128;     ///< of a tile of 16 KiB
constexpr int tile_features = 64;  ///< bfloat16 values, 128 bytes a row
constexpr int tile_bytes = 16384;
constexpr int neuron_block = 256;  ///< neurons whose scores a block holds at once
constexpr int list_capacity = 16;  ///< candidates; a sample has four lists

/// Rows less the center, in tiles as tensor cores read them: tile (row / 128, feature / 64), row r
/// at 128 r, its 16-byte units swapped by r % 8. `high` holds bfloat16(v), `low` bfloat16(v -
/// high), null if not needed.
struct FilterTiles {
  unsigned char* high = nullptr;
  unsigned char* low = nullptr;
  float4* bounds = nullptr;  ///< by row, rounded up: |v|, |v - high|, |v - high - low|
  std::int64_t rows = 0;     ///< padded ones are zero
  int chunks = 0;            ///< tiles a row

  __device__ const unsigned char* tile(bool lower, std::int64_t block, int chunk) const {
    return (lower ? low : high) + (block * chunks + chunk) * tile_bytes;
  }
};
inline std::int64_t padded_rows(std::int64_t rows) {
  return (rows + neuron_block - 1) / neuron_block * neuron_block;
}
inline int tile_chunks(std::int64_t features) {
  return static_cast<int>((features + tile_features - 1) / tile_features);
}

struct FilterCodebook {
  FilterTiles tiles;         ///< of -2 (w - center)
  float* squares = nullptr;  ///< |w - center|^2, padded
  float* largest = nullptr;  ///< of the bounds: three numbers
};

struct Candidate {
  int neuron;
  float score;
};
struct FilterOutput {
  Candidate* lists = nullptr;  ///< by row: 4 x list_capacity
  int4* counts = nullptr;      ///< of the lists; above list_capacity: the list is incomplete
  float* limits = nullptr;     ///< candidates above it are none
};

/// Samples `first`, ... or, where `list` is given, those it names from `first` on.
struct FilterRange {
  const std::int32_t* list = nullptr;
  std::int64_t first = 0;
  std::int64_t rows = 0;
};

void launch_sample_tiles(const DeviceSamples& samples,
                         const FilterRange& range,
                         const float* center,
                         const FilterTiles& tiles,
                         cudaStream_t stream);
void launch_codebook_tiles(const DeviceCodebook& codebook,
                           const FilterCodebook& filter,
                           cudaStream_t stream);
/// Scores by one product of bfloat16 values, or by three of their halves.
struct FilterTask {
  FilterTiles samples;
  FilterCodebook codebook;
  FilterOutput output;
  int products = 1;  ///< or 3
  int neuron_blocks = 0;
  std::int64_t features = 0;
};
/// Whether the kernel of launch_wgmma() was compiled for the current device: Hopper's.
bool has_wgmma();
void launch_wgmma(const FilterTask& task, cudaStream_t stream);
/// The same on any device; lists may differ in what is above the limits.
void launch_mma(const FilterTask& task, cudaStream_t stream);
/// best[] of the range from the candidates; samples with too many go to open[(*opened)++].
void launch_refine(const DeviceSamples& samples,
                   const DeviceCodebook& codebook,
                   const FilterRange& range,
                   const FilterOutput& output,
                   std::int32_t* best,
                   std::int32_t* open,
                   std::int64_t* opened,
                   cudaStream_t stream);

/// Sums of samples by their neurons: sorted by neuron first, added up in registers.
struct SortScratch {
  std::int32_t* places = nullptr;  ///< by sample: among its neuron's
  std::int32_t* order = nullptr;   ///< by sample
  std::int32_t* starts = nullptr;  ///< by neuron
};
void launch_sorted_sums(const DeviceSamples& samples,
                        std::int64_t neurons,
                        const std::int32_t* best,
                        const SortScratch& scratch,
                        const DeviceSums& sums,
                        cudaStream_t stream);

}  // namespace yupana::som::cuda
