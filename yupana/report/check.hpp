#pragma once

#include "yupana/report/report.hpp"
#include "yupana/report/som_map.hpp"

namespace yupana::report {

/// Throws usage where the parts of a report do not fit together: classes without a name, an
/// embedding of another number of individuals and the like.
void check(const Report& report);
/// The same for a map: a panel without a value for each neuron and the like.
void check(const MapReport& report);

}  // namespace yupana::report
