#pragma once

#include <cstdint>
#include <string_view>

#include "yupana/core/context.hpp"

namespace yupana::job {

/// Throws out_of_resources where work on a file is about to hold more bytes than --memory allows.
/// `what` names command and file. The program itself, about 15 MB, is not counted.
void check_memory(const Context& context, std::string_view what, std::uint64_t bytes);

}  // namespace yupana::job
