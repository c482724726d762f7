#include "yupana/report/som_legend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "yupana/report/som_panel.hpp"
#include "yupana/report/text.hpp"

namespace yupana::report {
namespace {

constexpr double line_height = 18, swatch = 10, after_swatch = 15, gap = 16;

void use_font(Pen& pen, bool heading) { pen.font(heading ? 13 : 11.5, heading); }

}  // namespace

MapLegendWords legend_words(const MapGroups& groups) {
  std::vector<bool> is_there(groups.names.size(), false);
  MapLegendWords words;
  for (const std::int64_t g : groups.of) {
    if (g >= 0) is_there[static_cast<std::size_t>(g)] = true;
    words.has_none = words.has_none || g < 0;
  }
  const auto there = std::count(is_there.begin(), is_there.end(), true);
  for (std::size_t g = 0; g < is_there.size() && std::ssize(words.shown) < max_legend_names; ++g) {
    if (is_there[g]) words.shown.push_back(static_cast<std::int64_t>(g));
  }
  const std::int64_t more = there - std::ssize(words.shown), absent = std::ssize(is_there) - there;
  if (more > 0) words.remark = fmt::format("{} more", more);
  if (absent > 0) {
    words.remark += fmt::format(
        "{}{} other{} on no neuron", more > 0 ? ", " : "", absent, absent == 1 ? "" : "s");
  }
  return words;
}

MapLegend::MapLegend(Pen& pen, const MapReport& report, double width) : width_(width) {
  for (const MapGroups& groups : report.groups) {
    const MapLegendWords words = legend_words(groups);
    add(pen, Kind::heading, groups.name, ink);
    for (const std::int64_t g : words.shown) {
      add(pen, Kind::name, groups.names[static_cast<std::size_t>(g)], map_group_color(g));
    }
    if (words.has_none) add(pen, Kind::name, "no sample", map_absent);
    if (!words.remark.empty()) add(pen, Kind::remark, words.remark, muted);
  }
}

void MapLegend::add(Pen& pen, Kind kind, const std::string& text, const Color& color) {
  const bool heading = kind == Kind::heading;
  use_font(pen, heading);
  const std::string name = valid_utf8(text);
  const double wide = pen.width_of(name) + (kind == Kind::name ? after_swatch : 0) + gap;
  if (heading || (x_ > 0 && x_ + wide - gap > width_)) {
    height_ += heading ? line_height + 6 : line_height;
    x_ = 0;
  }
  entries_.push_back({kind, name, color, x_, height_});
  x_ += wide;
}

void MapLegend::draw(Pen& pen, double left, double top) const {
  for (const Entry& entry : entries_) {
    const double x = left + entry.x, y = top + entry.y;
    const double before = entry.kind == Kind::name ? after_swatch : 0;
    pen.color(entry.color);
    if (entry.kind == Kind::name) {
      pen.fill({x, y - swatch + 1, swatch, swatch});
      pen.color(ink);
    }
    use_font(pen, entry.kind == Kind::heading);
    pen.text(entry.text, x + before, y, Align::left, width_ - entry.x - before);
  }
}

}  // namespace yupana::report
