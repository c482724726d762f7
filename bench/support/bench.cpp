#include "bench/support/bench.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "yupana/core/cuda/device.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/text.hpp"

#ifndef YUPANA_COMMIT
#define YUPANA_COMMIT "unknown"
#endif

namespace yupana::bench {

Measurement left_out(const std::string& bench,
                     const std::string& what,
                     const std::string& impl,
                     const std::string& unit,
                     const std::string& reason) {
  Measurement line{bench, what, impl, std::numeric_limits<double>::quiet_NaN(), unit, {}};
  line.note = reason;
  return line;
}

Measurement timed_line(const std::string& bench,
                       const std::string& what,
                       const std::string& impl,
                       double value,
                       const std::string& unit,
                       bool verified,
                       const Timing& timing,
                       const std::string& version) {
  return {bench, what, impl, value, unit, {}, verified, {}, version, timing};
}

Measurement limit_line(const std::string& bench,
                       const std::string& what,
                       const std::string& impl,
                       double value,
                       const std::string& unit,
                       const Timing& timing) {
  Measurement line{bench, what, impl, value, unit, {}};
  line.timing = timing;
  line.note = "a limit of the machine: no result to compare";
  return line;
}

Measurement published(Measurement line) {
  constexpr double most = 1.05;
  if (line.share_of_limit.value_or(0) > most && line.note.empty()) {
    line.note =
        "above the limit, which was measured in a moment of its own: the machine's clock or other "
        "work on it changed between the two";
  }
  return line;
}

std::string impl_name(const Context& context) {
  if (context.backend() == Backend::reference) return "yupana reference, 1 thread";
  return "yupana cpu " + simd_target();
}

ContextParams with_threads(const Context& context, int threads) {
  return {.device = context.backend() == Backend::reference ? "reference" : "cpu",
          .threads = threads};
}

std::vector<int> thread_counts(const Context& context) {
  if (context.threads() == 1 || context.backend() == Backend::reference) return {1};
  return {1, context.threads()};
}

std::string threads_text(int threads) {
  return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
}

BenchParams on_first_device(Context& context, const BenchParams& params) {
  BenchParams result = params;
  const std::string device =
      yupana::cuda::device_list().at(static_cast<std::size_t>(context.devices().front())).name;
  result.emit = [device, emit = params.emit](Measurement line) {
    line.device = device;
    emit(line);
  };
  return result;
}

void for_device_counts(
    Context& context,
    const std::function<void(const std::vector<int>&, const std::string&)>& body) {
  const std::vector<int>& all = context.devices();
  std::vector<int> some;
  for (const int device : all) {
    some.push_back(device);
    const std::size_t count = some.size();
    if ((count & (count - 1)) != 0 && count != all.size()) continue;
    body(some, fmt::format("yupana cuda, {} GPU{}", count, count == 1 ? "" : "s"));
  }
}

std::string device_text(const std::vector<int>& devices) {
  return fmt::format("cuda:{}", joined(devices, ","));
}

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return {};
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), got);
  }
  return pclose(pipe) == 0 ? text : std::string();
}

std::string first_line_of(const std::string& command) {
  const std::string text = output_of("(" + command + ") 2>&1");
  return text.substr(0, text.find('\n'));
}

std::vector<std::string> files_of(const std::string& folder,
                                  const std::vector<std::string>& endings) {
  if (!std::filesystem::is_directory(folder)) {
    throw bad_file(folder, "expected a folder; name one with --data");
  }
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    const auto ends = [&](const std::string& ending) { return path.ends_with(ending); };
    if (std::any_of(endings.begin(), endings.end(), ends)) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool installed(const std::string& program) { return !output_of("command -v " + program).empty(); }

std::string json_line(const Measurement& measurement) {
  const Measurement line = published(measurement);
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
  };
  const auto number_or_null = [](bool known, double number) {
    return known ? nlohmann::ordered_json(number) : nlohmann::ordered_json();
  };
  const Timing& timing = line.timing;
  const bool timed = timing.repeats > 0;
  // Without memory for its first member, an empty one would be destroyed by a null pointer.
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  json["bench"] = line.bench;
  json["case"] = line.what;
  json["impl"] = line.impl;
  json["version"] = text_or_null(line.version);
  json["value"] = number_or_null(std::isfinite(line.value), line.value);
  json["unit"] = line.unit;
  json["share_of_limit"] =
      number_or_null(line.share_of_limit.has_value(), line.share_of_limit.value_or(0));
  json["verified"] = line.verified;
  json["repeats"] = timed ? nlohmann::ordered_json(timing.repeats) : nlohmann::ordered_json();
  json["seconds_median"] = number_or_null(timed, timing.median);
  json["seconds_min"] = number_or_null(timed, timing.min);
  json["seconds_max"] = number_or_null(timed, timing.max);
  json["note"] = text_or_null(line.note);
  json["device"] = line.device.empty() ? processor_name() + ", " + simd_target() : line.device;
  json["compiler"] = __VERSION__;
  // Empty in a tree without its history.
  json["commit"] = *YUPANA_COMMIT == '\0' ? "unknown" : YUPANA_COMMIT;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace yupana::bench
