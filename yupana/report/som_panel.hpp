#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/report/scale_bar.hpp"
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

/// Of the finite values; {0, 0} without any.
ValueRange range_of(const std::vector<double>& values);

/// Of a cell without a value or group.
inline constexpr Color map_absent = {0xc9, 0xcb, 0xd0};
/// The colours of groups, then the same half way to white, and so on.
Color map_group_color(std::int64_t c);

inline constexpr double map_panel_width = 300;
double map_panel_height(const MapReport& report);

/// A panel and its scale at (left, top).
void draw_map_panel(
    Pen& pen, double left, double top, const MapReport& report, const MapPanel& panel);
void draw_groups_panel(
    Pen& pen, double left, double top, const MapReport& report, const MapGroups& groups);

/// The grid of images of write_map_images as a PNG file's bytes.
std::string map_images_png(const MapReport& report);

}  // namespace yupana::report
