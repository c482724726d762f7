#pragma once

#include <vector>

#include "yupana/job/fermat.hpp"
#include "yupana/report/report.hpp"

namespace yupana::job {

/// What a run knows of relatives and populations, as tables of the report.
std::vector<report::TextTable> tables_of(const FermatJobResult& result);

}  // namespace yupana::job
