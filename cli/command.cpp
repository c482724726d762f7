#include "cli/command.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "cli/interrupts.hpp"
#include "cli/out_folder.hpp"
#include "cli/ranks.hpp"
#include "cli/standard_streams.hpp"
#include "yupana/cluster/mpi.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"

namespace yupana::cli {
namespace {

std::string words_given;  ///< the command line
const char* const* all_words = nullptr;

using Body = std::function<Answer(Context&, const Call&)>;

bool is_plain(char c) {
  constexpr std::string_view others = "_-./:,=+@%";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80 || others.find(c) != std::string_view::npos;
}

std::string quoted(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// The file that a word of the command line may name, and those that are read with it; `before` is
/// the word before it.
void add_files_of(std::string_view before, std::string_view word, std::vector<std::string>& files) {
  if (word.starts_with("--")) {
    before = word.substr(0, word.find('='));
    word.remove_prefix(std::min(word.size(), word.find('=') + 1));
  }
  files.emplace_back(word);
  using Names = std::vector<std::string_view>;
  static const std::pair<std::string_view, Names> sets[] = {
      {".bed", {".bim", ".fam"}},
      {".pgen", {".pvar", ".pvar.zst", ".psam"}},
      {".bgen", {".sample"}}};
  // A prefix is that of a .bed where there is one.
  std::error_code none;
  const bool is_bed =
      before != "--pfile" && std::filesystem::exists(fmt::format("{}.bed", word), none);
  for (const auto& [ending, others] : sets) {
    const bool is_prefix = ending == (is_bed ? ".bed" : ".pgen");
    if (!word.ends_with(ending) && !is_prefix) continue;
    const std::string_view prefix =
        word.substr(0, word.size() - (word.ends_with(ending) ? ending.size() : 0));
    files.push_back(fmt::format("{}{}", prefix, ending));
    for (const std::string_view other : others) files.push_back(fmt::format("{}{}", prefix, other));
  }
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
  put_text(stderr, "\r\033[K" + line);
  std::fflush(stderr);
}

void check_device(const std::string& device) {
  for (const char* known : {"auto", "cpu", "reference", "cuda"}) {
    if (device == known) return;
  }
  if (device.starts_with("cuda:")) return;
  throw usage_error("--device: expected auto, cpu, reference, cuda or cuda:0,1, got '{}'", device);
}

/// A library names parameters, "device: expected ..."; a command line has options of these names.
std::string with_option_names(const Command& command, const std::string& message) {
  const std::string option = "--" + message.substr(0, message.find(": "));
  return command.takes(option) ? "--" + message : message;
}

/// A GPU that was named and had nothing to do is no GPU that was used.
void note_unused_gpu(const Context& context, const Call& call) {
  if (!call.context.device.starts_with("cuda") || cuda::was_used()) return;
  context.note(fmt::format("--device {} had no effect: {}", call.context.device, call.without_gpu));
}

/// What the JSON of every command has: seconds per stage, and the file of those that write one.
void add_common_keys(const Context& context, Answer& answer) {
  nlohmann::ordered_json& json = answer.json;
  if (json.empty() || answer.is_plan) return;
  if (!json.contains("stages") && !context.stages().empty()) json["stages"] = stages_json(context);
  if (json.contains("out") && !json.contains("files")) {
    answer.add_files({json["out"].get<std::string>()});
    answer.written.clear();  // the text names it
  }
}

Answer run_once(const Call& call, const Body& body) {
  check_device(call.context.device);
  Context context(call.context);
  const bool draws = !call.quiet && isatty(STDERR_FILENO) != 0;
  if (draws) context.on_progress(draw);
  if (!call.quiet) {
    context.on_note([draws, printed = std::set<std::string>()](const std::string& note) mutable {
      if (!printed.insert(note).second) return;
      put_text(
          stderr,
          fmt::format("{}note: {}\n", draws ? "\r\033[K" : "", escaped(with_given_names(note))));
    });
  }
  const OutFolder folder("-o " + call.out, folder_of(call.out));
  // A plan for a cluster takes it for that cluster's GPUs.
  const bool elsewhere = call.command.name() == "plan" && call.command.given("--gpus");
  if (call.context.gpu_memory > 0 && context.backend() != Backend::cuda && !elsewhere) {
    context.note("--gpu-memory has no effect: no GPU that runs yupana's kernels is here");
  }
  struct Line {
    bool draws;
    ~Line() {
      if (draws) put_text(stderr, "\r\033[K");
    }
  } line{draws};
  const Interrupts interrupts(context);
  try {
    call.command.each_input([&](std::string& path) { path = readable(context, path); });
    Answer answer = body(context, call);
    if (!answer.is_plan) note_unused_gpu(context, call);
    add_common_keys(context, answer);
    return answer;
  } catch (const Error& error) {
    // A call that the signal ended has an error of its own.
    if (context.cancelled() && error.code() != ErrorCode::interrupted) {
      throw Error(ErrorCode::interrupted, interrupted_text);
    }
    throw Error(error.code(), with_given_names(error.what()), error.place());
  }
}

Answer run(const Call& call, const Body& body) {
  try {
    return run_once(call, body);
  } catch (const OnProcessor&) {
    Call again = call;
    again.context.device = "cpu";
    return run_once(again, body);
  } catch (const Error& error) {
    throw Error(error.code(), with_option_names(call.command, error.what()), error.place());
  }
}

/// JSON has no infinities: they become the texts of models. NaN is printed as null.
void name_infinities(nlohmann::ordered_json& json) {
  if (json.is_structured()) {
    for (nlohmann::ordered_json& part : json) name_infinities(part);
  } else if (json.is_number_float() && std::isinf(json.get<double>())) {
    json = json.get<double>() > 0 ? "inf" : "-inf";
  }
}

/// Lines of names, which may hold what commands a terminal: shown as in errors.
std::string shown_on_terminal(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    shown += escaped(text.substr(0, end));
    shown += text.substr(end, 1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return shown;
}

void print(const Call& call, Answer answer) {
  const bool result = answer.is_result || call.out.empty();
  std::FILE* const to = is_standard_output(call.out) ? stderr : stdout;
  if (call.json) {
    // Names of files may be no UTF-8.
    using Handler = nlohmann::ordered_json::error_handler_t;
    if (!answer.json.empty()) {
      name_infinities(answer.json);
      put_text(stdout, answer.json.dump(-1, ' ', false, Handler::replace) + "\n");
    }
  } else if (result || !call.quiet) {
    const std::string text = call.quiet ? answer.text : answer.text + answer.written;
    put_text(to, isatty(fileno(to)) != 0 ? shown_on_terminal(text) : text);
  }
  check_standard_output();
}

/// One of several processes: the first reports progress and the result.
void run_in_ranks(Call& call, const Body& body, bool can_share) {
  if (!can_share) {
    throw usage_error("{} runs in one process; start it without mpirun", call.command.name());
  }
  const std::shared_ptr<Comm> comm = join_ranks(call.context);
  call.context.comm = comm.get();
  if (comm->rank() != 0) call.quiet = true;
  try {
    const Answer answer = run(call, body);
    if (comm->rank() == 0) print(call, answer);
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

/// `ignored`: refused, since the option would have no effect. `out`: what -o is, where it is
/// needed.
void add_common_options(Command& command,
                        Call& call,
                        const Names& ignored,
                        const std::string& out) {
  const auto add = [&](const std::string& names, const auto& make) {
    const std::string first = names.substr(0, names.find(','));
    if (std::find(ignored.begin(), ignored.end(), first) == ignored.end()) {
      make(names);
      return;
    }
    const auto refuse = [first, command](const std::string&) {
      throw usage_error("{} has no effect on 'yupana {}'; leave it out", first, command.name());
    };
    command.word(names, refuse, "").group("");
  };
  add("--device", [&](const std::string& names) {
    return command.text(names, call.context.device, "auto, cpu, reference, cuda or cuda:0,1");
  });
  add("--threads", [&](const std::string& names) {
    return command.number(names, call.context.threads, "worker threads; 0: one per core", 0, 4096);
  });
  add("--memory", [&](const std::string& names) {
    return command.bytes(names,
                         call.context.memory,
                         "bytes the run may hold (16G is 16e9, 16GiB is 16 x 2^30); dist, fermat, "
                         "simulate and --king-cutoff count the program's own 14 MB, others do "
                         "not, nor som its pictures, 15 to 100 MB by features and neurons; "
                         "default: 80 % of the free memory");
  });
  add("--gpu-memory", [&](const std::string& names) {
    return command.bytes(
        names,
        call.context.gpu_memory,
        "bytes the run may hold on each GPU (40G); default: 90 % of the free memory");
  });
  add("-o,--out", [&](const std::string& names) {
    const Option option = command.word(
        names,
        [&call](const std::string& name) {
          check_out(name);
          call.out = name;
        },
        "the file to write; of commands that write several, their prefix");
    return out.empty() ? option : option.of_type(out);
  });
  command.flag(
      "--json",
      call.json,
      "print one JSON object on standard output; infinite numbers are \"inf\" and \"-inf\", NaN "
      "and what is not known null");
  command.flag("--quiet", call.quiet, "print errors, and results that no file holds, only");
}

void check_combinations(const Call& call) {
  const std::string& device = call.context.device;
  if (call.json && is_standard_output(call.out)) {
    throw usage_error("--json and -o {} both write standard output; give one", call.out);
  }
  if (call.context.gpu_memory > 0 && (device == "cpu" || device == "reference")) {
    throw usage_error("--gpu-memory has no effect with --device {}; give one", device);
  }
}

}  // namespace

Answer plan_answer(const std::string& command, const job::Plan& plan) {
  Answer answer{.text = job::describe(plan), .is_result = true, .is_plan = true};
  answer.json["command"] = command;
  answer.json.update(job::plan_json(plan));
  return answer;
}

void set_command_line(int count, const char* const* words) {
  words_given = "yupana";
  all_words = words;
  std::vector<std::string> inputs;
  for (int k = 1; k < count; ++k) {
    words_given += " " + quoted(words[k]);
    const std::string_view before = words[k - 1], word = words[k];
    const bool is_output =
        before == "-o" || before == "--out" || word.starts_with("-o") || word.starts_with("--out=");
    if (!is_output) add_files_of(before, word, inputs);
  }
  protect_inputs(std::move(inputs));
}

const std::string& command_line() { return words_given; }
const char* const* given_words() { return all_words; }

void Answer::add_files(const std::vector<std::string>& files, const std::string& lead) {
  auto& kept = json["files"] = nlohmann::ordered_json::array();
  for (const std::string& file : files) {
    if (is_discarded(file)) continue;
    written += lead + file + "\n";
    kept.push_back(file);
  }
}

Command add_command(Command& parent, const CommandParams& params, Body body) {
  Command command = parent.add(params.name, params.purpose, params.example);
  auto call = std::make_shared<Call>(Call{command});
  call->without_gpu = !params.without_gpu.empty() ? params.without_gpu
                      : params.processor_only
                          ? fmt::format("'yupana {}' computes on the processor", params.name)
                          : "what this run computes has no CUDA version, or is so little that the "
                            "processor is faster";
  command.under("Everywhere", [&] {
    const std::string out = params.out + params.needed_out;
    add_common_options(command, *call, params.ignored, out.substr(0, out.find(',')));
  });
  command.on_run([call, params, body = std::move(body)] {
    check_combinations(*call);
    if (!params.endings.empty()) check_prefix(call->out);
    for (const std::string& ending : params.endings) {
      if (drop_ending(call->out, ending)) break;
    }
    if (!params.out.empty()) required_out(*call, params.out);
    std::string& device = call->context.device;
    if (params.processor_only && device == "auto") device = "cpu";
    if (!cluster::under_mpi()) return print(*call, run(*call, body));
    run_in_ranks(*call, body, params.ranks);
  });
  return command;
}

const std::string& required_out(const Call& call, const std::string& expected) {
  if (!call.out.empty()) {
    if (expected.starts_with("PREFIX")) check_prefix(call.out);
    return call.out;
  }
  throw usage_error("{}: expected -o {}, got none", call.command.name(), expected);
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
