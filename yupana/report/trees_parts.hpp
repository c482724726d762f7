#pragma once

#include <cstddef>
#include <string>

#include "yupana/report/trees_page.hpp"

namespace yupana::report {

/// Classes that have a curve in the charts of a page, and the rules c0, c1, ... of their colours.
inline constexpr std::size_t max_class_curves = 12;

/// The figure of a page that shows what predictions hang on; empty without any. Features of numbers
/// are curves, those of categories tables. Of two classes the second is shown.
std::string dependences_of(const TreesReport& report);

/// The tree of a page as nested lists that open and close, closed below depth 6; empty where there
/// is none.
std::string tree_of(const TreesReport& report);

}  // namespace yupana::report
