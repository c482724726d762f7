#include "yupana/report/ticks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace yupana::report {

std::vector<double> ticks(double low, double high, double count) {
  const double raw = (high - low) / std::max(1.0, count);
  if (!(raw > 0) || !std::isfinite(raw)) return {};
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double s : {5.0, 2.0, 1.0}) {
    if (s * power >= raw * 0.999) step = s * power;
  }
  std::vector<double> values;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) {
    // At most `count` fit; more means that the step is lost next to the size of the values.
    if (static_cast<double>(values.size()) > count + 2) return {};
    values.push_back(k == 0 ? 0 : k * step);
  }
  return values;
}

std::vector<std::string> tick_texts(const std::vector<double>& values) {
  std::vector<std::string> texts;
  if (values.empty()) return texts;
  const double step = values.size() > 1 ? values[1] - values[0] : std::abs(values[0]);
  const double size = std::max({std::abs(values.front()), std::abs(values.back()), step});
  const bool powers = size >= 1e6 || size < 1e-3;
  const double digits = powers ? std::log10(size / step) : -std::floor(std::log10(step) + 1e-9);
  const int precision = std::clamp(static_cast<int>(std::lround(digits)), 0, 12);
  for (const double value : values) {
    const double size_of = std::abs(value);
    const std::string text = value == 0 ? "0"
                             : powers   ? fmt::format("{:.{}e}", size_of, precision)
                                        : fmt::format("{:.{}f}", size_of, precision);
    texts.push_back(value < 0 ? "\u2212" + text : text);
  }
  return texts;
}

}  // namespace yupana::report
