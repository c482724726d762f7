#include <algorithm>

#include "yupana/core/instantiate.hpp"
#include "yupana/graph/sparse_backends.hpp"

namespace yupana::graph::reference {

// Bellman-Ford from every source: every edge n - 1 times, once more to see a negative cycle.
template <class T>
void sparse_paths(Context& context,
                  const SparseGraph<T>& graph,
                  const std::vector<std::int64_t>& sources,
                  Matrix<T>& lengths,
                  Matrix<std::int32_t>* predecessors) {
  constexpr Length<T> none = unreachable<Length<T>>;
  const std::int64_t n = graph.vertices();
  for (std::size_t s = 0; s < sources.size(); ++s) {
    context.check_cancelled();
    std::vector<Length<T>> length(static_cast<std::size_t>(n), none);
    length[static_cast<std::size_t>(sources[s])] = 0;
    std::vector<std::int32_t> before(static_cast<std::size_t>(n), -1);
    bool changed = true;
    for (std::int64_t round = 0; changed; ++round) {
      changed = false;
      for (std::int64_t i = 0; i < n; ++i) {
        const Length<T> here = length[static_cast<std::size_t>(i)];
        if (here == none) continue;
        for (std::int64_t e = graph.offsets[static_cast<std::size_t>(i)];
             e < graph.offsets[static_cast<std::size_t>(i) + 1];
             ++e) {
          const T weight =
              graph.weights.empty() ? T{1} : graph.weights[static_cast<std::size_t>(e)];
          if (weight == unreachable<T>) continue;
          const auto target = static_cast<std::size_t>(graph.targets[static_cast<std::size_t>(e)]);
          if (here + weight < length[target]) {
            length[target] = here + weight;
            before[target] = static_cast<std::int32_t>(i);
            changed = true;
          }
        }
      }
      if (round >= n && changed) throw_negative_cycle(sources[s]);
    }
    for (std::int64_t j = 0; j < n; ++j) {
      lengths(static_cast<std::int64_t>(s), j) = narrow<T>(length[static_cast<std::size_t>(j)]);
    }
    if (predecessors != nullptr) {
      std::copy(before.begin(), before.end(), predecessors->row(static_cast<std::int64_t>(s)));
    }
  }
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, sparse_paths)

}  // namespace yupana::graph::reference
