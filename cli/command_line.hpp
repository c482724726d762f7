#pragma once

#include <string>

namespace yupana::cli {

/// Keeps the words that started the program; main() calls it once.
void set_command_line(int count, const char* const* words);

/// The command line as a line that runs it again: the program by its name, words quoted for a shell
/// where they need it. Empty before set_command_line().
const std::string& command_line();

}  // namespace yupana::cli
