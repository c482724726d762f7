#pragma once

#include <functional>

#include "cli/options.hpp"

namespace yupana::cli {

/// Runs the command that a command line names, out of those that `add_commands` adds; --help and
/// --version print.
///   errors: usage for a command line that means nothing: one line that names the unknown word, the
///   nearest known one and the known ones, or the option and what it takes; and what the command
///   throws
void run_program(int argc,
                 const char* const* argv,
                 const std::function<void(Command&)>& add_commands);

}  // namespace yupana::cli
