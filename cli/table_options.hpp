#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "yupana/analysis/measures.hpp"
#include "yupana/io/table.hpp"
#include "yupana/job/trees.hpp"

namespace yupana::cli {

/// How a table's text is cut: --header, --delimiter, --comment, --zero-based, whose names it
/// returns.
Names add_reading_options(Command& command, io::TableParams& reading);
/// What becomes of its columns: --label, --columns, --ignore.
void add_column_options(Command& command, io::TableParams& reading);
/// Which columns are features: --columns, --ignore, which are returned. `standard`: without them.
Names add_feature_options(Command& command, io::TableParams& reading, const std::string& standard);
/// --id.
void add_ids(Command& command, io::TableParams& reading);

/// How a table of the tree and forest commands is read. Returns the names of the options, which
/// have no effect on a command that is given no table. `label`: what --label names.
Names add_tree_table(Command& command,
                     job::TreeTable& table,
                     const char* label = "the column of true labels",
                     bool fits = false);
/// tree fit and forest fit.
void add_fit(Command& program, bool forest);

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
