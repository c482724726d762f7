#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "yupana/core/instantiate.hpp"
#include "yupana/geometry/neighbors_backends.hpp"
#include "yupana/geometry/pair_distance.hpp"

namespace yupana::geometry::reference {
namespace {

template <class T>
std::int64_t key_of(const T* x, const T* y, std::int64_t dimensions) {
  std::array<double, max_dimensions> differences{};
  for (std::int64_t k = 0; k < dimensions; ++k) {
    differences[static_cast<std::size_t>(k)] =
        static_cast<double>(x[k]) - static_cast<double>(y[k]);
  }
  return square_key(differences.data(), static_cast<int>(dimensions));
}

/// visit(i, j, key) of every pair, in the order of (i, j).
template <class T, class Visit>
void each_pair(Context& context, const PointSets<T>& sets, const Visit& visit) {
  const MatrixView<const T>& b = sets.b == nullptr ? sets.a : *sets.b;
  for (std::int64_t i = 0; i < sets.a.rows; ++i) {
    context.check_cancelled();
    for (std::int64_t j = sets.b == nullptr ? i + 1 : 0; j < b.rows; ++j) {
      visit(i, j, key_of(sets.a.row(i), b.row(j), b.cols));
    }
  }
}

}  // namespace

template <class T>
Neighbors nearest_neighbors(Context& context, const PointSets<T>& sets, std::int64_t k) {
  const MatrixView<const T>& queries = sets.b == nullptr ? sets.a : *sets.b;
  Neighbors result{{queries.rows, k}, {queries.rows, k}};
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (std::int64_t q = 0; q < queries.rows; ++q) {
    context.check_cancelled();
    all.clear();
    for (std::int64_t i = 0; i < sets.a.rows; ++i) {
      if (sets.b == nullptr && i == q) continue;
      all.emplace_back(key_of(queries.row(q), sets.a.row(i), sets.a.cols), i);
    }
    std::partial_sort(all.begin(), all.begin() + k, all.end());
    for (std::int64_t m = 0; m < k; ++m) {
      const auto& [key, index] = all[static_cast<std::size_t>(m)];
      result.indices(q, m) = index;
      result.distances(q, m) = distance_of_key(key);
    }
  }
  return result;
}

template <class T>
ClosestPair closest_between(Context& context, const PointSets<T>& sets) {
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  ClosestPair pair;
  each_pair(context, sets, [&](std::int64_t i, std::int64_t j, std::int64_t key) {
    if (key >= best) return;
    best = key;
    pair = {i, j, distance_of_key(key)};
  });
  return pair;
}

template <class T>
std::vector<ClosestPair> pairs_within(Context& context,
                                      const PointSets<T>& sets,
                                      std::int64_t limit) {
  const std::int64_t most = max_pairs(context, sets);
  std::vector<ClosestPair> pairs;
  std::int64_t count = 0;
  each_pair(context, sets, [&](std::int64_t i, std::int64_t j, std::int64_t key) {
    if (key > limit) return;
    if (++count <= most) pairs.push_back({i, j, distance_of_key(key)});
    check_pairs(context, sets, count, false);
  });
  check_pairs(context, sets, count, true);
  return pairs;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, nearest_neighbors, closest_between, pairs_within)

}  // namespace yupana::geometry::reference
