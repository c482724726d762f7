#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/forest/exact.hpp"
#include "yupana/forest/median.hpp"
#include "yupana/forest/problem.hpp"

/// Private to the family.
namespace yupana::forest {

/// A split's gain, but for what all splits of a node share: a fraction, or an integer.
struct Gain {
  Fraction fraction;
  __int128 sum = 0;

  bool operator>(const Gain& other) const {
    const int order = compare(sum, other.sum);
    return order > 0 || (order == 0 && compare(fraction, other.fraction) > 0);
  }
};

inline Gain gain_of(const Problem& problem,
                    const Totals& node,
                    const Totals& left,
                    const Totals& right) {
  Gain gain;
  if (problem.criterion == Criterion::entropy) {
    for (const Totals* side : {&left, &right}) {
      for (const std::int64_t count : side->classes) gain.sum += problem.count_log(count);
      gain.sum -= problem.count_log(side->weight);
    }
    return gain;
  }
  if (problem.criterion == Criterion::absolute_error) {
    gain.sum = -(left.labels->error() + right.labels->error());
    return gain;
  }
  if (problem.criterion == Criterion::poisson) {
    gain.sum = deviance_gain(left.moment, left.weight) + deviance_gain(right.moment, right.weight);
    return gain;
  }
  Fraction& f = gain.fraction;
  f.n = static_cast<std::uint64_t>(left.weight);
  f.m = static_cast<std::uint64_t>(right.weight);
  if (problem.criterion == Criterion::variance) {
    const std::int64_t shift = node.moment / node.weight;
    f.a = square(left.moment - shift * left.weight);
    f.b = square(right.moment - shift * right.weight);
    return gain;
  }
  for (const std::int64_t count : left.classes) f.a += square(count);
  for (const std::int64_t count : right.classes) f.b += square(count);
  return gain;
}

/// Whether both sides have what LeafLimits ask of a child.
inline bool are_large_enough(const LeafLimits& least, const Totals& left, const Totals& right) {
  return std::min(left.rows, right.rows) >= least.rows &&
         std::min(left.weight, right.weight) >= least.weight;
}

}  // namespace yupana::forest
