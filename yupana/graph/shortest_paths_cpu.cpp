#include "yupana/core/instantiate.hpp"
#include "yupana/graph/closure.hpp"
#include "yupana/graph/host_blocks.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"

namespace yupana::graph::cpu {
namespace {

// Pivots of a step of blocked Floyd-Warshall.
constexpr std::int64_t pivot_block = 256;

}  // namespace

template <class T>
std::int64_t shortest_paths_symmetric(Context& context, MatrixView<T> weights) {
  const std::int64_t n = weights.rows;
  const auto size = static_cast<double>(n);
  Stage stage(context, "shortest paths", size * size * size / 2, "add+min");
  MinPlus<T> min_plus(context, stage, Signs::nonnegative, split_point(n));
  HostBlocks<T> blocks(min_plus, weights, Part::upper_triangle);
  return context.run([&] {
    close_blocks(blocks, {0, n});
    return mirror(context, weights);
  });
}

template <class T>
std::int64_t shortest_paths_directed(Context& context,
                                     MatrixView<T> weights,
                                     Signs signs,
                                     PathMethod method) {
  const bool kleene = method != PathMethod::floyd_warshall;
  const std::int64_t n = weights.rows;
  const auto size = static_cast<double>(n);
  Stage stage(context, "shortest paths", size * size * size, "add+min");
  MinPlus<T> min_plus(context, stage, signs, kleene ? split_point(n) : n);
  HostBlocks<T> blocks(min_plus, weights, Part::whole);
  return context.run([&] {
    return kleene ? close_blocks(blocks, {0, n}) : floyd_warshall(blocks, n, pivot_block);
  });
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, shortest_paths_symmetric, shortest_paths_directed)

}  // namespace yupana::graph::cpu
