#pragma once

#include <cstdint>

#include "yupana/report/report.hpp"
#include "yupana/report/style.hpp"

namespace yupana::report {

/// Shows the individuals by a number: the report's classes become equal steps of its scale, named
/// by their ends.
void color_by(Report& report, Covariate covariate);

/// How a class of the report is drawn; -1 has no style.
ClassStyle style_of(const Report& report, std::int64_t c);

}  // namespace yupana::report
