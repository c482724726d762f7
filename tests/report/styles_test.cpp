// Classes can be told apart on screen and paper, by readers with any sight for colours.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "yupana/report/style.hpp"

namespace yupana::report {
namespace {

using Triple = std::array<double, 3>;
using Transform = std::array<Triple, 3>;

constexpr Transform normal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
// Without the red, the green, the blue cones: Machado, Oliveira, Fernandes 2009, severity 1, on
// linear RGB.
constexpr std::array<Transform, 3> deficient = {{{{{0.152286, 1.052583, -0.204868},
                                                   {0.114503, 0.786281, 0.099216},
                                                   {-0.003882, -0.048116, 1.051998}}},
                                                 {{{0.367322, 0.860646, -0.227968},
                                                   {0.280085, 0.672501, 0.047413},
                                                   {-0.011820, 0.042940, 0.968881}}},
                                                 {{{1.255528, -0.076749, -0.178779},
                                                   {-0.078411, 0.930809, 0.147602},
                                                   {0.004733, 0.691367, 0.303900}}}}};

Triple times(const Transform& m, const Triple& v) {
  Triple result{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) result[i] += m[i][j] * v[j];
  }
  return result;
}

/// CIELAB (D65) of an sRGB colour as seen through `sight`.
Triple lab(const Color& color, const Transform& sight) {
  const auto linear = [](std::uint8_t byte) {
    const double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  Triple rgb = times(sight, {linear(color.red), linear(color.green), linear(color.blue)});
  for (double& part : rgb) part = std::clamp(part, 0.0, 1.0);
  constexpr Transform to_xyz = {{{0.4124564, 0.3575761, 0.1804375},
                                 {0.2126729, 0.7151522, 0.0721750},
                                 {0.0193339, 0.1191920, 0.9503041}}};
  const Triple xyz = times(to_xyz, rgb), white = times(to_xyz, {1, 1, 1});
  Triple f{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double t = xyz[k] / white[k];
    f[k] = t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  }
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

double apart(const Color& a, const Color& b, const Transform& sight) {
  const Triple x = lab(a, sight), y = lab(b, sight);
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

double apart_for_everyone(const Color& a, const Color& b) {
  double least = apart(a, b, normal);
  for (const Transform& sight : deficient) least = std::min(least, apart(a, b, sight));
  return least;
}

TEST(Styles, ColoursOfTwentySevenClassesAreAllFarApart) {
  ASSERT_GE(class_color_count, 26u);
  for (const ClassColors& colors : {class_colors, dark_class_colors}) {
    for (std::size_t i = 0; i < class_color_count; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_GE(apart(colors[i], colors[j], normal), i < 8 ? 16.8 : 28) << i << " " << j;
      }
    }
  }
}

TEST(Styles, ClassesOfOneMarkerDifferInColourForEveryKindOfSight) {
  const auto count = static_cast<std::int64_t>(class_color_count);
  for (const ClassColors& colors : {class_colors, dark_class_colors}) {
    for (std::int64_t a = 0; a < count; ++a) {
      for (std::int64_t b = 0; b < a; ++b) {
        const ClassStyle x = class_style(a), y = class_style(b);
        EXPECT_NE(x.color, y.color);
        if (x.shape != y.shape && a >= 8) continue;  // the shape tells them apart
        EXPECT_GE(apart_for_everyone(colors[static_cast<std::size_t>(x.color)],
                                     colors[static_cast<std::size_t>(y.color)]),
                  a < 8 ? 16.7 : 25)
            << a << " " << b;
      }
    }
  }
}

TEST(Styles, NoClassLooksLikeNoLabel) {
  const Triple grey = lab(no_class_color, normal);
  EXPECT_LT(std::hypot(grey[1], grey[2]), 6);  // neutral
  for (const ClassColors& colors : {class_colors, dark_class_colors}) {
    for (const Color& color : colors) EXPECT_GE(apart(color, no_class_color, normal), 30);
  }
}

}  // namespace
}  // namespace yupana::report
