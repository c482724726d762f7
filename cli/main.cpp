#include <fmt/format.h>
#include <malloc.h>

#include <csignal>
#include <cstdio>
#include <new>
#include <stdexcept>

#include "cli/command.hpp"
#include "cli/standard_streams.hpp"
#include "cli/usage.hpp"
#include "yupana/cluster/mpi.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/escaped.hpp"

namespace {

int print_error(const std::string& message, yupana::ErrorCode code) {
  // Every rank finds a fault of the command line: the first reports it.
  if (yupana::cluster::rank_by_environment() == 0) {
    yupana::cli::put_text(stderr, fmt::format("yupana: {}\n", yupana::escaped(message)));
  }
  return static_cast<int>(code);
}

void add_commands(yupana::cli::Command& program) {
  using namespace yupana::cli;
  add_dist(program);
  add_fermat(program);
  add_path(program);
  add_splice(program);
  add_simulate(program);
  add_plan(program);
  add_info(program);
  add_arrays(program);
  add_closest(program);
  add_trisolve(program);
  add_spectral(program);
  add_tree(program);
  add_forest(program);
  add_som(program);
  add_bench(program);
  add_documentation(program);
}

}  // namespace

int main(int argc, char** argv) {
  using yupana::ErrorCode;
  yupana::cli::keep_standard_streams();
  // Past the limit of file sizes (ulimit -f) a write then fails, and its error says so.
  std::signal(SIGXFSZ, SIG_IGN);
  yupana::cli::set_command_line(argc, argv);
#ifdef __GLIBC__
  // Returns freed blocks to the system: glibc would keep many megabytes, beyond a small --memory.
  // Setting one threshold stops both from growing.
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  mallopt(M_TRIM_THRESHOLD, 128 << 10);
#endif
  try {
    yupana::cli::run_program(argc, argv, add_commands);
    yupana::cli::check_standard_output();
    return 0;
  } catch (const yupana::Error& error) {
    return print_error(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return print_error("out of memory; lower --memory or close other programs",
                       ErrorCode::out_of_resources);
  } catch (const std::length_error& error) {
    return print_error(fmt::format("out of memory: {}", error.what()), ErrorCode::out_of_resources);
  } catch (const std::exception& error) {
    return print_error(fmt::format("unforeseen fault, please report it: {}", error.what()),
                       ErrorCode::bad_input);
  }
}
