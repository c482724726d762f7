#include <fmt/format.h>
#include <malloc.h>

#include <csignal>
#include <cstdio>
#include <new>
#include <stdexcept>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/usage.hpp"
#include "yupana/cluster/mpi.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/escaped.hpp"
#include "yupana/core/version.hpp"

namespace {

int complain(const std::string& message, yupana::ErrorCode code) {
  // A fault of the command line is every rank's: the first reports it.
  if (yupana::cluster::rank_by_environment() == 0) {
    fmt::print(stderr, "yupana: {}\n", yupana::escaped(message));
  }
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  using yupana::ErrorCode;
  // A file beyond the limit of its size (ulimit -f) is then a write that failed, and told as such.
  std::signal(SIGXFSZ, SIG_IGN);
  yupana::cli::set_command_line(argc, argv);
#ifdef __GLIBC__
  // Blocks that were freed go back to the system: otherwise glibc comes to keep many megabytes, and
  // small values of --memory are passed. Setting one threshold keeps both where they begin.
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  mallopt(M_TRIM_THRESHOLD, 128 << 10);
#endif
  CLI::App program(
      "Exact parallel algorithms for genomes and big tables: genotype distances, Fermat distances "
      "and shortest paths, on every core.",
      "yupana");
  program.set_version_flag("--version", std::string("yupana ") + yupana::version);
  program.footer(
      "Exit status: 0 done, 2 usage, 3 bad input, 4 not enough memory or disk, 5 device failure, "
      "130 interrupted (Ctrl-C, SIGTERM or SIGHUP).");
  program.require_subcommand(1);
  program.option_defaults()->always_capture_default(false);
  yupana::cli::add_dist(program);
  yupana::cli::add_fermat(program);
  yupana::cli::add_path(program);
  yupana::cli::add_splice(program);
  yupana::cli::add_simulate(program);
  yupana::cli::add_plan(program);
  yupana::cli::add_info(program);
  yupana::cli::add_scan(program);
  yupana::cli::add_reduce(program);
  yupana::cli::add_merge(program);
  yupana::cli::add_sort(program);
  yupana::cli::add_closest(program);
  yupana::cli::add_trisolve(program);
  yupana::cli::add_fft(program);
  yupana::cli::add_polymul(program);
  yupana::cli::add_tree(program);
  yupana::cli::add_forest(program);
  yupana::cli::add_som(program);
  yupana::cli::add_bench(program);
  yupana::cli::add_documentation(program);

  try {
    program.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version: told by the first rank
      return yupana::cluster::rank_by_environment() == 0 ? program.exit(error) : 0;
    }
    return complain(yupana::cli::usage_text(program, error), ErrorCode::usage);
  } catch (const yupana::Error& error) {
    return complain(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return complain("out of memory; lower --memory or close other programs",
                    ErrorCode::out_of_resources);
  } catch (const std::length_error& error) {
    return complain(fmt::format("out of memory: {}", error.what()), ErrorCode::out_of_resources);
  } catch (const std::exception& error) {
    return complain(fmt::format("unforeseen fault, please report it: {}", error.what()),
                    ErrorCode::bad_input);
  }
}
