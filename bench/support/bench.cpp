#include "bench/support/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "yupana/core/cuda/device.hpp"
#include "yupana/core/machine.hpp"

#ifndef YUPANA_COMMIT
#define YUPANA_COMMIT "unknown"
#endif

namespace yupana::bench {

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
  return fmt::format("cuda:{}", fmt::join(devices, ","));
}

double median_seconds(int repeats, const std::function<void()>& body) {
  body();
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
  return seconds[static_cast<std::size_t>(repeats / 2)];
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

bool installed(const std::string& program) { return !output_of("command -v " + program).empty(); }

std::string json_line(const Measurement& measurement) {
  nlohmann::ordered_json json;
  json["bench"] = measurement.bench;
  json["case"] = measurement.what;
  json["impl"] = measurement.impl;
  json["value"] = measurement.value;
  json["unit"] = measurement.unit;
  if (measurement.share_of_limit) {
    json["share_of_limit"] = *measurement.share_of_limit;
  } else {
    json["share_of_limit"] = nullptr;
  }
  json["verified"] = measurement.verified;
  json["device"] =
      measurement.device.empty() ? processor_name() + ", " + simd_target() : measurement.device;
  json["compiler"] = __VERSION__;
  json["commit"] = YUPANA_COMMIT;
  return json.dump();
}

}  // namespace yupana::bench
