#pragma once

#include <string>

#include "yupana/core/context.hpp"

namespace yupana::cli {

/// A name under which what comes through a pipe can be read at any place and more than once: a copy
/// of it, decompressed, in a file without a name in TMPDIR (or /tmp). "-" is standard input. Other
/// names are returned as they are. errors: as of TextStream; out_of_resources for a full disk
std::string readable(Context& context, const std::string& path);

/// A message with the names that were given in place of those of readable().
std::string with_given_names(std::string message);

}  // namespace yupana::cli
