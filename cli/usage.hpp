#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace yupana::cli {

/// One line for a command line that the parser refused: the option, the value it got, and the
/// values it takes; or the unknown word, the nearest known one, and the known ones.
std::string usage_text(const CLI::App& program, const CLI::ParseError& error);

}  // namespace yupana::cli
