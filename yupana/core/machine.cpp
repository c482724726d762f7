#include "yupana/core/machine.hpp"

#include <fmt/core.h>
#include <hwy/highway.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/messages.hpp"

namespace yupana {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// First number of a file, or `otherwise` ("max", no such file).
std::uint64_t number_in(const char* path, std::uint64_t otherwise) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : otherwise;
}

/// Bytes that the process may still map under its own limit (ulimit -v), as batch systems set it.
std::uint64_t free_addresses() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t used = number_in("/proc/self/statm", 0) * page;
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

/// "key: value" of a /proc file.
std::string proc_value(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? std::string() : line.substr(start);
  }
  return {};
}

enum class Rounding { nearest, up, down };

/// Divisions by 1000 are not exact: less than this is their error.
constexpr double slack = 1e-12;

double rounded(double value, Rounding rounding) {
  if (rounding == Rounding::up) return std::ceil(value * (1 - slack));
  if (rounding == Rounding::down) return std::floor(value * (1 + slack));
  return std::round(value);
}

std::string scaled(double value,
                   const std::array<const char*, 7>& units,
                   Rounding rounding = Rounding::nearest) {
  std::size_t unit = 0;
  while (rounded(value, rounding) >= 1000 && unit + 1 < units.size()) value /= 1000, ++unit;
  const int digits = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const double step = std::pow(10, digits);
  return fmt::format("{:.{}f} {}", rounded(value * step, rounding) / step, digits, units[unit]);
}

constexpr std::array<const char*, 7> byte_units = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};

std::string folder_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code none;
  fs::path folder = fs::path(path).parent_path();
  while (!folder.empty() && folder != folder.parent_path() && !fs::exists(folder, none)) {
    folder = folder.parent_path();
  }
  return folder.empty() ? "." : folder.string();
}

}  // namespace

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cores = sched_getaffinity(0, sizeof(set), &set) == 0
                  ? CPU_COUNT(&set)
                  : static_cast<int>(std::thread::hardware_concurrency());
  std::ifstream quota("/sys/fs/cgroup/cpu.max");
  double allowed = 0, period = 0;
  if (quota >> allowed >> period && period > 0) {
    cores = std::min(cores, static_cast<int>(allowed / period + 0.999));
  }
  return std::max(cores, 1);
}

std::uint64_t free_memory() {
  const std::string available = proc_value("/proc/meminfo", "MemAvailable");
  std::uint64_t bytes = available.empty() ? std::uint64_t{4} << 30 : std::stoull(available) * 1024;
  const std::uint64_t limit = number_in("/sys/fs/cgroup/memory.max", unlimited);
  const std::uint64_t used = number_in("/sys/fs/cgroup/memory.current", 0);
  if (limit != unlimited) bytes = std::min(bytes, limit > used ? limit - used : 0);
  return std::min(bytes, free_addresses());
}

std::uint64_t peak_memory() {
  // The system's ru_maxrss begins with what the process that started this one held.
  const std::string own = proc_value("/proc/self/status", "VmHWM");
  if (!own.empty()) return std::stoull(own) * 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::string processor_name() {
  const std::string name = proc_value("/proc/cpuinfo", "model name");
  return name.empty() ? "unknown processor" : name;
}

std::string simd_target() {
  // Highway's bit values fall as the instruction sets rise: the lowest set bit is the best one.
  const auto targets = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(targets & -targets);
}

std::string human_bytes(double bytes) { return scaled(bytes, byte_units); }

std::string needed_bytes(double bytes) { return scaled(bytes, byte_units, Rounding::up); }

std::string allowed_bytes(double bytes) { return scaled(bytes, byte_units, Rounding::down); }

std::string memory_option(double bytes) {
  std::string text = needed_bytes(bytes);
  text.pop_back();  // B
  text.erase(text.find(' '), 1);
  return text;
}

std::string human_count(double count) {
  std::string text = scaled(count, {"", "k", "M", "G", "T", "P", "E"});
  if (text.back() == ' ') text.pop_back();
  return text;
}

std::optional<std::uint64_t> free_disk(const std::string& path) {
  struct statvfs disk {};
  if (statvfs(folder_of(path).c_str(), &disk) != 0 || disk.f_blocks == 0) return {};
  return static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
}

void check_disk(const std::string& prefix, std::uint64_t bytes) {
  if (is_discarded(prefix)) return;
  const std::optional<std::uint64_t> left = free_disk(prefix);
  if (!left || bytes <= *left) return;
  throw resource_error(
      "{}: the output takes {}, its disk has {} free; free some, or choose another folder",
      prefix,
      needed_bytes(bytes),
      allowed_bytes(*left));
}

}  // namespace yupana
