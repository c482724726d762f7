#include "yupana/core/instantiate.hpp"
#include "yupana/graph/closure.hpp"
#include "yupana/graph/host_blocks.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"

namespace yupana::graph::cpu {
namespace {

// Pivots of a step of blocked Floyd-Warshall.
constexpr std::int64_t pivot_block = 256;

/// Runs a schedule on the matrix in host memory. `largest`: most rows, columns or steps of any of
/// its products.
template <class T, class Schedule>
std::int64_t close_on_host(Context& context,
                           MatrixView<T> weights,
                           Part stored,
                           Signs signs,
                           std::int64_t largest,
                           const Schedule& schedule) {
  const auto n = static_cast<double>(weights.rows);
  const double work = stored == Part::upper_triangle ? n * n * n / 2 : n * n * n;
  Stage stage(context, "shortest paths", work, "add+min");
  MinPlus<T> min_plus(context, stage, signs, largest);
  HostBlocks<T> blocks(min_plus, weights, stored);
  return context.run([&] { return schedule(blocks, weights.rows); });
}

}  // namespace

template <class T>
std::int64_t shortest_paths_symmetric(Context& context, MatrixView<T> weights) {
  return close_on_host(context,
                       weights,
                       Part::upper_triangle,
                       Signs::nonnegative,
                       split_point(weights.rows),
                       [&](HostBlocks<T>& blocks, std::int64_t n) {
                         close_blocks(blocks, {0, n});
                         return mirror(context, weights);
                       });
}

template <class T>
std::int64_t shortest_paths_directed(Context& context, MatrixView<T> weights, Signs signs) {
  return close_on_host(context,
                       weights,
                       Part::whole,
                       signs,
                       split_point(weights.rows),
                       [](HostBlocks<T>& blocks, std::int64_t n) {
                         return close_blocks(blocks, {0, n});
                       });
}

template <class T>
std::int64_t shortest_paths_floyd_warshall(Context& context, MatrixView<T> weights, Signs signs) {
  return close_on_host(
      context,
      weights,
      Part::whole,
      signs,
      weights.rows,
      [](HostBlocks<T>& blocks, std::int64_t n) { return floyd_warshall(blocks, n, pivot_block); });
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES,
                 shortest_paths_symmetric,
                 shortest_paths_directed,
                 shortest_paths_floyd_warshall)

}  // namespace yupana::graph::cpu
