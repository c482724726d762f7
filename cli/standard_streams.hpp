#pragma once

#include <cstdio>
#include <string_view>

namespace yupana::cli {

/// Keeps the places of standard input, output and error: where one was closed (2>&-), a file of
/// the run would take its number, and messages would be written into that file.
void keep_standard_streams();

/// Writes a text; does not throw. A message that cannot be written (2>/dev/full) changes nothing
/// about the run; standard output is checked by check_standard_output().
void put_text(std::FILE* to, std::string_view text) noexcept;

/// errors: out_of_resources where a text for standard output was not written
void check_standard_output();

}  // namespace yupana::cli
