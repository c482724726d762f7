#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/report/report.hpp"

namespace yupana::report {

/// A report as a run would fill it, of invented individuals in `classes` clusters: plain distances
/// in ten dimensions and their Fermat distances with alpha = 2, by Floyd and Warshall up to 600
/// individuals and by shrinking the clusters above. The same arguments give the same report.
Report sample_report(std::int64_t individuals, std::int64_t classes);

/// Names that try to leave their place in a page, are no text, or are very long.
const std::vector<std::string>& hostile_names();
/// Such names wherever a name may stand, and numbers that are not finite.
Report hostile_report();

/// No labels, no words, one embedding, empty or equal numbers.
Report bare_report(std::int64_t individuals, std::int64_t dimensions_kept);

}  // namespace yupana::report
