#pragma once

#include <string>

#include "bench/support/bench.hpp"
#include "cli/command.hpp"

namespace yupana::cli {

/// The work of `yupana bench NAME`: prints its measurements. In yupana-bench (bench/program.cpp), a
/// program of its own: to compile the benches takes as long as a fifth of everything else. In
/// yupana, which becomes that program.
void measure(Context& context,
             const Call& call,
             const std::string& name,
             const bench::BenchParams& params);

}  // namespace yupana::cli
