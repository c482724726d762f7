#include "yupana/report/som_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/report/figures.hpp"
#include "yupana/report/page.hpp"
#include "yupana/report/pen.hpp"
#include "yupana/report/som_panel.hpp"
#include "yupana/report/style.hpp"
#include "yupana/report/text.hpp"

namespace yupana::report {
namespace {

constexpr double map_margin = 28, map_heading_height = 64, map_gap = 22;

/// Panels in rows that make the picture about as wide as a page, and the legend below.
class Sheet {
 public:
  explicit Sheet(const MapReport& report)
      : report_(report),
        panels_(std::ssize(report.panels) + std::ssize(report.groups)),
        columns_(std::clamp<std::int64_t>(panels_ <= 4 ? panels_ : (panels_ + 2) / 3, 1, 6)),
        panel_height_(map_panel_height(report)) {
    if (panels_ > 4 && columns_ < 4) columns_ = 4;
    const Surface scratch(cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1),
                          cairo_surface_destroy);
    Pen pen(scratch.get());
    legend_.emplace(pen, report, width() - 2 * map_margin);
  }
  std::int64_t panels() const { return panels_; }
  double width() const { return 2 * map_margin + map_panel_width * static_cast<double>(columns_); }
  double height() const { return std::ceil(legend_top() + legend_->height() + map_margin); }

  void draw(cairo_surface_t* surface) const {
    Pen pen(surface);
    pen.color(paper);
    pen.fill({0, 0, width(), height()});
    pen.color(ink);
    pen.font(22, true);
    pen.text(valid_utf8(report_.title), map_margin, 38, Align::left, width() - 2 * map_margin);
    const std::int64_t groups = std::ssize(report_.groups);
    for (std::int64_t k = 0; k < panels_; ++k) {
      const std::int64_t own = k - report_.first_plane;
      if (own >= 0 && own < groups) {
        draw_groups_panel(
            pen, left(k), top(k), report_, report_.groups[static_cast<std::size_t>(own)]);
        continue;
      }
      const auto number = static_cast<std::size_t>(own < 0 ? k : k - groups);
      draw_map_panel(pen, left(k), top(k), report_, report_.panels[number]);
    }
    legend_->draw(pen, map_margin, legend_top());
  }

 private:
  double legend_top() const {
    const std::int64_t rows = (panels_ + columns_ - 1) / columns_;
    return map_heading_height + (panel_height_ + map_gap) * static_cast<double>(rows) - map_gap;
  }
  double left(std::int64_t k) const {
    return map_margin + map_panel_width * static_cast<double>(k % columns_);
  }
  double top(std::int64_t k) const {
    return map_heading_height + (panel_height_ + map_gap) * static_cast<double>(k / columns_);
  }

  const MapReport& report_;
  std::int64_t panels_, columns_;
  double panel_height_;
  std::optional<MapLegend> legend_;
};

/// The sheet drawn as pixels, put on the page as one image.
void draw_sheet_image(cairo_surface_t* surface, const Sheet& sheet) {
  constexpr double resolution = 2;
  const Surface image(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                 static_cast<int>(std::ceil(sheet.width() * resolution)),
                                 static_cast<int>(std::ceil(sheet.height() * resolution))),
      cairo_surface_destroy);
  cairo_surface_set_device_scale(image.get(), resolution, resolution);
  sheet.draw(image.get());
  Pen pen(surface);
  cairo_set_source_surface(pen.get(), image.get(), 0, 0);
  cairo_paint(pen.get());
}

using Json = nlohmann::json;

/// Six digits are below a step of colour, and half the bytes of all of them.
Json rounded(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) {
    if (!std::isfinite(value)) {
      list.push_back(nullptr);
    } else if (value == std::floor(value) && std::abs(value) < 1e15) {
      list.push_back(static_cast<std::int64_t>(value));
    } else {
      list.push_back(std::stod(fmt::format("{:.6g}", value)));
    }
  }
  return list;
}

std::string data_of(const MapReport& report) {
  Json panels = Json::array();
  for (const MapPanel& panel : report.panels) {
    panels.push_back(
        {{"name", panel.name}, {"values", rounded(panel.values)}, {"counts", panel.counts}});
  }
  Json groups = Json::array();
  for (const MapGroups& own : report.groups) {
    const MapLegendWords words = legend_words(own);
    groups.push_back({{"name", own.name},
                      {"names", own.names},
                      {"values", own.of},
                      {"shown", words.shown},
                      {"hasNone", words.has_none},
                      {"remark", words.remark}});
  }
  const Json data = {{"rows", report.rows},
                     {"cols", report.cols},
                     {"hexagonal", report.hexagonal},
                     {"panels", panels},
                     {"firstPlane", report.first_plane},
                     {"groups", groups},
                     {"colors", hex_of(map_colors)},
                     {"groupColors", hex_of(class_colors)},
                     {"darkGroupColors", hex_of(dark_class_colors)}};
  return escape_script(data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// A sentence for each kind of panel that is drawn.
std::string panel_words(const MapReport& report) {
  static constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"U-matrix",
       "the mean distance of its weights to those of its neighbours, so bright ridges part groups"},
      {"Hits", "the samples nearest to it"},
      {"P-matrix", "the samples within one radius of it"},
      {"Classes", "that of most of a neuron's samples; a grey cell has none"},
      {"Clusters", "groups of neurons that lie together and are alike"}};
  const auto is_drawn = [&](std::string_view name) {
    const auto is_it = [&](const auto& drawn) { return drawn.name == name; };
    const auto first_plane = report.panels.begin() + report.first_plane;
    return std::any_of(report.panels.begin(), first_plane, is_it) ||
           std::any_of(report.groups.begin(), report.groups.end(), is_it);
  };
  std::string text;
  for (const auto& [name, meaning] : words) {
    if (is_drawn(name)) text += fmt::format("{}: {}. ", name, meaning);
  }
  if (std::ssize(report.panels) > report.first_plane) {
    text += "The others show one feature each, in the units of the table. ";
  }
  return text;
}

std::string notices_of(const MapReport& report) {
  std::string list;
  for (const std::string& text : report.notices) {
    list +=
        "<p class=\"notice\" role=\"note\"><b>⚠ Notice</b><span>" + escaped(text) + "</span></p>\n";
  }
  return list;
}

std::string images_of(const MapReport& report) {
  if (report.images.empty()) return "";
  const std::string png = map_images_png(report);
  return fmt::format(
      "<figure id=\"images\">\n<figcaption><h2>The neurons as images</h2>\n<p>The weights of each "
      "neuron at its place on the map, {} x {} pixels, all in one scale of grey.</p></figcaption>\n"
      "<img class=\"images\" alt=\"Grid of {} x {} images\" src=\"data:image/png;base64,{}\">\n"
      "</figure>",
      report.image_rows,
      report.image_cols,
      report.rows,
      report.cols,
      base64(png.data(), png.size()));
}

}  // namespace

void check(const MapReport& report) {
  const auto expect = [](bool fine, const char* what) {
    if (!fine) throw usage_error("report of a map: {}", what);
  };
  expect(report.rows > 0 && report.cols > 0, "expected at least one neuron");
  const std::int64_t neurons = report.rows * report.cols;
  for (const MapPanel& panel : report.panels) {
    expect(std::ssize(panel.values) == neurons, "a panel needs one value a neuron");
  }
  expect(report.first_plane >= 0 && report.first_plane <= std::ssize(report.panels),
         "the first plane is one of the panels");
  for (const MapGroups& groups : report.groups) {
    expect(std::ssize(groups.of) == neurons, "expected a group a neuron");
    for (const std::int64_t g : groups.of) {
      expect(g >= -1 && g < std::ssize(groups.names), "a neuron's group has no name");
    }
  }
  expect(std::ssize(report.images) ==
             (report.images.empty() ? 0 : neurons) * report.image_rows * report.image_cols,
         "expected an image a neuron");
}

void write_map_svg(AtomicFile& file, const MapReport& report) {
  check(report);
  const Sheet sheet(report);
  const bool many = sheet.panels() * report.rows * report.cols > map_outlines_limit;
  file.write(svg_of(sheet.width(), sheet.height(), [&](cairo_surface_t* surface) {
    if (many) {
      draw_sheet_image(surface, sheet);
    } else {
      sheet.draw(surface);
    }
  }));
}

void write_map_png(AtomicFile& file, const MapReport& report) {
  check(report);
  const Sheet sheet(report);
  file.write(png_of(
      sheet.width(), sheet.height(), 2, [&](cairo_surface_t* surface) { sheet.draw(surface); }));
}

void write_map_images(AtomicFile& file, const MapReport& report) {
  check(report);
  file.write(map_images_png(report));
}

void write_map_html(AtomicFile& file, const MapReport& report) {
  check(report);
  write_page(file,
             page::som_map_html,
             {{"title", escaped(report.title)},
              {"policy", "; img-src data:"},
              {"findings", report.findings.empty() ? "" : html_list(report.findings)},
              {"notices", notices_of(report)},
              {"panels", panel_words(report)},
              {"images", images_of(report)},
              {"summary", html_table(report.summary)},
              {"data", data_of(report)},
              {"script", std::string(page::som_map_js)}});
}

}  // namespace yupana::report
