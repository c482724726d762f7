#include "yupana/report/covariate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace yupana::report {

void color_by(Report& report, Covariate covariate) {
  // Of halves, as the whole span may be beyond double.
  const double half = covariate.high / 2 - covariate.low / 2;
  const double step = half / covariate_steps * 2;
  report.class_names.clear();
  for (int k = 0; k < covariate_steps; ++k) {
    const double low = covariate.low + k * step;
    report.class_names.push_back(fmt::format("{:.4g} to {:.4g}", low, low + step));
  }
  report.classes.clear();
  for (const double value : covariate.values) {
    const double part = half > 0 ? (value / 2 - covariate.low / 2) / half : 0;
    report.classes.push_back(
        std::isfinite(value)
            ? std::clamp(static_cast<std::int32_t>(part * covariate_steps), 0, covariate_steps - 1)
            : -1);
  }
  report.covariate = std::move(covariate);
}

ClassStyle style_of(const Report& report, std::int64_t c) {
  if (report.covariate) return {.color = static_cast<int>(class_color_count + c)};
  return class_style(
      report.class_styles.empty() ? c : report.class_styles[static_cast<std::size_t>(c)]);
}

}  // namespace yupana::report
