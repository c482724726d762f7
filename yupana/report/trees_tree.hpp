#pragma once

#include <string>

#include "yupana/report/trees_page.hpp"

namespace yupana::report {

/// The tree of a page as nested lists that open and close, closed below depth 6; empty where there
/// is none.
std::string tree_of(const TreesReport& report);

}  // namespace yupana::report
