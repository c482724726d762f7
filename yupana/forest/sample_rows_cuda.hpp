#pragma once

#include <cstdint>

#include "yupana/arrays/workspace_cuda.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/random.hpp"
#include "yupana/forest/level_cuda.hpp"
#include "yupana/forest/reserve_cuda.hpp"

/// Which rows each tree of a forest sees, drawn in device memory with the bits of the processor.
/// Only files of the CUDA build include this.
namespace yupana::forest::cuda {

/// parts_of_rows. Takes 24 bytes a row, and 8 and a few more of `space`, while it works.
ReservedArray<std::uint32_t> sampled_parts(arrays::cuda::Workspace& space,
                                           std::int64_t rows,
                                           std::int64_t trees,
                                           std::uint64_t seed,
                                           cudaStream_t stream);

/// Rows of parts [first, last) alone, in order, and the part of each. What sampled_parts gave is
/// used up.
struct ChosenRows {
  ReservedArray<std::uint32_t> rows;
  ReservedArray<std::uint32_t> parts;
};
ChosenRows chosen_rows(arrays::cuda::Workspace& space,
                       ReservedArray<std::uint32_t> parts,
                       std::int64_t trees,
                       std::int64_t first,
                       std::int64_t last,
                       cudaStream_t stream);
/// How many they are.
std::int64_t rows_of_parts(std::int64_t rows,
                           std::int64_t trees,
                           std::int64_t first,
                           std::int64_t last);

/// sizes[t]: rows of weight above 0 of part first + t, for `trees` of at most max_partition_trees.
void launch_part_sizes(const std::uint32_t* part_of,
                       std::int64_t rows,
                       const Labels& labels,
                       std::int64_t first,
                       std::int64_t trees,
                       unsigned long long* sizes,
                       cudaStream_t stream);

/// repeats[row]: how often `draws` draws by `random` took it, 255 at most; size: those of rows of
/// weight above 0, summed. counts: `rows` words to work in.
void launch_bootstrap(const Random& random,
                      std::int64_t draws,
                      std::int64_t rows,
                      const Labels& labels,
                      std::uint32_t* counts,
                      std::uint8_t* repeats,
                      unsigned long long* size,
                      cudaStream_t stream);
/// The same of a tree that sees every row once.
void launch_once_each(std::int64_t rows,
                      const Labels& labels,
                      std::uint8_t* repeats,
                      unsigned long long* size,
                      cudaStream_t stream);

}  // namespace yupana::forest::cuda
