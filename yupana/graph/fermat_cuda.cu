// The dense closure of Fermat weights on a GPU, from the host or from distances that are there.
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/graph/fermat_backends.hpp"
#include "yupana/graph/fermat_weights_cuda.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"
#include "yupana/graph/shortest_paths_cuda.hpp"

namespace yupana::graph::cuda {
namespace {

using namespace yupana::cuda;

// Below, a closure takes a core less time than the way to a GPU and back, and the certificate with
// families decides as on the CPU: the same bits for floats, too.
constexpr std::int64_t least_vertices = 1024;

/// Weights and closure on the device of the distances; only lengths come down.
template <class T>
std::int64_t close_there(Context& context, const DeviceSource& source, MatrixView<T> lengths) {
  const DeviceMatrix& from = source.distances;
  const DeviceScope scope(from.device);
  const std::int64_t cells = from.n * from.n;
  DeviceArray<T> weights(cells);
  const Stream stream;
  const WeightRule rule{.power = source.power};
  if (from.type == DeviceMatrix::Type::int32) {
    const auto* const d = static_cast<const std::int32_t*>(from.memory.get());
    make_weights(d, cells, rule, weights.data(), stream);
  } else {
    const auto* const d = static_cast<const double*>(from.memory.get());
    make_weights(d, cells, rule, weights.data(), stream);
  }
  ClosureLimits limits;
  limits.held = from.bytes();
  const std::int64_t kept =
      close_symmetric<T>(context, from.device, weights.data(), from.n, from.n, stream, limits);
  const auto row = static_cast<std::size_t>(from.n) * sizeof(T);
  copy_rows("copy lengths from the GPU",
            {lengths.data, static_cast<std::size_t>(lengths.stride) * sizeof(T)},
            {weights.data(), row},
            row,
            from.n,
            stream);
  stream.wait();
  context.count_moved(row * static_cast<std::size_t>(from.n));
  return kept;
}

}  // namespace

template <class T>
DenseClosure<T> dense_closure(const Context& context, std::int64_t n, const DeviceSource& source) {
  if (n < least_vertices) return cpu::dense_closure<T>(context, n);
  const auto size = static_cast<double>(n);
  // An H200: about 12 T (add+min)/s, a tenth of that in double; the matrix there and back at 20
  // GB/s; 2 ms to begin with.
  const double rate = sizeof(T) == sizeof(double) ? 1.2e12 : 12e12;
  const double seconds = size * size * size / 2 / rate + 2 * size * size * sizeof(T) / 20e9 + 2e-3;
  DenseClosure<T> closure{
      shortest_paths_symmetric<T>, gpu_closure_method, seconds * context.threads(), false};
  // Several devices share the work best when each gets its rows from the host.
  const bool one = context.devices().size() == 1;
  // The distances, the weights and the closure's panels are resident together.
  const bool fits = static_cast<double>(source.distances.bytes()) + size * size * sizeof(T) * 1.25 <
                    static_cast<double>(context.gpu_memory());
  if (!source.distances.empty() && one && fits) {
    closure.compute = [source](Context& there, MatrixView<T> weights) {
      return close_there(there, source, weights);
    };
  }
  return closure;
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, dense_closure)

}  // namespace yupana::graph::cuda
