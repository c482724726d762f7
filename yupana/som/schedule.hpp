#pragma once

#include <cstdint>
#include <vector>

#include "yupana/som/grid.hpp"

namespace yupana::som {

/// g: distance on the grid. gaussian: exp(-g^2 / 2 sigma^2). truncated: exp(-g / 2 sigma^2) where
/// g <= sigma^2, else 0. bubble: 1 where g <= sigma, else 0.
enum class Neighborhood { gaussian, truncated, bubble };

/// The radius over time: sigma0 e^(-t / tau), and sigma_final in the last `smooth` iterations.
struct Schedule {
  std::int64_t iterations = 20;
  std::int64_t smooth = 0;   ///< last iterations, at sigma_final
  double sigma0 = 0;         ///< 0: half the map's longer side, at least 1
  double sigma_final = 0.5;  ///< also where sigma0 e^(-t / tau) is headed if tau is 0
  double tau = 0;            ///< 0: sigma reaches sigma_final when the smooth iterations begin

  double sigma(std::int64_t iteration) const;
};

/// With sigma0 and tau in place of zeros. Throws usage where a radius, tau or a count cannot be.
Schedule resolved(const Schedule& schedule, const Grid& grid);

/// Values of the neighbourhood below this are zero: no result depends on how a processor treats
/// denormal numbers.
inline constexpr double negligible = 0x1p-1000;

/// h by offset: table[rows * (2 cols) + half columns]. Made on the host for all backends, in long
/// double, so that they have the same bits.
std::vector<double> neighborhood_table(const Grid& grid, Neighborhood neighborhood, double sigma);

inline double neighborhood_at(const std::vector<double>& table,
                              const Grid& grid,
                              std::int64_t a,
                              std::int64_t b) {
  const GridOffset offset = offset_between(grid, a, b);
  return table[static_cast<std::size_t>(offset.rows * 2 * grid.cols + offset.half_cols)];
}

}  // namespace yupana::som
