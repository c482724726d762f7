#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/report/pen.hpp"
#include "yupana/report/report.hpp"

namespace yupana::report {

struct LegendEntry {
  std::string name;
  std::int64_t count = 0;
  bool has_style = true;
  ClassStyle style = {};
};

/// Classes with their individuals, and last those without a label, where there are any.
std::vector<LegendEntry> legend_entries(const Report& report);

/// Height of a line.
double entry_height(std::int64_t entries);
/// More entries than a page's column takes in large letters.
bool is_long_legend(std::int64_t entries);

/// As many classes as fit in the columns; the last line says how many are left out.
void draw_legend(Pen& pen,
                 const Box& box,
                 const std::vector<LegendEntry>& entries,
                 std::int64_t columns);

/// Of a legend below a figure: room, columns and drawing, empty without labels.
struct LegendBelow {
  Box box;
  std::int64_t columns = 1;
};
LegendBelow legend_below(const Report& report, double left, double top, double width);
void draw_legend(Pen& pen, const LegendBelow& legend, const Report& report);

/// Round numbers (1, 2 or 5 times a power of ten apart) within [low, high], about `count` of them.
std::vector<double> ticks(double low, double high, double count);

/// The ticks as text, all with the digits that their step needs.
std::vector<std::string> tick_texts(const std::vector<double>& values);

struct ValueRange {
  double low = 0, high = 0;
};

/// A bar of map_colors from the range's low end, at the bottom, to its high end, with numbers on
/// its right.
void draw_scale(Pen& pen, const Box& bar, const ValueRange& range);

}  // namespace yupana::report
