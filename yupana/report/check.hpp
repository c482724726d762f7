#pragma once

#include "yupana/report/report.hpp"

namespace yupana::report {

/// Throws usage where the parts of a report do not fit together: classes without a name, an
/// embedding of another number of individuals and the like.
void check(const Report& report);

}  // namespace yupana::report
