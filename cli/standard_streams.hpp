#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "yupana/core/context.hpp"

namespace yupana::cli {

/// Keeps the places of standard input, output and error: where one was closed (2>&-), a file of
/// the run would take its number, and messages would be written into that file.
void keep_standard_streams();

/// Writes a text; does not throw. A message that cannot be written (2>/dev/full) changes nothing
/// about the run; standard output is checked by check_standard_output().
void put_text(std::FILE* to, std::string_view text) noexcept;

/// errors: out_of_resources where a text for standard output was not written
void check_standard_output();

/// A name under which what comes through a pipe can be read at any place and more than once: a copy
/// of it, decompressed, in a file without a name in TMPDIR (or /tmp). "-" is standard input. Other
/// names are returned as they are. errors: as of TextStream; out_of_resources for a full disk
std::string readable(Context& context, const std::string& path);

/// A message with the names that were given in place of those of readable().
std::string with_given_names(std::string message);

}  // namespace yupana::cli
