#pragma once

#include "yupana/core/context.hpp"

namespace yupana::cuda {

/// The GPU in whose memory an argument lies; -1 for memory of the host, managed memory too, where
/// every argument of a context without CUDA is.
int device_of(const Context& context, const void* memory);

}  // namespace yupana::cuda
