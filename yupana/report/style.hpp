#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace yupana::report {

struct Color {
  std::uint8_t red = 0, green = 0, blue = 0;
};

/// Eight colours for classes, on white and on a dark ground. Chosen by a search that kept apart the
/// CIELAB colours as seen with normal sight and (Machado et al. 2009, full severity) without the
/// red, green or blue cones: the closest pair is 16.8 apart on white and 24 on dark, where the
/// palette of Okabe and Ito, its yellow and black replaced for contrast, had 10.8 and 4.
inline constexpr std::array<Color, 8> class_colors = {{{0x14, 0x56, 0x9c},
                                                       {0xc0, 0x3a, 0x08},
                                                       {0x34, 0x94, 0x62},
                                                       {0xee, 0x82, 0xb2},
                                                       {0xc4, 0xa2, 0x10},
                                                       {0x1c, 0xb0, 0xf6},
                                                       {0x74, 0x36, 0xc2},
                                                       {0x54, 0x26, 0x1f}}};
inline constexpr std::array<Color, 8> dark_class_colors = {{{0x79, 0xa4, 0xf5},
                                                            {0xe8, 0x63, 0x1a},
                                                            {0x18, 0xdb, 0xa0},
                                                            {0xc4, 0x60, 0x9c},
                                                            {0xf6, 0xdc, 0x4c},
                                                            {0xc2, 0xee, 0xfc},
                                                            {0x8a, 0x66, 0xfb},
                                                            {0x96, 0x7a, 0x54}}};
inline constexpr Color no_class_color = {0x8a, 0x8f, 0x96};

struct Point {
  double x = 0, y = 0;
};

/// Outlines of the markers around (0, 0), all of the area of the unit disc; an empty outline is the
/// disc itself. y points down.
const std::vector<std::vector<Point>>& marker_outlines();

/// How a class is drawn. Eight colours and seven shapes have no common factor, so that neighbours
/// differ in both and 56 classes are distinct; from then on markers are hollow, which makes 112.
struct ClassStyle {
  int color = 0;
  int shape = 0;
  bool hollow = false;
};
ClassStyle class_style(std::int64_t index);

}  // namespace yupana::report
