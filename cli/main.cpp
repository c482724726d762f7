#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <new>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "yupana/cluster/mpi.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/escaped.hpp"
#include "yupana/core/version.hpp"

namespace {

int complain(const char* message, yupana::ErrorCode code) {
  // What every rank finds in the command line is told by the first.
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
  CLI::App program(
      "Exact parallel algorithms for genomes and big tables: genotype distances, Fermat distances "
      "and shortest paths, on every core.",
      "yupana");
  program.set_version_flag("--version", std::string("yupana ") + yupana::version);
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
    return complain(error.what(), ErrorCode::usage);
  } catch (const yupana::Error& error) {
    return complain(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return complain("out of memory; lower --memory or close other programs",
                    ErrorCode::out_of_resources);
  }
}
