#include "yupana/geometry/neighbors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/geometry/closest_pair_backends.hpp"
#include "yupana/geometry/neighbors_backends.hpp"

namespace yupana::geometry {
namespace {

template <class T>
void check_points(Context& context, MatrixView<const T> points, const char* name) {
  if (points.rows < 1) throw input_error("neighbors: expected {}, got none", name);
  if (points.cols < 1 || points.cols > max_dimensions) {
    throw input_error(
        "neighbors: expected {} of 1 to {} coordinates, got {}", name, max_dimensions, points.cols);
  }
  const cpu::Extent extent = cpu::extent_of(context, points);
  if (extent.bad_row >= 0) {
    throw input_error(
        "neighbors: a coordinate of row {} (from 1) of the {} is NaN or infinite; remove "
        "such rows",
        extent.bad_row + 1,
        name);
  }
  if (extent.largest >= coarse_from) {
    throw input_error(
        "neighbors: expected coordinates below 2^500 ({:.4g}), got {:.4g} among the {}; scale them",
        coarse_from,
        extent.largest,
        name);
  }
}

template <class T>
void check_sets(Context& context, const PointSets<T>& sets) {
  check_points(context, sets.a, "points");
  if (sets.b == nullptr) return;
  check_points(context, *sets.b, "queries");
  if (sets.a.cols != sets.b->cols) {
    throw input_error("queries: expected {}, as the points have, got {}",
                      counted(sets.a.cols, "coordinate"),
                      sets.b->cols);
  }
}

template <class T>
Neighbors nearest_of(Context& context, const PointSets<T>& sets, std::int64_t k) {
  check_sets(context, sets);
  const std::int64_t most = sets.a.rows - (sets.b == nullptr ? 1 : 0);
  if (most < 1) throw input_error("neighbors: expected at least 2 points, got 1");
  if (k < 1 || k > most) {
    throw input_error("neighbors: expected k of 1 to {}, as many as there are {}points, got {}",
                      most,
                      sets.b == nullptr ? "other " : "",
                      k);
  }
  if (context.backend() == Backend::reference)
    return reference::nearest_neighbors(context, sets, k);
  return cpu::nearest_neighbors(context, sets, k);
}

/// The greatest key whose distance is at most `radius`.
std::int64_t key_within(double radius) {
  // The greatest key whose distance is at most the radius. Squares of coordinates below 2^500 are
  // below 2^1010; those in fine units, which come before all others, up to 2^400.
  std::int64_t low = std::bit_cast<std::int64_t>(normal_unit.least);
  std::int64_t high = std::bit_cast<std::int64_t>(0x1p1010);
  if (distance_of_key(low) > radius) {
    low = square_key(std::array{0.0}.data(), 1);
    high = low + std::bit_cast<std::int64_t>(0x1p401);
  }
  while (low < high) {
    const std::int64_t middle = std::midpoint(high, low);
    if (distance_of_key(middle) <= radius) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

template <class T>
std::vector<ClosestPair> within_of(Context& context, const PointSets<T>& sets, double radius) {
  check_sets(context, sets);
  if (!(radius >= 0) || std::isinf(radius)) {
    throw usage_error("radius: expected a finite number of at least 0, got {}", radius);
  }
  const std::int64_t key = key_within(radius);
  if (context.backend() == Backend::reference) return reference::pairs_within(context, sets, key);
  return cpu::pairs_within(context, sets, key);
}

/// Bytes of the points with their trees.
template <class T>
double points_bytes(const PointSets<T>& sets) {
  const std::int64_t in_tree = sets.a.cols <= 2 ? 2 : sets.a.cols <= 4 ? sets.a.cols : 8;
  const std::int64_t row = sets.a.cols * static_cast<std::int64_t>(sizeof(T)) + 8 * in_tree + 24;
  return static_cast<double>((sets.a.rows + (sets.b != nullptr ? sets.b->rows : 0)) * row);
}

}  // namespace

template <class T>
std::int64_t max_pairs(const Context& context, const PointSets<T>& sets) {
  const double left = static_cast<double>(context.memory()) - points_bytes(sets);
  return static_cast<std::int64_t>(std::max(0.0, left) / pair_bytes);
}

template <class T>
void check_pairs(const Context& context, const PointSets<T>& sets, std::int64_t pairs, bool all) {
  const std::int64_t most = max_pairs(context, sets);
  if (pairs <= most || (!all && pairs / counted_pairs <= most)) return;
  const double bytes = pair_bytes * static_cast<double>(pairs) + points_bytes(sets);
  const char* const more = all ? "" : "more than ";
  throw Error(ErrorCode::out_of_resources,
              fmt::format("pairs within the radius: {}{}, which need {}{} with the points; {} are "
                          "allowed; take a smaller radius{}",
                          more,
                          pairs,
                          more,
                          needed_bytes(bytes),
                          allowed_bytes(static_cast<double>(context.memory())),
                          all ? " or give --memory " + memory_option(bytes) : ""));
}

template <class T>
Neighbors nearest_neighbors(Context& context, MatrixView<const T> points, std::int64_t k) {
  return nearest_of<T>(context, {points}, k);
}

template <class T>
Neighbors nearest_neighbors(Context& context,
                            MatrixView<const T> points,
                            MatrixView<const T> queries,
                            std::int64_t k) {
  return nearest_of<T>(context, {points, &queries}, k);
}

template <class T>
ClosestPair closest_between(Context& context, MatrixView<const T> a, MatrixView<const T> b) {
  const PointSets<T> sets{a, &b};
  check_sets(context, sets);
  if (context.backend() == Backend::reference) return reference::closest_between(context, sets);
  return cpu::closest_between(context, sets);
}

template <class T>
std::vector<ClosestPair> pairs_within(Context& context, MatrixView<const T> points, double radius) {
  return within_of<T>(context, {points}, radius);
}

template <class T>
std::vector<ClosestPair> pairs_within(Context& context,
                                      MatrixView<const T> a,
                                      MatrixView<const T> b,
                                      double radius) {
  return within_of<T>(context, {a, &b}, radius);
}

#define YUPANA_NEIGHBORS(T)                                                                 \
  template std::int64_t max_pairs(const Context&, const PointSets<T>&);                     \
  template void check_pairs(const Context&, const PointSets<T>&, std::int64_t, bool);       \
  template Neighbors nearest_neighbors(Context&, MatrixView<const T>, std::int64_t);        \
  template Neighbors nearest_neighbors(                                                     \
      Context&, MatrixView<const T>, MatrixView<const T>, std::int64_t);                    \
  template ClosestPair closest_between(Context&, MatrixView<const T>, MatrixView<const T>); \
  template std::vector<ClosestPair> pairs_within(Context&, MatrixView<const T>, double);    \
  template std::vector<ClosestPair> pairs_within(                                           \
      Context&, MatrixView<const T>, MatrixView<const T>, double);
YUPANA_NEIGHBORS(float)
YUPANA_NEIGHBORS(double)

}  // namespace yupana::geometry
