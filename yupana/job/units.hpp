#pragma once

#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::job {

/// The shortest digits that read back as the same number: "2", "23.15". In file names, sentences
/// and messages, so that what is printed selects the run.
std::string number_text(double value);

/// outer * (inner * entry)^exponent of the entries of a matrix.
struct Power {
  double exponent = 1;
  double inner = 1;
  double outer = 1;

  double of(double entry) const;
};

/// d of a matrix of d or of d^2.
inline Power distance_power(Entries entries) { return {entries == Entries::squares ? 0.5 : 1.0}; }

/// The unit of the lengths of one alpha: sums of (d / scale)^alpha along a path, or with `rooted`
/// scale * sum^(1 / alpha), which is in the unit of d.
struct LengthUnit {
  double alpha = 2;
  double scale = 1;  ///< 1 unless the weights would leave the range of their type
  bool rooted = false;

  /// The weight of an edge: "d^2", "(d / 64)^16".
  std::string weight_name() const;
  /// What one length is: "sum of d^2", "1/2 power of the sum of d^2, in the unit of d".
  std::string length_name() const;
  /// (d / scale)^alpha
  double weight(double d) const;
  /// The length of a path whose weights have this sum.
  double length(double sum) const;
  /// Lengths are in units of this to the power alpha; 1 of roots.
  double length_scale() const { return rooted ? 1 : scale; }

  // What reports show, from a matrix of d (or of d^2) or of these lengths.

  /// d^alpha in units of shown^alpha, from distances.
  Power weights(Entries entries, double shown) const;
  /// The direct edges in the unit of the lengths, from distances.
  Power edges(Entries entries) const;
  /// F in units of shown^alpha, from lengths.
  Power lengths(double shown) const;
  /// F^(1/alpha) in the unit of d, from lengths.
  Power roots() const;
};

/// Each alpha once, in the order given; notes which were given more than once.
std::vector<double> distinct_alphas(Context& context, const std::vector<double>& alphas);

}  // namespace yupana::job
