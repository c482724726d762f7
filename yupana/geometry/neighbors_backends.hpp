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

/// Throws out_of_resources where so many pairs, with the points and their trees, exceed the
/// context's memory.
template <class T>
void check_pairs(const Context& context, const PointSets<T>& sets, std::int64_t pairs);

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
