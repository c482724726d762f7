#pragma once

#include <string>

#include "cli/options.hpp"
#include "yupana/io/table.hpp"

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

}  // namespace yupana::cli
