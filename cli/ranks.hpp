#pragma once

#include <memory>
#include <string>

#include "yupana/core/comm.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/error.hpp"

namespace yupana::cli {

/// Joins the processes that mpirun started, and gives this one its share of the machine where the
/// user named none: threads, memory and GPUs by the ranks on it.
std::shared_ptr<Comm> join_ranks(ContextParams& params);

/// Ends all ranks because of a fault of this one, with one message: a fault that every rank meets
/// is reported by the first.
[[noreturn]] void end_ranks(Comm& comm, const std::string& message, ErrorCode code);

}  // namespace yupana::cli
