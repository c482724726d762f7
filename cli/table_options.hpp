#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "yupana/io/table.hpp"

namespace yupana::cli {

/// How a table's text is cut: --header, --delimiter, --comment, --zero-based, which it returns.
std::vector<CLI::Option*> add_reading_options(CLI::App& app, io::TableParams& reading);
/// What becomes of its columns: --label, --columns, --ignore.
void add_column_options(CLI::App& app, io::TableParams& reading);

}  // namespace yupana::cli
