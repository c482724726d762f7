#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "yupana/core/context.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/graph/fermat.hpp"

/// Private to the family: how distances become weights and lengths roots, cell by cell.
namespace yupana::graph {

/// The facts about distances that decide the type of the weights.
struct WeightRange {
  double largest = 0;                                    ///< finite distance
  double smallest = std::numeric_limits<double>::max();  ///< positive distance
  bool whole = true;                                     ///< every finite distance is an integer
  bool unreachable = false;                              ///< some distance is infinite

  void add(const WeightRange& other) {
    largest = std::max(largest, other.largest);
    smallest = std::min(smallest, other.smallest);
    whole &= other.whole;
    unreachable |= other.unreachable;
  }
};

/// The range of adjacent cells, none of them on the diagonal.
template <class T>
WeightRange weight_range(const T* values, std::int64_t count);

/// Why a pair's distance cannot be one.
inline constexpr const char* missing_distance =
    "a pair without a common called site has no distance; leave such samples out or impute";
inline constexpr const char* negative_distance = "distances must not be negative";
inline constexpr const char* asymmetric_distance = "distances must be symmetric";

template <class T>
Error bad_distance(std::int64_t i, std::int64_t j, T distance, T back, const char* why) {
  return input_error(
      "fermat: the distance between {} and {} is {} (back: {}): {}; samples are counted from 0",
      i,
      j,
      distance,
      back,
      why);
}
template <class T>
Error bad_self_distance(std::int64_t i, T distance) {
  return input_error(
      "fermat: the distance from {} to itself is {}; the diagonal must be zero; samples are "
      "counted from 0",
      i,
      distance);
}

/// weight = (distance / scale)^power, in `precision`.
struct WeightRule {
  Precision precision = Precision::float32;
  double power = 1;
  double scale = 1;
  double unit = 1;         ///< FermatResult::scale
  bool vanishing = false;  ///< some weights are below the normal numbers: zero, or of few digits
};

/// For n vertices whose distances have this range. Throws bad_input for alpha and precision.
WeightRule weight_rule(WeightRange range,
                       std::int64_t n,
                       Entries entries,
                       const FermatParams& params);

/// Says that weights vanish at this alpha.
void note_vanishing(const Context& context, double alpha);

template <class To, class From>
To weight(From distance, double power, double inverse_scale) {
  if (distance == unreachable<From>) return unreachable<To>;
  const double x = static_cast<double>(distance) * inverse_scale;
  if (power == 1) return static_cast<To>(x);
  if (power == 2) return static_cast<To>(x * x);
  return static_cast<To>(std::pow(x, power));
}

/// Of weights and closure in this type.
template <class T>
constexpr Precision precision_of = std::is_integral_v<T>      ? Precision::integer
                                   : std::is_same_v<T, float> ? Precision::float32
                                                              : Precision::float64;

/// The type of roots: that of an integer is no integer.
template <class T>
using RootOf = std::conditional_t<std::is_integral_v<T>, double, T>;

template <class To, class T>
To root_of(T length, double alpha, double unit) {
  if (length == unreachable<T>) return unreachable<To>;
  return static_cast<To>(unit * std::pow(static_cast<double>(length), 1 / alpha));
}

/// Pairs i < j of a result whose smallest weights vanish, without those of which no comparison of
/// length and weight is true.
struct KnownEdges {
  std::int64_t left_out = 0;  ///< their weight is positive, and not far above the smallest number
  std::int64_t kept = 0, replaced = 0, longer = 0, unreachable = 0;

  std::int64_t known() const { return kept + replaced + longer + unreachable; }
};

/// A path loses at most n times the smallest normal number to weights that vanish: negligible
/// against a weight of 2^digits times as much. Of rooted lengths and of estimates only `left_out`
/// is known.
///   `distances`: those, or their squares, that `result` was made from, on the host
///   work: O(n^2); the same for any number of threads
KnownEdges known_edges(Context& context,
                       const AnyMatrix& distances,
                       Entries entries,
                       const FermatResult& result,
                       bool estimated);

}  // namespace yupana::graph
