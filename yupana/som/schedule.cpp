#include "yupana/som/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "yupana/core/messages.hpp"

namespace yupana::som {
namespace {

double value(Neighborhood neighborhood, long double square, long double sigma) {
  const long double twice = 2 * sigma * sigma;
  switch (neighborhood) {
    case Neighborhood::gaussian:
      return static_cast<double>(std::exp(-square / twice));
    case Neighborhood::truncated: {
      const long double distance = std::sqrt(square);
      return distance <= sigma * sigma ? static_cast<double>(std::exp(-distance / twice)) : 0;
    }
    default:
      return square <= sigma * sigma ? 1 : 0;
  }
}

void expect(bool fine, std::string_view name, std::string_view what, double given) {
  if (fine) return;
  throw usage_error("{}: expected {}, got {}", name, what, given);
}

}  // namespace

double Schedule::sigma(std::int64_t iteration) const {
  if (iteration >= iterations - smooth) return sigma_final;
  return sigma0 * std::exp(-static_cast<double>(iteration) / tau);
}

Schedule resolved(const Schedule& schedule, const Grid& grid) {
  Schedule whole = schedule;
  expect(whole.iterations >= 0, "--iterations", "0 or more", static_cast<double>(whole.iterations));
  expect(whole.smooth >= 0 && whole.smooth <= whole.iterations,
         "--smooth",
         fmt::format("0 to all {} iterations", whole.iterations),
         static_cast<double>(whole.smooth));
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  if (whole.sigma0 == 0) {
    whole.sigma0 = std::max(1.0, static_cast<double>(std::max(grid.rows, grid.cols)) / 2);
  }
  expect(positive(whole.sigma0), "--sigma0", "a number above 0", whole.sigma0);
  expect(positive(whole.sigma_final), "--sigmaf", "a number above 0", whole.sigma_final);
  const bool used = whole.smooth > 0 || whole.tau == 0;
  expect(!used || whole.sigma_final <= whole.sigma0,
         "--sigmaf",
         fmt::format("at most --sigma0, which is {}", whole.sigma0),
         whole.sigma_final);
  if (whole.tau == 0) {
    const double decay = std::log(whole.sigma0 / whole.sigma_final);
    expect(std::isfinite(decay), "--sigma0", "less than 1e308 times --sigmaf", whole.sigma0);
    const auto steps =
        static_cast<double>(std::max<std::int64_t>(1, whole.iterations - whole.smooth));
    whole.tau = decay > 0 ? steps / decay : std::numeric_limits<double>::max();
  }
  expect(positive(whole.tau), "--tau", "a number above 0", whole.tau);
  return whole;
}

std::vector<double> neighborhood_table(const Grid& grid, Neighborhood neighborhood, double sigma) {
  std::vector<double> table(static_cast<std::size_t>(2 * grid.size()));
  for (std::int64_t row = 0; row < grid.rows; ++row) {
    for (std::int64_t half = 0; half < 2 * grid.cols; ++half) {
      const auto square = static_cast<long double>(four_squares(grid, {row, half})) / 4;
      const double h = value(neighborhood, square, sigma);
      table[static_cast<std::size_t>(row * 2 * grid.cols + half)] = h >= negligible ? h : 0;
    }
  }
  return table;
}

}  // namespace yupana::som
