#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "yupana/analysis/measures.hpp"

namespace yupana::cli {

/// All measures as JSON, `classes` empty for numbers: {"rows", "unknown_class_rows", a number each,
/// "classes", "confusion"}, or
/// {"rows", a number each, "error_quantiles"}; null where there is none.
nlohmann::ordered_json measures_json(const std::vector<std::string>& classes,
                                     const analysis::Measures& measures);

/// {"mean": {...}, "std": {...}} of the folds that have a measure; std divides by their number.
nlohmann::ordered_json spread_json(const std::vector<analysis::Measures>& folds);

/// A line of the measures besides the score, and a table of few classes.
std::string measures_text(const std::vector<std::string>& classes,
                          const analysis::Measures& measures);

}  // namespace yupana::cli
