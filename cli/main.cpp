#include <fmt/core.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/command.hpp"
#include "cli/out_folder.hpp"
#include "cli/standard_streams.hpp"
#include "yupana/cluster/mpi.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/text.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/core/workers.hpp"

namespace hwy::platform {

/// In place of Highway's own, which its library calls when it is loaded, for benchmarks that none
/// runs here: a quarter of the time of `yupana --version`.
[[gnu::visibility("default")]] std::uint64_t TimerResolution();
std::uint64_t TimerResolution() { return 1; }

}  // namespace hwy::platform

namespace {

using yupana::ErrorCode;

constexpr const char* out_of_memory = "out of memory; lower --memory or close other programs";
constexpr const char* unforeseen = "unforeseen fault, please report it: ";

/// Prints "yupana: ", `lead` and `message` as one line and returns the exit status. Where no memory
/// is left, the message is printed as it is. Of several threads that find no memory, or no thread,
/// at a time one prints.
int print_error(ErrorCode code, const char* lead, const char* message) noexcept {
  using yupana::cli::put_text;
  static std::recursive_mutex mutex;  // a fault while printing ends here, too
  static bool printed = false;
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  const int status = static_cast<int>(code);
  if (std::exchange(printed, true)) return status;
  // Every rank finds a fault of the command line: the first reports it.
  if (yupana::cluster::rank_by_environment() > 0) return status;
  try {
    // A file's words may be of any length.
    constexpr std::size_t most = 5000;
    const std::string_view text(message), shown = text.substr(0, most);
    put_text(stderr,
             fmt::format("yupana: {}{}{}\n",
                         lead,
                         yupana::escaped(shown),
                         shown.size() < text.size() ? "..." : ""));
  } catch (const std::bad_alloc&) {
    for (const char* const text : {"yupana: ", lead, message, "\n"}) put_text(stderr, text);
  }
  return status;
}

/// Reports the exception that is being handled and returns the exit status.
int print_current_exception() noexcept {
  try {
    throw;
  } catch (const yupana::Error& error) {
    return print_error(error.code(), "", error.what());
  } catch (const std::bad_alloc&) {
    return print_error(ErrorCode::out_of_resources, out_of_memory, "");
  } catch (const std::length_error& error) {
    return print_error(ErrorCode::out_of_resources, "out of memory: ", error.what());
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) {
      return print_error(ErrorCode::bad_input, unforeseen, error.what());
    }
    return print_error(ErrorCode::out_of_resources, yupana::no_thread, error.what());
  } catch (const std::exception& error) {
    if (yupana::is_refused_thread(error)) {
      return print_error(ErrorCode::out_of_resources, yupana::no_thread, error.what());
    }
    return print_error(ErrorCode::bad_input, unforeseen, error.what());
  }
}

/// Ends the program where no exception may pass: the parser, JSON and others allocate in functions
/// that are declared not to throw. One that unwinding met in such a function is known to be in
/// flight, but not by its type.
[[noreturn]] void end_at_once() noexcept {
  yupana::remove_unfinished_files();
  yupana::cli::remove_out_folders();
  if (std::current_exception()) _exit(print_current_exception());
  if (std::uncaught_exceptions() == 0) std::abort();
  _exit(print_error(ErrorCode::out_of_resources, out_of_memory, ""));
}

struct CommandFile {
  std::string_view names;  ///< of the commands that it adds, between blanks
  void (*add)(yupana::cli::Command&);
};

/// In the order of --help. `completion` and `man` show all commands.
constexpr CommandFile command_files[] = {
    {" filter ", yupana::cli::add_filter},
    {" nj ", yupana::cli::add_nj},
    {" dist ", yupana::cli::add_dist},
    {" fermat ", yupana::cli::add_fermat},
    {" path ", yupana::cli::add_path},
    {" grm ", yupana::cli::add_grm},
    {" pca ", yupana::cli::add_pca},
    {" splice ", yupana::cli::add_splice},
    {" simulate ", yupana::cli::add_simulate},
    {" plan ", yupana::cli::add_plan},
    {" info ", yupana::cli::add_info},
    {" scan reduce merge sort partition ", yupana::cli::add_arrays},
    {" closest ", yupana::cli::add_closest},
    {" trisolve ", yupana::cli::add_trisolve},
    {" fft polymul ", yupana::cli::add_spectral},
    {" tree ", yupana::cli::add_tree},
    {" forest ", yupana::cli::add_forest},
    {" som ", yupana::cli::add_som},
    {" bench ", yupana::cli::add_bench},
    {"", yupana::cli::add_documentation}};

/// The command of that name and those of its file, or all commands: the options of all take longer
/// to add than small inputs to work on.
void add_commands(yupana::cli::Command& program, const std::string& name) {
  const std::string word = ' ' + name + ' ';
  const auto adds_it = [&](const CommandFile& file) {
    return name.find(' ') == name.npos && file.names.find(word) != file.names.npos;
  };
  const bool is_known = std::any_of(std::begin(command_files), std::end(command_files), adds_it);
  for (const CommandFile& file : command_files) {
    if (!is_known || adds_it(file)) file.add(program);
  }
}

}  // namespace

int main(int argc, char** argv) {
  yupana::cli::keep_standard_streams();
  // Past the limit of file sizes (ulimit -f) a write then fails, and its error says so.
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(end_at_once);
#ifdef __GLIBC__
  // Returns freed blocks to the system: glibc would keep many megabytes, beyond a small --memory.
  // Setting one threshold stops both from growing.
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  mallopt(M_TRIM_THRESHOLD, 128 << 10);
#endif
  try {
    yupana::cli::set_command_line(argc, argv);
    yupana::cli::run_program(argc, argv, [&](yupana::cli::Command& program) {
      add_commands(program, argc > 1 ? argv[1] : "");
    });
    yupana::cli::check_standard_output();
    return 0;
  } catch (...) {
    return print_current_exception();
  }
}
