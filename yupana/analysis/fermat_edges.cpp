#include "yupana/analysis/fermat_edges.hpp"

#include <algorithm>
#include <utility>

#include "yupana/analysis/clustering.hpp"
#include "yupana/analysis/unreachable.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::analysis {
namespace {

/// The `count` smallest reachable entries of row i but (i, i), nearest first.
template <class T>
std::vector<std::int64_t> nearest(const T* row,
                                  std::int64_t i,
                                  std::int64_t n,
                                  std::int64_t count) {
  std::vector<std::int64_t> found;
  for (std::int64_t j = 0; j < n; ++j) {
    const bool full = static_cast<std::int64_t>(found.size()) == count;
    if (j == i || is_unreachable(row[j]) || (full && row[j] >= row[found.back()])) continue;
    if (full) found.pop_back();
    const auto farther = std::upper_bound(
        found.begin(), found.end(), row[j], [&](T d, std::int64_t k) { return d < row[k]; });
    found.insert(farther, j);
  }
  return found;
}

template <class T>
bool own_path(double weight, T length) {
  if constexpr (std::is_integral_v<T>) return weight <= static_cast<double>(length);
  const double slack = std::is_same_v<T, float> ? 0x1p-20 : 0x1p-49;
  return weight <= static_cast<double>(length) * (1 + slack);
}

}  // namespace

template <class T>
std::vector<Edge> fermat_edges(Context& context,
                               MatrixView<const T> lengths,
                               const std::function<double(std::int64_t, std::int64_t)>& weight,
                               const FermatEdgesParams& params) {
  if (params.neighbors < 0) {
    throw usage_error("fermat_edges: expected 0 or more neighbours, got {}", params.neighbors);
  }
  using Pair = std::pair<std::int64_t, std::int64_t>;
  std::vector<Pair> tree = minimum_spanning_tree(context, lengths);
  std::sort(tree.begin(), tree.end());

  const std::int64_t n = lengths.rows;
  std::vector<std::vector<std::int64_t>> near(static_cast<std::size_t>(n));
  if (params.neighbors > 0) {
    context.parallel_for(n, 32, [&](std::int64_t i) {
      context.check_cancelled();
      near[static_cast<std::size_t>(i)] = nearest(lengths.row(i), i, n, params.neighbors);
    });
  }
  std::vector<Pair> pairs = tree;
  for (std::int64_t i = 0; i < n; ++i) {
    for (const std::int64_t j : near[static_cast<std::size_t>(i)])
      pairs.push_back(std::minmax(i, j));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());

  std::vector<Edge> edges;
  for (const auto& [i, j] : pairs) {
    const T length = lengths(i, j);
    const bool in_tree = std::binary_search(tree.begin(), tree.end(), Pair(i, j));
    const bool own = own_path(weight(i, j), length);
    if (in_tree || own) edges.push_back({i, j, static_cast<double>(length), in_tree, own});
  }
  return edges;
}

using Weight = std::function<double(std::int64_t, std::int64_t)>;
YUPANA_FUNCTIONS(YUPANA_DISTANCES, fermat_edges)

}  // namespace yupana::analysis
