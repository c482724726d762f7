#include "bench/support/python_peer.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "yupana/core/unfinished_files.hpp"

namespace yupana::bench {
namespace {

std::string indented(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) result += "    " + line + "\n";
  return result;
}

// The loop is that of time_runs.
constexpr const char* frame = R"(import json, sys, time
def stop(**answer):
    print(json.dumps(answer))
    sys.exit(0)
try:
{imports}
except ImportError as error:
    stop(missing="not installed: " + str(error))
try:
    seconds, spent, warm_up = [], 0, True
{setup}
    while len(seconds) < {repeats}:
        if seconds and seconds[0] > {long_run} and spent > {enough}: break
{prepare}
{turn}
        begin_ = time.perf_counter()
{statement}
        one_ = time.perf_counter() - begin_
        spent += one_
        if not warm_up or one_ > {long_run}: seconds.append(one_)
        warm_up = False
    stop(seconds=seconds, verified=bool({verified}), version={version})
except Exception as error:
    stop(missing="failed: " + type(error).__name__ + ": " + str(error)[:200])
)";

constexpr const char* wait_for_turn = "print('turn', flush=True); sys.stdin.readline()";

/// The last line that a command prints. After each line before it turn() runs, and the command is
/// sent one.
std::string last_line_in_turns(const std::string& command,
                               const std::string& answers,
                               const std::function<void()>& turn) {
  if (mkfifo(answers.c_str(), 0600) != 0) return {};
  std::FILE* pipe = popen(fmt::format("{} 2>/dev/null > {}", command, answers).c_str(), "w");
  if (pipe == nullptr) return {};
  std::ifstream lines(answers);
  std::string line;
  while (std::getline(lines, line) && line == "turn") {
    turn();
    std::fputs("\n", pipe);
    std::fflush(pipe);
  }
  pclose(pipe);
  return line;
}

}  // namespace

PythonResult run_python(const PythonPeer& peer) {
  const TemporaryFolder folder("bench");
  std::ofstream(folder / "peer.py")
      << fmt::format(fmt::runtime(frame),
                     fmt::arg("imports", indented(peer.imports)),
                     fmt::arg("setup", indented(peer.setup)),
                     fmt::arg("prepare", indented(indented(peer.prepare))),
                     fmt::arg("turn", indented(indented(peer.turn ? wait_for_turn : "pass"))),
                     fmt::arg("statement", indented(indented(peer.statement))),
                     fmt::arg("repeats", peer.repeats),
                     fmt::arg("long_run", long_run_seconds),
                     fmt::arg("enough", enough_seconds),
                     fmt::arg("verified", peer.verified),
                     fmt::arg("version", peer.version));
  const std::string command =
      fmt::format("{} {} {}", peer.environment, peer.python, folder / "peer.py");
  const std::string text =
      peer.turn ? last_line_in_turns(command, folder / "answers", peer.turn) : output_of(command);
  PythonResult result;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    result.why_not = "not run: " + peer.python + " failed";
    return result;
  }
  if (json.contains("missing")) {
    result.why_not = json["missing"].get<std::string>();
    if (!peer.package.empty()) result.why_not += " (Debian: " + peer.package + ")";
    return result;
  }
  result.timing = timing_of(json["seconds"].get<std::vector<double>>());
  result.verified = json["verified"].get<bool>();
  result.version = json["version"].get<std::string>();
  return result;
}

void emit_python(const BenchParams& params,
                 const std::string& bench,
                 const std::string& what,
                 const std::string& impl,
                 const std::string& unit,
                 const PythonResult& result,
                 const std::function<double(double)>& value) {
  if (!result.ran()) return params.emit(left_out(bench, what, impl, unit, result.why_not));
  params.emit(timed_line(bench,
                         what,
                         impl,
                         value(result.timing.median),
                         unit,
                         result.verified,
                         result.timing,
                         result.version));
}

Timing emit_in_turns(const BenchParams& params,
                     Measurement ours,
                     int repeats,
                     const std::function<void()>& run,
                     const std::function<double(double)>& value,
                     std::vector<NamedPeer> peers) {
  if (!params.peers) peers.clear();
  std::vector<double> seconds;
  std::vector<PythonResult> results;
  for (NamedPeer& one : peers) {
    std::vector<double> own;
    one.peer.repeats = repeats;
    one.peer.turn = [&] { own.push_back(seconds_of(run)); };
    results.push_back(run_python(one.peer));
    const bool warms_up = !own.empty() && own.front() <= long_run_seconds;
    seconds.insert(seconds.end(), own.begin() + (warms_up ? 1 : 0), own.end());
  }
  ours.timing = seconds.empty() ? time_runs(repeats, run) : timing_of(std::move(seconds));
  ours.value = value(ours.timing.median);
  params.emit(ours);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    emit_python(params, ours.bench, ours.what, peers[i].impl, ours.unit, results[i], value);
  }
  return ours.timing;
}

}  // namespace yupana::bench
