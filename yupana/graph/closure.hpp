#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "yupana/core/tiles.hpp"

/// Private to the family: the schedule of the min-plus closure, written once over a store of
/// blocks. A store holds a square matrix somewhere (host memory, the ranks of a run) and has
///
///   block_size                      the largest diagonal block that it closes itself
///   bool symmetric() const          true if it holds one triangle, whose mirror image is the other
///   close_block(v)                  closes the diagonal block of the vertices v; returns a vertex
///                                   of v on a negative cycle, or -1
///   product(rows, steps, columns)   (rows, columns) = min of itself and, over all k of steps,
///                                   (rows, k) + (k, columns); on the diagonal of a symmetric store
///                                   of its upper triangle alone
///
/// Two stores that make the same products have the same bits.
namespace yupana::graph {

/// Boundaries of blocks are multiples of this.
inline constexpr std::int64_t block_alignment = 64;

/// Where the schedule splits n vertices: about half, whole blocks on the first side.
inline std::int64_t split_point(std::int64_t n) {
  return round_up(divide_up(n, 2), block_alignment);
}

/// Closes the diagonal block of the vertices v by R-Kleene: W = [A B; C D], C the transpose of B in
/// a symmetric store. Paths inside the first half come first (A), then those out of it and into it
/// once (B, C), then the second half with the detours through the first (D), and back.
/// Returns a vertex on a negative cycle, or -1: a closed walk of negative length shows on the
/// diagonal of the first block that contains all of it.
template <class Blocks>
std::int64_t close_blocks(Blocks& blocks, Range v) {
  if (v.size() <= Blocks::block_size) return blocks.close_block(v);
  const Range first = {v.begin, v.begin + split_point(v.size())};
  const Range second = {first.end, v.end};
  if (const std::int64_t vertex = close_blocks(blocks, first); vertex >= 0) return vertex;
  blocks.product(first, first, second);
  if (!blocks.symmetric()) blocks.product(second, first, first);
  blocks.product(second, first, second);
  if (const std::int64_t vertex = close_blocks(blocks, second); vertex >= 0) return vertex;
  blocks.product(first, second, second);
  if (!blocks.symmetric()) blocks.product(second, second, first);
  blocks.product(first, second, first);
  return -1;
}

/// The same for n vertices by blocked Floyd-Warshall, `pivots` at a time; for stores of both
/// triangles.
template <class Blocks>
std::int64_t floyd_warshall(Blocks& blocks, std::int64_t n, std::int64_t pivots) {
  for (std::int64_t k = 0; k < n; k += pivots) {
    const Range pivot = {k, std::min(n, k + pivots)};
    if (const std::int64_t vertex = close_blocks(blocks, pivot); vertex >= 0) return vertex;
    const std::array<Range, 2> others = {Range{0, pivot.begin}, Range{pivot.end, n}};
    for (const Range& side : others) {
      blocks.product(pivot, pivot, side);
      blocks.product(side, pivot, pivot);
    }
    for (const Range& rows : others) {
      for (const Range& columns : others) blocks.product(rows, pivot, columns);
    }
  }
  return -1;
}

}  // namespace yupana::graph
