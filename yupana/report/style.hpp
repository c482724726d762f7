#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "yupana/report/report.hpp"

namespace yupana::report {

struct Color {
  std::uint8_t red = 0, green = 0, blue = 0;
};
/// "#14569c"
std::string hex_of(const Color& color);
std::vector<std::string> hex_of(std::span<const Color> colors);

/// Of pictures: the ground, text and lines, and what is less important.
inline constexpr Color paper = {255, 255, 255}, ink = {28, 33, 39}, muted = {91, 99, 109};
inline constexpr Color grid_color = {236, 234, 229};  ///< of the lines at round values

/// Colours for classes, on white and on a dark ground, in the order in which classes take them.
/// They were searched to keep apart CIELAB colours (1976) as seen with normal sight and (Machado et
/// al. 2009, full severity) without the red, green or blue cones:
///   any two, normal sight: 28 apart or more; two that share a marker (style below): 25 or more in
///   every kind of sight; the first eight: 16.8 or more on white, 24 on dark in every kind of
///   sight; any of them and the grey of no class: 30 or more
inline constexpr std::size_t class_color_count = 27;
using ClassColors = std::array<Color, class_color_count>;
inline constexpr ClassColors class_colors = {
    {{0x14, 0x56, 0x9c}, {0xc0, 0x3a, 0x08}, {0x34, 0x94, 0x62}, {0xee, 0x82, 0xb2},
     {0xc4, 0xa2, 0x10}, {0x1c, 0xb0, 0xf6}, {0x74, 0x36, 0xc2}, {0x54, 0x26, 0x1f},
     {0x00, 0x00, 0xfc}, {0xfc, 0x48, 0xe4}, {0x00, 0xcc, 0x24}, {0x48, 0x18, 0x6c},
     {0xc0, 0xa8, 0x78}, {0xfc, 0x9c, 0x60}, {0x6c, 0x6c, 0x00}, {0xd8, 0x90, 0xfc},
     {0x00, 0x3c, 0x00}, {0x00, 0x78, 0xfc}, {0xfc, 0x00, 0x6c}, {0xc0, 0x18, 0x84},
     {0x9c, 0x18, 0x3c}, {0x00, 0xc0, 0xc0}, {0x9c, 0xc0, 0x60}, {0xb4, 0x00, 0xf0},
     {0x6c, 0x48, 0x6c}, {0xb4, 0xa8, 0xe4}, {0x90, 0x54, 0x24}}};
inline constexpr ClassColors dark_class_colors = {
    {{0x79, 0xa4, 0xf5}, {0xe8, 0x63, 0x1a}, {0x18, 0xdb, 0xa0}, {0xc4, 0x60, 0x9c},
     {0xf6, 0xdc, 0x4c}, {0xc2, 0xee, 0xfc}, {0x8a, 0x66, 0xfb}, {0x96, 0x7a, 0x54},
     {0xcc, 0x00, 0xe4}, {0x48, 0x9c, 0x00}, {0x84, 0xfc, 0x00}, {0xf0, 0x00, 0x48},
     {0xfc, 0xe4, 0xb4}, {0x3c, 0xfc, 0x78}, {0xfc, 0xc0, 0xe4}, {0x3c, 0xb4, 0xb4},
     {0xfc, 0x00, 0xc0}, {0x84, 0xb4, 0x84}, {0xb4, 0xfc, 0x9c}, {0xf0, 0xa8, 0x54},
     {0xd8, 0x6c, 0x6c}, {0xf0, 0x00, 0x00}, {0xf0, 0x84, 0xfc}, {0xb4, 0xd8, 0x00},
     {0x90, 0x90, 0x30}, {0x90, 0x6c, 0xc0}, {0xf0, 0x24, 0x84}}};
/// The one neutral grey: individuals without a label.
inline constexpr Color no_class_color = {0x8a, 0x8f, 0x96};

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
/// The colour at `part` of the way, 0 to 1.
Color map_color(double part);
/// Colours of a covariate's scale.
inline constexpr std::int32_t covariate_steps = 64;
/// Of a style: one of class_colors or, from class_color_count on, a step of a covariate's scale.
Color color_of(int color);

struct Point {
  double x = 0, y = 0;
};

/// Outlines of the markers around (0, 0), all of the area of the unit disc; an empty outline is the
/// disc itself. y points down.
const std::vector<std::vector<Point>>& marker_outlines();

/// How a class is drawn. 27 colours and seven shapes have no common factor, so that neighbours
/// differ in both and 189 classes are distinct; from then on markers are hollow, which makes 378.
struct ClassStyle {
  int color = 0;  ///< of color_of()
  int shape = 0;
  bool hollow = false;
};
ClassStyle class_style(std::int64_t index);

/// Shows the individuals by a number: the report's classes become equal steps of its scale, named
/// by their ends.
void color_by(Report& report, Covariate covariate);

/// How a class of the report is drawn; -1 has no style.
ClassStyle style_of(const Report& report, std::int64_t c);

}  // namespace yupana::report
