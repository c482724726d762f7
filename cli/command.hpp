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
  bool quiet = false;    ///< nothing but errors, and results that no file holds
  Comm* comm = nullptr;  ///< the processes that mpirun started; null for one alone
};

/// What a command prints at its end: a sentence or table for people, an object for programs.
struct Answer {
  std::string text;
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  bool is_result = false;  ///< the text is all there is, even with -o: --quiet prints it
};

/// Where a command can run: one that has no CUDA version takes "auto" for the processor.
enum class Runs { anywhere, on_the_processor };

/// Whether mpirun may start several processes of a command.
enum class Ranks { one, many };

/// Options of every command that have no effect on this one: not in its --help, and refused.
struct Ignores {
  bool out = false;
  bool device = false;
  bool threads = false;
  bool memory = false;
  bool gpu_memory = false;
};

/// Adds a subcommand. `body` runs with a context made from the common options; progress and notes
/// go to standard error, Ctrl-C cancels the context. `example` must be a line that works.
/// Folders that -o names are made; those left empty are removed.
/// The returned app takes the command's own options.
CLI::App& add_command(CLI::App& program,
                      const std::string& name,
                      const std::string& purpose,
                      const std::string& example,
                      std::function<Answer(Context&, const CommonOptions&)> body,
                      Runs runs = Runs::anywhere,
                      Ranks ranks = Ranks::one,
                      Ignores ignores = {});

/// Adds an option that takes a whole number of at least 1 with an optional metric suffix ("600M",
/// "30k").
CLI::Option* add_count(CLI::App& app,
                       const std::string& name,
                       std::int64_t& value,
                       const std::string& help);

/// Adds an option that takes bytes, at least 1, with an optional binary suffix ("16G", "500MiB").
CLI::Option* add_bytes(CLI::App& app,
                       const std::string& name,
                       std::uint64_t& value,
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
