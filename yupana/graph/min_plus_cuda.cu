#include "yupana/graph/min_plus_cuda.cuh"

namespace yupana::graph::cuda {

namespace {

// call(a value of the tile's shape).
template <class Kind, class Call>
auto with_shape(TileSize size, const Call& call) {
  switch (size) {
    case TileSize::small:
      return call(typename TileOf<Kind, TileSize::small>::Shape{});
    case TileSize::medium:
      return call(typename TileOf<Kind, TileSize::medium>::Shape{});
    default:
      return call(typename TileOf<Kind, TileSize::large>::Shape{});
  }
}

}  // namespace

template <class Kind>
std::int64_t tile_rows(TileSize size) {
  return with_shape<Kind>(size, [](auto shape) { return std::int64_t{decltype(shape)::rows}; });
}

template <class Kind>
std::int64_t tile_columns(TileSize size) {
  return with_shape<Kind>(size, [](auto shape) {
    return std::int64_t{decltype(shape)::columns * decltype(shape)::cells_per_word};
  });
}

template <class Kind>
void launch_min_plus(const MinPlusTask<Kind>& task, TileSize size, cudaStream_t stream) {
  with_shape<Kind>(size, [&](auto shape) { launch<decltype(shape)>(task, stream); });
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
