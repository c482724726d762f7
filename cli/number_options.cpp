#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "cli/command.hpp"

namespace yupana::cli {
namespace {

/// A number with a suffix k, M, G, T or P of powers of `step`; of bytes also "MB" and "MiB".
std::optional<double> scaled(const std::string& text, double step) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value)) return {};
  std::string_view suffix(stop, static_cast<std::size_t>(end - stop));
  if (step == 1024 && (suffix.ends_with('B') || suffix.ends_with('b'))) {
    suffix.remove_suffix(1);
    if (suffix.ends_with('i')) suffix.remove_suffix(1);
  }
  if (suffix.empty()) return value;
  const std::size_t power = std::string_view("kMGTP").find(suffix == "K" ? "k" : suffix);
  if (suffix.size() != 1 || power == std::string_view::npos) return {};
  return value * std::pow(step, static_cast<double>(power + 1));
}

/// From 1 to 9e18.
std::int64_t at_least_one(const std::string& name,
                          const std::string& text,
                          double step,
                          const char* expected) {
  const std::optional<double> value = scaled(text, step);
  const bool whole = step == 1024 || (value && *value == std::floor(*value));
  if (value && *value >= 1 && *value <= 9e18 && whole) return static_cast<std::int64_t>(*value);
  throw CLI::ValidationError(fmt::format("{}: expected {}, got '{}'", name, expected, text));
}

}  // namespace

CLI::Option* add_count(CLI::App& app,
                       const std::string& name,
                       std::int64_t& value,
                       const std::string& help) {
  return app.add_option_function<std::string>(
      name,
      [name, &value](const std::string& text) {
        constexpr const char* expected = "a whole number of at least 1, as 30000, 30k or 600M";
        value = at_least_one(name, text, 1000, expected);
      },
      help);
}

CLI::Option* add_bytes(CLI::App& app,
                       const std::string& name,
                       std::uint64_t& value,
                       const std::string& help) {
  return app.add_option_function<std::string>(
      name,
      [name, &value](const std::string& text) {
        constexpr const char* expected = "a size of at least 1 byte, as 16G, 500M or 1000000";
        value = static_cast<std::uint64_t>(at_least_one(name, text, 1024, expected));
      },
      help);
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

}  // namespace yupana::cli
