#pragma once

#include <string>
#include <vector>

#include "yupana/core/atomic_file.hpp"

namespace yupana::report {

/// How much a model rests on one feature.
struct Importance {
  std::string feature;
  double impurity = 0;     ///< share of the decrease of impurity
  double permutation = 0;  ///< loss of score when its values are shuffled
  double deviation = 0;    ///< of that loss, over the shuffles
};

/// Horizontal bars of the most important features, at most 40, largest first: the decrease of
/// impurity, and where it was measured the loss of score under shuffling with its deviation.
void write_importances_svg(AtomicFile& file,
                           std::vector<Importance> importances,
                           bool has_permutation);

}  // namespace yupana::report
