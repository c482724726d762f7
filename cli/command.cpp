#include "cli/command.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "cli/ranks.hpp"
#include "yupana/cluster/mpi.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/escaped.hpp"
#include "yupana/core/machine.hpp"

namespace yupana::cli {
namespace {

std::atomic<Context*> running{nullptr};

/// The first Ctrl-C asks the run to stop, the second one stops the program at once.
void on_interrupt(int) {
  Context* context = running.load();
  if (context == nullptr || context->cancelled()) _exit(static_cast<int>(ErrorCode::interrupted));
  context->cancel();
}

void catch_interrupts(Context& context) {
  running = &context;
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

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

double parse_scaled(const std::string& text, double step) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    throw CLI::ValidationError(fmt::format("'{}' is not a number", text));
  }
  std::string suffix = text.substr(used);
  if (step == 1024 && !suffix.empty() && (suffix.back() == 'B' || suffix.back() == 'b')) {
    suffix.pop_back();
    if (!suffix.empty() && suffix.back() == 'i') suffix.pop_back();
  }
  const std::string units = "kMGTP";
  if (suffix.size() == 1) {
    const char unit = suffix[0] == 'K' ? 'k' : suffix[0];
    const std::size_t power = units.find(unit);
    if (power != std::string::npos) {
      value *= std::pow(step, static_cast<double>(power + 1));
      suffix.clear();
    }
  }
  if (!suffix.empty() || !(value >= 0) || value > 9e18) {
    throw CLI::ValidationError(fmt::format("'{}' is not a size; write 16G, 500M or 1000000", text));
  }
  return value;
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
  catch_interrupts(context);
  struct Release {
    bool draws;
    ~Release() {
      running = nullptr;
      if (draws) fmt::print(stderr, "\r\033[K");
    }
  } release{draws};
  return body(context, options);
}

void print(const CommonOptions& options, const Answer& answer) {
  if (options.json) {
    // The files are written: a byte of their names that is no UTF-8 must not end the run.
    constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
    if (!answer.json.empty()) fmt::print("{}\n", answer.json.dump(-1, ' ', false, replace));
  } else {
    fmt::print("{}", answer.text);
  }
  if (std::fflush(stdout) != 0) {
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
  }
}

}  // namespace

CLI::App& add_command(CLI::App& program,
                      const std::string& name,
                      const std::string& purpose,
                      const std::string& example,
                      std::function<Answer(Context&, const CommonOptions&)> body,
                      Runs runs,
                      Ranks ranks) {
  CLI::App* app = program.add_subcommand(name, purpose);
  app->footer("Example:\n  " + example);
  auto options = std::make_shared<CommonOptions>();
  app->add_option("--device", options->context.device, "auto, cpu, reference, cuda or cuda:0,1")
      ->capture_default_str()
      ->group("Everywhere");
  app->add_option("--threads", options->context.threads, "worker threads; 0: one per core")
      ->capture_default_str()
      ->check(CLI::Range(0, 4096))
      ->group("Everywhere");
  app->add_option_function<std::string>(
         "--memory",
         [options](const std::string& text) {
           options->context.memory = static_cast<std::uint64_t>(parse_scaled(text, 1024));
         },
         "bytes the run may hold (16G); default: 80 % of the free memory")
      ->group("Everywhere");
  app->add_option_function<std::string>(
         "--gpu-memory",
         [options](const std::string& text) {
           options->context.gpu_memory = static_cast<std::uint64_t>(parse_scaled(text, 1024));
         },
         "bytes the run may hold on each GPU (40G); default: 90 % of the free memory")
      ->group("Everywhere");
  app->add_option("-o,--out", options->out, "prefix of the files to write")->group("Everywhere");
  app->add_flag("--json", options->json, "print one JSON object on standard output")
      ->group("Everywhere");
  app->add_flag("--quiet", options->quiet, "no progress and no notes")->group("Everywhere");
  const bool nested = program.get_parent() != nullptr;
  const std::string full_name = nested ? program.get_name() + " " + name : name;
  app->callback([options, runs, ranks, full_name, body = std::move(body)] {
    if (options->out == "-") {
      throw Error(ErrorCode::usage,
                  "-o -: files appear whole at the end, which a pipe cannot; name a file to write");
    }
    std::string& device = options->context.device;
    if (runs == Runs::on_the_processor && device == "auto") device = "cpu";
    if (!cluster::under_mpi()) return print(*options, run(*options, body));
    run_in_ranks(full_name, *options, body, ranks);
  });
  return *app;
}

CLI::Option* add_seed(CLI::App& app, std::uint64_t& seed, const std::string& help) {
  return app
      .add_option_function<std::string>(
          "--seed",
          [&seed](const std::string& text) {
            const char* const end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, seed);
            if (stop == end && error == std::errc()) return;
            throw CLI::ValidationError(
                fmt::format("--seed: '{}' is not a whole number from 0 to 2^64 - 1", text));
          },
          help)
      ->type_name("UINT")
      ->default_str(fmt::format("{}", seed));
}

CLI::Option* add_count(CLI::App& app,
                       const std::string& name,
                       std::int64_t& value,
                       const std::string& help) {
  return app.add_option_function<std::string>(
      name,
      [&value](const std::string& text) {
        value = static_cast<std::int64_t>(parse_scaled(text, 1000));
      },
      help);
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
