#pragma once

#include <cstdint>

/// Private to the family: how the rows of a square matrix are cut into strips and dealt to devices.
namespace yupana::graph {

/// Strips of equal height dealt to and fro from the last one on: 0 1 2 3, 3 2 1 0, 0 1 2 3 ... Row
/// r of a lower triangle has r + 1 cells: after two rounds every device has as many, and what the
/// last rounds leave uneven are the shortest rows.
struct StripDeal {
  std::int64_t devices = 1;
  std::int64_t strips = 0;

  /// The device that holds a strip.
  std::int64_t owner(std::int64_t strip) const {
    const std::int64_t turn = from_last(strip) % (2 * devices);
    return turn < devices ? turn : 2 * devices - 1 - turn;
  }
  /// Where its owner holds it: the strips of a device lie one behind the other, in order.
  std::int64_t place(std::int64_t strip) const {
    return held(owner(strip)) - 1 - from_last(strip) / devices;
  }
  /// How many strips a device holds.
  std::int64_t held(std::int64_t device) const {
    const std::int64_t rest = strips % devices;  // the first strips, one a device
    for (std::int64_t strip = 0; strip < rest; ++strip) {
      if (owner(strip) == device) return strips / devices + 1;
    }
    return strips / devices;
  }

 private:
  std::int64_t from_last(std::int64_t strip) const { return strips - 1 - strip; }
};

}  // namespace yupana::graph
