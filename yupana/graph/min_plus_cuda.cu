#include "yupana/graph/min_plus_cuda.cuh"

namespace yupana::graph::cuda {

template <class Kind>
std::int64_t tile_rows([[maybe_unused]] TileSize size) {
  if constexpr (has_small_tile<Kind>) {
    if (size == TileSize::small) return SmallTile<Kind>::rows;
  }
  return LargeTile<Kind>::rows;
}

template <class Kind>
std::int64_t tile_columns([[maybe_unused]] TileSize size) {
  if constexpr (has_small_tile<Kind>) {
    if (size == TileSize::small) return SmallTile<Kind>::columns;
  }
  return LargeTile<Kind>::columns * LargeTile<Kind>::cells_per_word;
}

template <class Kind>
void launch_min_plus(const MinPlusTask<Kind>& task,
                     [[maybe_unused]] TileSize size,
                     cudaStream_t stream) {
  if constexpr (has_small_tile<Kind>) {
    if (size == TileSize::small) return launch<SmallTile<Kind>>(task, stream);
  }
  launch<LargeTile<Kind>>(task, stream);
}

template std::int64_t tile_rows<Int32>(TileSize);
template std::int64_t tile_rows<Float32>(TileSize);
template std::int64_t tile_rows<SignedFloat32>(TileSize);
template std::int64_t tile_rows<Float64>(TileSize);
template std::int64_t tile_rows<Packed16>(TileSize);
template std::int64_t tile_columns<Int32>(TileSize);
template std::int64_t tile_columns<Float32>(TileSize);
template std::int64_t tile_columns<SignedFloat32>(TileSize);
template std::int64_t tile_columns<Float64>(TileSize);
template std::int64_t tile_columns<Packed16>(TileSize);
template void launch_min_plus(const MinPlusTask<Int32>&, TileSize, cudaStream_t);
template void launch_min_plus(const MinPlusTask<Float32>&, TileSize, cudaStream_t);
template void launch_min_plus(const MinPlusTask<SignedFloat32>&, TileSize, cudaStream_t);
template void launch_min_plus(const MinPlusTask<Float64>&, TileSize, cudaStream_t);
template void launch_min_plus(const MinPlusTask<Packed16>&, TileSize, cudaStream_t);

}  // namespace yupana::graph::cuda
