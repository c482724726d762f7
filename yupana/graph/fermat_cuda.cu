#include <cmath>

#include "yupana/graph/fermat_backends.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"

namespace yupana::graph::cuda {

template <class T>
DenseClosure<T> dense_closure(const Context& context, std::int64_t n) {
  const auto size = static_cast<double>(n);
  // An H200: about 12 T (add+min)/s, a tenth of that in double; the matrix there and back at 20
  // GB/s; 2 ms to begin with.
  const double rate = sizeof(T) == sizeof(double) ? 1.2e12 : 12e12;
  const double seconds = size * size * size / 2 / rate + 2 * size * size * sizeof(T) / 20e9 + 2e-3;
  return {shortest_paths_symmetric<T>,
          "symmetric blocked Floyd-Warshall on the GPU",
          seconds * context.threads(),
          false};
}

template DenseClosure<std::int32_t> dense_closure(const Context&, std::int64_t);
template DenseClosure<float> dense_closure(const Context&, std::int64_t);
template DenseClosure<double> dense_closure(const Context&, std::int64_t);

}  // namespace yupana::graph::cuda
