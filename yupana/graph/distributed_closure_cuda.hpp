#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/graph/distributed_matrix.hpp"

/// Private to the family: the tiles of a rank on its GPUs, while they are closed.
namespace yupana::graph::cuda {

/// The closure where all ranks are on one machine and their GPUs map each other's memory: each
/// takes part with one GPU, as the GPUs of one process do, and the bits are those of one GPU.
/// False if that cannot be, or the matrix does not fit; nothing has changed then. Collective.
template <class T>
bool close_on_gpus_of_ranks(Context& context, Stage& stage, DistributedSymmetricMatrix<T>& weights);

/// Products are queued, and run while the host works. Blocks and panels are named by their host
/// memory; whole groups of tiles (DistributedSymmetricMatrix::memory) are dealt to the GPUs in
/// turn.
template <class T>
class TileProducts {
 public:
  virtual ~TileProducts() = default;
  /// The operands of the products from now on, steps x cells; the host memory is free again.
  virtual void load_panels(MatrixView<T> left, MatrixView<T> right) = 0;
  /// block(i, j) = min(block(i, j), left(k, top + i) + right(k, begin + j)) over all k.
  virtual void multiply(MatrixView<T> block, std::int64_t top, std::int64_t begin) = 0;
  /// What fetch() brings from now on has the products queued so far; others may still run.
  virtual void record() = 0;
  /// Copies between host and GPU, complete after synchronize().
  virtual void fetch(MatrixView<T> block) = 0;
  virtual void store(MatrixView<T> block) = 0;
  virtual void synchronize() = 0;
};

/// Of the tiles in `groups`, which are copied there; null where the GPUs of the context cannot hold
/// them next to panels of `depth` x `height` and `depth` x `width` cells.
template <class T>
std::unique_ptr<TileProducts<T>> tile_products(Context& context,
                                               const std::vector<MatrixView<T>>& groups,
                                               std::int64_t depth,
                                               std::int64_t height,
                                               std::int64_t width);

}  // namespace yupana::graph::cuda
