#pragma once

#include <string_view>

#include "yupana/core/error.hpp"

namespace yupana {

/// "PATH: cannot VERB: ..." of a call that set errno: out_of_resources where the disk, a quota or
/// memory ended, else bad_input.
Error cannot(std::string_view path, std::string_view verb);

}  // namespace yupana
