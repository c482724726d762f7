#pragma once

#include <cstdint>

#include "yupana/report/report.hpp"

namespace yupana::report {

/// A report as a run would fill it, of invented individuals in `classes` clusters: plain distances
/// in ten dimensions and their Fermat distances with alpha = 2, by Floyd and Warshall up to 600
/// individuals and by shrinking the clusters above. The same arguments give the same report.
Report sample_report(std::int64_t individuals, std::int64_t classes);

}  // namespace yupana::report
