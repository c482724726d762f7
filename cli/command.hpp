#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "yupana/core/comm.hpp"
#include "yupana/core/context.hpp"

namespace yupana::cli {

/// Options every command takes.
struct CommonOptions {
  ContextParams context;
  std::string out;       ///< -o: prefix of the files written
  bool json = false;     ///< one JSON object on standard output
  bool quiet = false;    ///< no progress, no notes
  Comm* comm = nullptr;  ///< the processes that mpirun started; null for one alone
};

/// What a command prints at its end: a sentence or table for people, an object for programs.
struct Answer {
  std::string text;
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
};

/// Where a command can run: one that has no CUDA version takes "auto" for the processor.
enum class Runs { anywhere, on_the_processor };

/// Whether mpirun may start several processes of a command.
enum class Ranks { one, many };

/// Adds a subcommand. `body` runs with a context made from the common options; progress and notes
/// go to standard error, Ctrl-C cancels the context. `example` must be a line that works.
/// The returned app takes the command's own options.
CLI::App& add_command(CLI::App& program,
                      const std::string& name,
                      const std::string& purpose,
                      const std::string& example,
                      std::function<Answer(Context&, const CommonOptions&)> body,
                      Runs runs = Runs::anywhere,
                      Ranks ranks = Ranks::one);

/// Adds an option that takes a count with an optional metric suffix ("600M", "30k").
CLI::Option* add_count(CLI::App& app,
                       const std::string& name,
                       std::int64_t& value,
                       const std::string& help);

/// Adds --seed, a whole number of 64 bits: the parser alone would take -1 for 2^64 - 1.
CLI::Option* add_seed(CLI::App& app, std::uint64_t& seed, const std::string& help);

/// The stages of a run as JSON: [{"stage", "seconds", "work", "unit"}].
nlohmann::ordered_json stages_json(const Context& context);

/// Each command registers itself: cli/<command>.cpp.
void add_dist(CLI::App& program);
void add_fermat(CLI::App& program);
void add_path(CLI::App& program);
void add_splice(CLI::App& program);
void add_simulate(CLI::App& program);
void add_plan(CLI::App& program);
void add_info(CLI::App& program);
void add_scan(CLI::App& program);
void add_reduce(CLI::App& program);
void add_merge(CLI::App& program);
void add_sort(CLI::App& program);
void add_closest(CLI::App& program);
void add_trisolve(CLI::App& program);
void add_fft(CLI::App& program);
void add_polymul(CLI::App& program);
void add_tree(CLI::App& program);
void add_forest(CLI::App& program);
void add_som(CLI::App& program);
void add_bench(CLI::App& program);
void add_documentation(CLI::App& program);

}  // namespace yupana::cli
