#pragma once

#include <cstdint>
#include <vector>

#include "yupana/geometry/neighbors.hpp"

/// Private to the family. Points are checked; where `b` is null the pairs are those of `a` with
/// itself.
namespace yupana::geometry {

template <class T>
struct PointSets {
  MatrixView<const T> a;
  const MatrixView<const T>* b = nullptr;
};

/// Bytes of a pair: where it is found, and in order.
constexpr double pair_bytes = 2.0 * sizeof(ClosestPair);
/// Pairs are counted to so many times those that memory holds, for a refusal that says what all
/// need; beyond, counting would take too long.
constexpr std::int64_t counted_pairs = 16;

/// The pairs that the context's memory holds next to the points and their trees.
template <class T>
std::int64_t max_pairs(const Context& context, const PointSets<T>& sets);

/// Throws out_of_resources for more pairs than that, `all` that there are, or for more than are
/// counted.
template <class T>
void check_pairs(const Context& context, const PointSets<T>& sets, std::int64_t pairs, bool all);

namespace reference {
/// Queries are b, or a.
template <class T>
Neighbors nearest_neighbors(Context& context, const PointSets<T>& sets, std::int64_t k);
template <class T>
ClosestPair closest_between(Context& context, const PointSets<T>& sets);
template <class T>
std::vector<ClosestPair> pairs_within(Context& context, const PointSets<T>& sets, std::int64_t key);
}  // namespace reference

namespace cpu {
template <class T>
Neighbors nearest_neighbors(Context& context, const PointSets<T>& sets, std::int64_t k);
template <class T>
ClosestPair closest_between(Context& context, const PointSets<T>& sets);
template <class T>
std::vector<ClosestPair> pairs_within(Context& context, const PointSets<T>& sets, std::int64_t key);
}  // namespace cpu

}  // namespace yupana::geometry
