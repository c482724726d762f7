#include <algorithm>

#include "yupana/core/instantiate.hpp"
#include "yupana/graph/fermat_backends.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"

namespace yupana::graph::reference {

// The whole closure, beside a copy of the weights to count the edges that stayed.
template <class T>
ClosureResult compute_closure(Context& context, SquareMatrix<T>& weights) {
  SquareMatrix<T> before(weights.size());
  std::copy(weights.data(), weights.data() + weights.size() * weights.size(), before.data());
  shortest_paths(context, weights.view());
  ClosureResult result;
  for (std::int64_t i = 0; i < weights.size(); ++i) {
    for (std::int64_t j = 0; j < i; ++j) result.kept += weights(i, j) == before(i, j);
  }
  result.method = "Floyd-Warshall";
  return result;
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, compute_closure)

}  // namespace yupana::graph::reference
