#include "cli/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "cli/interrupts.hpp"
#include "cli/out_folder.hpp"
#include "cli/ranks.hpp"
#include "yupana/cluster/mpi.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/escaped.hpp"
#include "yupana/core/machine.hpp"

namespace yupana::cli {
namespace {

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

/// One line on a terminal, rewritten in place: stage, share, rate, time left.
void draw(const Progress& progress) {
  const double rate = progress.seconds > 0 ? progress.done / progress.seconds : 0;
  std::string line = progress.stage.data();
  if (progress.total > 0) {
    line += fmt::format(" {:3.0f} %", 100 * std::min(1.0, progress.done / progress.total));
  }
  if (!progress.unit.empty()) line += fmt::format("  {} {}/s", human_count(rate), progress.unit);
  if (progress.total > progress.done && rate > 0) {
    line += fmt::format("  {} left", clock_text((progress.total - progress.done) / rate));
  }
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
}

Answer run(const CommonOptions& options,
           const std::function<Answer(Context&, const CommonOptions&)>& body) {
  Context context(options.context);
  const bool draws = !options.quiet && isatty(STDERR_FILENO) != 0;
  if (draws) context.on_progress(draw);
  if (!options.quiet) {
    context.on_note([draws](const std::string& note) {
      fmt::print(stderr, "{}note: {}\n", draws ? "\r\033[K" : "", escaped(note));
    });
  }
  const OutFolder folder(options.out);
  struct Line {
    bool draws;
    ~Line() {
      if (draws) fmt::print(stderr, "\r\033[K");
    }
  } line{draws};
  const Interrupts interrupts(context);
  try {
    return body(context, options);
  } catch (const Error& error) {
    // A call that the signal ended has an error of its own.
    if (!context.cancelled() || error.code() == ErrorCode::interrupted) throw;
    throw Error(ErrorCode::interrupted, interrupted_text);
  }
}

void print(const CommonOptions& options, const Answer& answer) {
  const bool result = answer.is_result || options.out.empty();
  std::FILE* const to = is_standard_output(options.out) ? stderr : stdout;
  if (options.json) {
    // Names of files may be no UTF-8.
    using Handler = nlohmann::ordered_json::error_handler_t;
    if (!answer.json.empty()) {
      fmt::print("{}\n", answer.json.dump(-1, ' ', false, Handler::replace));
    }
  } else if (result || !options.quiet) {
    fmt::print(to, "{}", answer.text);
  }
  if (std::fflush(to) != 0) {
    throw Error(ErrorCode::out_of_resources, "standard output: cannot write");
  }
}

/// One of several processes: the first tells of progress and of the result.
void run_in_ranks(const std::string& name,
                  CommonOptions& options,
                  const std::function<Answer(Context&, const CommonOptions&)>& body,
                  Ranks ranks) {
  if (ranks == Ranks::one) {
    throw Error(ErrorCode::usage,
                fmt::format("{} runs in one process; start it without mpirun", name));
  }
  const std::shared_ptr<Comm> comm = join_ranks(options.context);
  options.comm = comm.get();
  if (comm->rank() != 0) options.quiet = true;
  try {
    const Answer answer = run(options, body);
    if (comm->rank() == 0) print(options, answer);
  } catch (const Error& error) {
    end_ranks(*comm, error.what(), error.code());
  } catch (const std::bad_alloc&) {
    end_ranks(*comm,
              "out of memory; lower --memory or start fewer ranks a machine",
              ErrorCode::out_of_resources);
  } catch (const std::exception& error) {
    end_ranks(*comm,
              fmt::format("unforeseen fault, please report it: {}", error.what()),
              ErrorCode::bad_input);
  }
}

/// An option that every command knows and this one refuses, since it would have no effect.
void refuse_option(CLI::App& app, const std::string& names, const std::string& command) {
  const std::string shown = names.substr(0, names.find(','));
  app.add_option_function<std::string>(
         names,
         [shown, command](const std::string&) {
           throw Error(
               ErrorCode::usage,
               fmt::format("{} has no effect on 'yupana {}'; leave it out", shown, command));
         })
      ->group("");
}

void add_common_options(CLI::App& app,
                        CommonOptions& options,
                        const Ignores& ignores,
                        const std::string& command) {
  const auto add = [&](bool ignored, const std::string& names, const auto& make) {
    if (ignored) return refuse_option(app, names, command);
    make()->group("Everywhere");
  };
  add(ignores.device, "--device", [&] {
    return app
        .add_option("--device", options.context.device, "auto, cpu, reference, cuda or cuda:0,1")
        ->capture_default_str();
  });
  add(ignores.threads, "--threads", [&] {
    return app.add_option("--threads", options.context.threads, "worker threads; 0: one per core")
        ->capture_default_str()
        ->check(CLI::Range(0, 4096));
  });
  add(ignores.memory, "--memory", [&] {
    return add_bytes(app,
                     "--memory",
                     options.context.memory,
                     "bytes the run may hold (16G); default: 80 % of the free memory");
  });
  add(ignores.gpu_memory, "--gpu-memory", [&] {
    return add_bytes(app,
                     "--gpu-memory",
                     options.context.gpu_memory,
                     "bytes the run may hold on each GPU (40G); default: 90 % of the free memory");
  });
  add(ignores.out, "-o,--out", [&] {
    return app.add_option("-o,--out", options.out, "prefix of the files to write")->each(check_out);
  });
  app.add_flag("--json", options.json, "print one JSON object on standard output")
      ->group("Everywhere");
  app.add_flag("--quiet", options.quiet, "print errors, and results that no file holds, only")
      ->group("Everywhere");
}

void check_combinations(const CommonOptions& options) {
  const std::string& device = options.context.device;
  if (options.json && is_standard_output(options.out)) {
    throw Error(ErrorCode::usage,
                fmt::format("--json and -o {} both write standard output; give one", options.out));
  }
  if (options.context.gpu_memory > 0 && (device == "cpu" || device == "reference")) {
    throw Error(ErrorCode::usage,
                fmt::format("--gpu-memory has no effect with --device {}; give one", device));
  }
}

}  // namespace

CLI::App& add_command(CLI::App& program,
                      const std::string& name,
                      const std::string& purpose,
                      const std::string& example,
                      std::function<Answer(Context&, const CommonOptions&)> body,
                      Runs runs,
                      Ranks ranks,
                      Ignores ignores) {
  CLI::App* app = program.add_subcommand(name, purpose);
  app->footer("Example:\n  " + example);
  auto options = std::make_shared<CommonOptions>();
  const bool nested = program.get_parent() != nullptr;
  const std::string full_name = nested ? program.get_name() + " " + name : name;
  add_common_options(*app, *options, ignores, full_name);
  app->callback([options, runs, ranks, full_name, body = std::move(body)] {
    check_combinations(*options);
    std::string& device = options->context.device;
    if (runs == Runs::on_the_processor && device == "auto") device = "cpu";
    if (!cluster::under_mpi()) return print(*options, run(*options, body));
    run_in_ranks(full_name, *options, body, ranks);
  });
  return *app;
}

nlohmann::ordered_json stages_json(const Context& context) {
  auto stages = nlohmann::ordered_json::array();
  for (const StageTime& stage : context.stages()) {
    nlohmann::ordered_json entry{{"stage", stage.name}, {"seconds", stage.seconds}};
    if (!stage.unit.empty()) {
      entry["work"] = stage.work;
      entry["unit"] = stage.unit;
    }
    stages.push_back(entry);
  }
  return stages;
}

}  // namespace yupana::cli
