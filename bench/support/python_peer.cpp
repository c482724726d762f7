#include "bench/support/python_peer.hpp"

#include <fmt/core.h>

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

}  // namespace

PythonResult run_python(const PythonPeer& peer) {
  const TemporaryFolder folder("bench");
  std::ofstream(folder / "peer.py")
      << fmt::format(fmt::runtime(frame),
                     fmt::arg("imports", indented(peer.imports)),
                     fmt::arg("setup", indented(peer.setup)),
                     fmt::arg("prepare", indented(indented(peer.prepare))),
                     fmt::arg("statement", indented(indented(peer.statement))),
                     fmt::arg("repeats", peer.repeats),
                     fmt::arg("long_run", long_run_seconds),
                     fmt::arg("enough", enough_seconds),
                     fmt::arg("verified", peer.verified),
                     fmt::arg("version", peer.version));
  const std::string text =
      output_of(fmt::format("{} {} {}", peer.environment, peer.python, folder / "peer.py"));
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

}  // namespace yupana::bench
