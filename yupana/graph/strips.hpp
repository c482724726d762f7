#pragma once

#include <cstdint>

/// Private to the family: how the rows of a square matrix are cut into strips and dealt to devices.
namespace yupana::graph {

/// Strips of equal height dealt to and fro: 0 1 2 3, 3 2 1 0, 0 1 2 3 ... Row r of a lower triangle
/// has r + 1 cells, so that in two rounds every device gets as much work as every other.
struct StripDeal {
  std::int64_t devices = 1;

  /// The device that holds a strip.
  std::int64_t owner(std::int64_t strip) const {
    const std::int64_t turn = strip % (2 * devices);
    return turn < devices ? turn : 2 * devices - 1 - turn;
  }
  /// Where its owner holds it: the strips of a device lie one behind the other.
  std::int64_t place(std::int64_t strip) const { return strip / devices; }
  /// How many of `strips` strips a device holds.
  std::int64_t held(std::int64_t device, std::int64_t strips) const {
    const std::int64_t rounds = strips / devices;
    for (std::int64_t strip = rounds * devices; strip < strips; ++strip) {
      if (owner(strip) == device) return rounds + 1;
    }
    return rounds;
  }
};

}  // namespace yupana::graph
