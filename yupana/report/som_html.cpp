#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "yupana/report/check.hpp"
#include "yupana/report/page.hpp"
#include "yupana/report/som_map.hpp"
#include "yupana/report/som_panel.hpp"
#include "yupana/report/style.hpp"
#include "yupana/report/text.hpp"

namespace yupana::report {
namespace {

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
