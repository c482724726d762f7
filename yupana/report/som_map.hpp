#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "yupana/core/atomic_file.hpp"

namespace yupana::report {

/// One value a neuron, in colours.
struct MapPanel {
  std::string name;
  std::vector<double> values;  ///< rows x cols; NaN: none
  bool counts = false;         ///< whole numbers, written into the cells where there is room
};

/// Neurons in groups, a colour each.
struct MapGroups {
  std::string name;
  std::vector<std::string> names;  ///< of the groups; written into the cells where there is room
  std::vector<std::int64_t> of;    ///< of each neuron; -1: none, it has no sample
};

/// What is shown of a self-organizing map. Plain data: the job fills it, this room draws it.
struct MapReport {
  std::string title;
  std::int64_t rows = 0, cols = 0;
  bool hexagonal = false;  ///< odd rows are half a cell to the right
  std::vector<MapPanel> panels;
  std::int64_t first_plane = 0;   ///< the panel of the first feature: groups go before it
  std::vector<MapGroups> groups;  ///< classes, clusters
  /// Of each neuron, row by row, image_rows x image_cols pixels; empty: no images.
  std::vector<float> images;
  std::int64_t image_rows = 0, image_cols = 0;
  std::vector<std::string> findings;                         ///< sentences
  std::vector<std::string> notices;                          ///< what a reader must see
  std::vector<std::pair<std::string, std::string>> summary;  ///< sizes, parameters, times
};

// The same bytes for the same report and the same versions of yupana, cairo and fonts. Throw usage
// where the parts do not fit together or an image grid has more than 32,000 pixels a side. Names
// may hold any bytes, values may be NaN or infinite.

/// One self-contained page; works from file://.
void write_map_html(AtomicFile& file, const MapReport& report);
/// All panels, each with its scale; above map_outlines_limit cells SVG holds the maps as images.
void write_map_svg(AtomicFile& file, const MapReport& report);
void write_map_png(AtomicFile& file, const MapReport& report);
/// The neurons' images in the map's order, in one scale of grey from the smallest value (black) to
/// the largest (white), each pixel enlarged where images are small.
void write_map_images(AtomicFile& file, const MapReport& report);

/// Above this many cells an SVG of outlines would exceed some 10 MB.
inline constexpr std::int64_t map_outlines_limit = 40000;

}  // namespace yupana::report
