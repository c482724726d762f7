#include "yupana/core/instantiate.hpp"
#include "yupana/graph/min_plus_cuda.cuh"

namespace yupana::graph::cuda {

namespace {

// call(a value of the tile's shape).
template <class Kind, class Call>
auto with_shape(TileSize size, const Call& call) {
  return size == TileSize::small ? call(typename TileOf<Kind, TileSize::small>::Shape{})
                                 : call(typename TileOf<Kind, TileSize::large>::Shape{});
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

YUPANA_FUNCTIONS(YUPANA_KINDS, tile_rows, tile_columns, launch_min_plus)

}  // namespace yupana::graph::cuda
