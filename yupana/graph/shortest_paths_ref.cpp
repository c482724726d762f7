#include "yupana/core/instantiate.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"

namespace yupana::graph::reference {

// Floyd-Warshall. `unreachable` is skipped, so that a negative weight after it makes no path.
template <class T>
std::int64_t shortest_paths(Context& context, MatrixView<T> weights) {
  Stage stage(context, "shortest paths", static_cast<double>(weights.rows), "pivots");
  for (std::int64_t k = 0; k < weights.rows; ++k) {
    for (std::int64_t i = 0; i < weights.rows; ++i) {
      if (weights(i, k) == unreachable<T>) continue;
      for (std::int64_t j = 0; j < weights.cols; ++j) {
        if (weights(k, j) == unreachable<T>) continue;
        const T through = weights(i, k) + weights(k, j);
        if (through < weights(i, j)) weights(i, j) = through;
      }
    }
    for (std::int64_t i = 0; i < weights.rows; ++i) {
      if (weights(i, i) < 0) return k;
    }
    stage.advance(1);
  }
  return -1;
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, shortest_paths)

}  // namespace yupana::graph::reference
