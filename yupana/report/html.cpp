#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "yupana/report/figures.hpp"
#include "yupana/report/page.hpp"
#include "yupana/report/report.hpp"
#include "yupana/report/style.hpp"
#include "yupana/report/text.hpp"

namespace yupana::report {
namespace {

// Numbers that are not finite become null on the way out (nlohmann::json does so by itself).
using Json = nlohmann::json;

/// Coordinates as base64 of little-endian float32: a third smaller than decimal text and decoded
/// at once; seven digits are far below a pixel at every zoom the page allows.
Json json_of(const Embedding& embedding) {
  const std::int64_t values = embedding.points.rows() * embedding.points.cols();
  std::vector<float> points(embedding.points.data(), embedding.points.data() + values);
  return {{"name", embedding.name},
          {"dimensions", embedding.points.cols()},
          {"share", embedding.share},
          {"unit", embedding.unit},
          {"points", base64(points.data(), points.size() * sizeof(float))}};
}

/// The lower triangle in 65,535 equal steps over the finite values' range; the last code is "no
/// value". So a value read from the page is within 1/131,068 of the range.
Json json_of(const HeatMap& map) {
  const std::int64_t size = map.cells.size();
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::int64_t i = 0; i < size * size; ++i) {
    const double value = map.cells.data()[i];
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  constexpr std::uint16_t missing = 65535;
  const double scale = high > low ? (missing - 1) / (high - low) : 0;
  std::vector<std::uint16_t> codes;
  codes.reserve(static_cast<std::size_t>(size * (size + 1) / 2));
  for (std::int64_t i = 0; i < size; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      const double value = map.cells(i, j);
      const bool known = std::isfinite(value);
      codes.push_back(known ? static_cast<std::uint16_t>(std::lround((value - low) * scale))
                            : missing);
    }
  }
  return {{"name", map.name},
          {"unit", map.unit},
          {"size", size},
          {"individuals", map.individuals},
          {"order", map.order},
          {"low", low},
          {"high", high},
          {"cells", base64(codes.data(), codes.size() * sizeof(codes[0]))}};
}

Json json_of(const Histogram& histogram) {
  return {{"name", histogram.name},
          {"unit", histogram.unit},
          {"low", histogram.low},
          {"high", histogram.high},
          {"counts", histogram.counts}};
}

/// Children and heights of the merges as base64 of little-endian int32 and float32.
Json json_of(const Tree& tree) {
  std::vector<std::int32_t> children;
  std::vector<float> heights;
  for (const Tree::Merge& merge : tree.merges) {
    children.push_back(merge.left);
    children.push_back(merge.right);
    heights.push_back(merge.height);
  }
  const auto numbers = [](const std::vector<float>& values) {
    return base64(values.data(), values.size() * sizeof(float));
  };
  return {{"name", tree.name},
          {"unit", tree.unit},
          {"linkage", tree.linkage},
          {"tips", numbers(tree.tips)},
          {"support", numbers(tree.support)},
          {"children", base64(children.data(), children.size() * sizeof(children[0]))},
          {"heights", numbers(heights)}};
}

Json json_of(const std::optional<Covariate>& covariate) {
  if (!covariate) return nullptr;
  return {{"name", covariate->name},
          {"low", covariate->low},
          {"high", covariate->high},
          {"values", covariate->values}};
}

Json json_of(const Arrow& arrow) { return {{"name", arrow.name}, {"along", arrow.along}}; }

Json json_of(const TextTable& table) {
  return {{"title", table.title}, {"note", table.note}, {"head", table.head}, {"rows", table.rows}};
}

Json json_of(const ScoreRow& row) {
  return {{"name", row.name},
          {"silhouette", row.silhouette},
          {"rand", row.adjusted_rand},
          {"neighbor", row.nearest_neighbor}};
}

Json json_of(const std::pair<std::string, std::string>& pair) {
  return Json::array({pair.first, pair.second});
}

template <class T>
Json list_of(const std::vector<T>& parts) {
  Json list = Json::array();
  for (const T& part : parts) list.push_back(json_of(part));
  return list;
}

/// Colours and markers, so that the page and the pictures cannot disagree.
Json style_of(const Report& report) {
  Json outlines = Json::array();
  for (const std::vector<Point>& outline : marker_outlines()) {
    Json points = Json::array();
    for (const Point& p : outline) {
      points.push_back({std::round(p.x * 1000) / 1000, std::round(p.y * 1000) / 1000});
    }
    outlines.push_back(points);
  }
  Json classes = Json::array();
  for (std::size_t i = 0; i < report.class_names.size(); ++i) {
    const ClassStyle style = style_of(report, static_cast<std::int64_t>(i));
    classes.push_back({{"color", style.color}, {"shape", style.shape}, {"hollow", style.hollow}});
  }
  std::vector<std::string> light = hex_of(class_colors), dark = hex_of(dark_class_colors);
  for (int k = 0; report.covariate && k < covariate_steps; ++k) {
    light.push_back(hex_of(color_of(static_cast<int>(class_color_count) + k)));
    dark.push_back(light.back());
  }
  return {{"light", light},
          {"dark", dark},
          {"none", hex_of(no_class_color)},
          {"outlines", outlines},
          {"classes", classes}};
}

std::string data_of(const Report& report) {
  const Json data = {{"title", report.title},
                     {"individuals", report.individuals},
                     {"classNames", report.class_names},
                     {"classes", report.class_names.empty() ? Json::array() : Json(report.classes)},
                     {"covariate", json_of(report.covariate)},
                     {"embeddings", list_of(report.embeddings)},
                     {"axis", report.axis},
                     {"embeddingNote", report.embedding_note},
                     {"arrows", list_of(report.arrows)},
                     {"scree", report.scree},
                     {"sideBySide", report.side_by_side},
                     {"heatMaps", list_of(report.heat_maps)},
                     {"histograms", list_of(report.histograms)},
                     {"alphas", report.alphas},
                     {"keptEdges", report.kept_edges},
                     {"curveNote", report.curve_note},
                     {"runAlphas", report.run_alphas},
                     {"trees", list_of(report.trees)},
                     {"scores", list_of(report.scores)},
                     {"tables", list_of(report.tables)},
                     {"findings", report.findings},
                     {"notices", report.notices},
                     {"summary", list_of(report.summary)},
                     {"newick", list_of(report.newick)},
                     {"style", style_of(report)}};
  return escape_script(data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string script_of() {
  return fmt::format("{}{}{}{}{}{}{}{}{}{}{}{}",
                     page::values_js,
                     page::canvas_js,
                     page::blend_js,
                     page::scatter_js,
                     page::embeddings_js,
                     page::pointer_js,
                     page::legend_js,
                     page::heat_map_js,
                     page::tree_js,
                     page::charts_js,
                     page::export_js,
                     page::page_js);
}

}  // namespace

void write_html(AtomicFile& file, const Report& report) {
  check(report);
  write_page(file,
             page::page_html,
             {{"title", escape_html(valid_utf8(report.title))},
              {"policy", "; img-src data:"},
              {"data", data_of(report)},
              {"script", script_of()}});
}

}  // namespace yupana::report
