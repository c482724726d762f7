#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/support/bench.hpp"
#include "cli/options.hpp"
#include "yupana/core/context.hpp"
#include "yupana/job/plan.hpp"

namespace yupana::cli {

/// A command as it was called: the options that every command takes.
struct Call {
  Command command;
  ContextParams context = {};
  std::string out = {};          ///< -o: the file to write, or the prefix of several
  bool json = false;             ///< one JSON object on standard output
  bool quiet = false;            ///< nothing but errors, and results that no file holds
  std::string without_gpu = {};  ///< why a GPU that was named may have nothing to do
};

/// Thrown by a body that finds its input is for the processor alone, where the device is "auto": it
/// runs again with that device.
struct OnProcessor {};

/// What a command prints at its end: a sentence or table for people, an object for programs.
struct Answer {
  std::string text = {};
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  bool is_result = false;    ///< no file holds all of the text, even with -o: --quiet prints it
  bool is_plan = false;      ///< nothing was computed, on no device
  std::string written = {};  ///< lines after the text that name files, not of --quiet

  /// Names the files that were written, each after `lead`.
  void add_files(const std::vector<std::string>& files, const std::string& lead = "wrote    ");
};

struct CommandParams {
  std::string name;
  std::string purpose;
  std::string example;           ///< a line that works
  std::string out = {};          ///< what -o must name, where it has to be given
  std::string needed_out = {};   ///< the same where --plan takes none and the run needs it
  bool processor_only = false;   ///< no CUDA version: "auto" is the processor
  std::string without_gpu = {};  ///< of its calls; empty: by processor_only
  bool ranks = false;            ///< mpirun may start several processes
  /// Options of every command that have no effect on this one, as "-o": hidden and refused.
  Names ignored = {};
  /// What the command adds to -o, left out of a name that ends so: "-o m.json" writes that file.
  Names endings = {};
};

/// Adds a command. `body` runs with a context made from the options of the call; progress and notes
/// go to standard error, Ctrl-C cancels the context. Folders that -o names are made; those left
/// empty are removed. The returned command takes options of its own.
Command add_command(Command& parent,
                    const CommandParams& params,
                    std::function<Answer(Context&, const Call&)> body);

/// -o of a command that must write; usage where it is missing. `expected` says what it names.
const std::string& required_out(const Call& call, const std::string& expected);

/// The plan of a run of `command` that --plan prints.
Answer plan_answer(const std::string& command, const job::Plan& plan);

/// Keeps the words that started the program; main() calls it once.
void set_command_line(int count, const char* const* words);
/// The command line as a line that runs it again: the program by its name, words quoted for a shell
/// where they need it.
const std::string& command_line();
/// The words themselves, and a null after them.
const char* const* given_words();

/// The stages of a run as JSON: [{"stage", "seconds", "work", "unit"}].
nlohmann::ordered_json stages_json(const Context& context);

/// Each command registers itself: cli/<command>.cpp.
void add_dist(Command& program);
void add_fermat(Command& program);
void add_filter(Command& program);
void add_nj(Command& program);
void add_grm(Command& program);
void add_pca(Command& program);
void add_path(Command& program);
void add_splice(Command& program);
void add_simulate(Command& program);
void add_plan(Command& program);
void add_info(Command& program);
void add_arrays(Command& program);    ///< scan, reduce, merge, sort, partition
void add_spectral(Command& program);  ///< fft, polymul
void add_closest(Command& program);
void add_trisolve(Command& program);
void add_tree(Command& program);
void add_forest(Command& program);
void add_som(Command& program);
void add_bench(Command& program);
void add_documentation(Command& program);

/// Runs the command that a command line names, out of those that `add_commands` adds; --help and
/// --version print.
///   errors: usage for a command line that means nothing: one line that names the unknown word, the
///   nearest known one and the known ones, or the option and what it takes; and what the command
///   throws
void run_program(int argc,
                 const char* const* argv,
                 const std::function<void(Command&)>& add_commands);

/// The work of `yupana bench NAME`: prints its measurements. In yupana-bench (bench/program.cpp), a
/// program of its own: to compile the benches takes as long as a fifth of everything else. In
/// yupana, which becomes that program.
void measure(Context& context,
             const Call& call,
             const std::string& name,
             const bench::BenchParams& params);

}  // namespace yupana::cli
