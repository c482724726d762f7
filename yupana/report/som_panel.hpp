#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/report/legend.hpp"
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

/// Of the finite values; {0, 0} without any.
ValueRange range_of(const std::vector<double>& values);

/// Of a cell without a value or group.
inline constexpr Color map_absent = {0xc9, 0xcb, 0xd0};

inline constexpr double map_panel_width = 300;
double map_panel_height(const MapReport& report);

/// A panel and its scale at (left, top).
void draw_map_panel(
    Pen& pen, double left, double top, const MapReport& report, const MapPanel& panel);
void draw_groups_panel(
    Pen& pen, double left, double top, const MapReport& report, const MapGroups& groups);

/// The grid of images of write_map_images as a PNG file's bytes.
std::string map_images_png(const MapReport& report);

/// Groups that a legend names at most.
inline constexpr std::int64_t max_legend_names = 1000;

/// What a legend says of groups: those that some neuron is of, how many others there are, and
/// whether neurons are of none.
struct MapLegendWords {
  std::vector<std::int64_t> shown;
  std::string remark;  ///< empty: nothing more to say
  bool has_none = false;
};
MapLegendWords legend_words(const MapGroups& groups);

/// The groups of a map below its panels: a line of heading and names, as many as it takes, each as
/// long as it is.
class MapLegend {
 public:
  /// The pen measures the names.
  MapLegend(Pen& pen, const MapReport& report, double width);
  double height() const { return height_; }
  void draw(Pen& pen, double left, double top) const;

 private:
  enum class Kind { heading, name, remark };
  struct Entry {
    Kind kind;
    std::string text;
    Color color;
    double x, y;
  };
  void add(Pen& pen, Kind kind, const std::string& text, const Color& color);

  std::vector<Entry> entries_;
  double width_;
  double x_ = 0;
  double height_ = 0;
};

}  // namespace yupana::report
