#pragma once

#include <cstdint>
#include <vector>

#include "yupana/report/pen.hpp"
#include "yupana/report/som_map.hpp"

namespace yupana::report {

/// Cells of a map in points, squares or, hexagonal, regular hexagons with a corner on top.
class MapCells {
 public:
  /// As large as fits into the room.
  MapCells(const MapReport& report, double width, double height);

  double size() const { return size_; }  ///< width of a cell
  double width() const;
  double height() const;
  Point center(std::int64_t neuron) const;
  /// Corners around (0, 0), the cell a little smaller where there is room for a gap.
  std::vector<Point> outline() const;

 private:
  std::int64_t rows_, cols_;
  bool hexagonal_;
  double size_;
};

/// Range of the finite values; {0, 0} without any.
struct ValueRange {
  double low = 0, high = 0;
};
ValueRange range_of(const std::vector<double>& values);

/// Nine colours from low to high, even in lightness and safe for colour-blind readers (viridis).
inline constexpr std::array<Color, 9> map_colors = {{{0x44, 0x01, 0x54},
                                                     {0x47, 0x2d, 0x7b},
                                                     {0x3b, 0x52, 0x8b},
                                                     {0x2c, 0x72, 0x8e},
                                                     {0x21, 0x91, 0x8c},
                                                     {0x28, 0xae, 0x80},
                                                     {0x5e, 0xc9, 0x62},
                                                     {0xad, 0xdc, 0x30},
                                                     {0xfd, 0xe7, 0x25}}};
/// Of a cell without a value or group.
inline constexpr Color map_absent = {0xc9, 0xcb, 0xd0};
/// The colour at `part` of the way, 0 to 1.
Color map_color(double part);

/// The colours of groups, then the same half way to white, and so on.
Color map_group_color(std::int64_t c);

inline constexpr double map_panel_width = 300;
double map_panel_height(const MapReport& report);

/// A panel and its scale at (left, top).
void draw_map_panel(
    Pen& pen, double left, double top, const MapReport& report, const MapPanel& panel);
void draw_groups_panel(
    Pen& pen, double left, double top, const MapReport& report, const MapGroups& groups);

}  // namespace yupana::report
