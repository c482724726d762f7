#include "yupana/report/report.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "tests/report/sample.hpp"
#include "tests/support/folder.hpp"
#include "yupana/core/error.hpp"
#include "yupana/report/legend.hpp"
#include "yupana/report/style.hpp"
#include "yupana/report/text.hpp"

namespace yupana::report {
namespace {

using Writer = void (*)(AtomicFile&, const Report&);

std::string written(Writer write, const Report& report) {
  const test::Folder folder;
  AtomicFile file(folder / "out");
  write(file, report);
  file.commit();
  return test::bytes_of(folder / "out");
}

std::int64_t times(const std::string& text, const std::string& word) {
  std::int64_t found = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) {
    ++found;
  }
  return found;
}

nlohmann::json data_of(const std::string& html) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = html.find(open) + open.size();
  return nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
}

std::vector<std::uint8_t> bytes_of(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  std::uint32_t held = 0, bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    held = held << 6 | static_cast<std::uint32_t>(digits.find(c));
    bits += 6;
    if (bits >= 8) bytes.push_back(static_cast<std::uint8_t>(held >> (bits -= 8)));
  }
  return bytes;
}

/// Whether every element is closed in the order of opening and every attribute quoted.
bool is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  std::size_t at = 0;
  while ((at = xml.find('<', at)) != std::string::npos) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" \n/", 1));
    if (tag.find('<') != std::string::npos || times(tag, "\"") % 2 != 0) return false;
    if (tag[0] == '/') {
      if (open.empty() || "/" + open.back() != tag) return false;
      open.pop_back();
    } else if (tag[0] != '?' && tag.back() != '/') {
      open.push_back(name);
    }
    at = end;
  }
  return open.empty();
}

TEST(Page, HostileNamesStayData) {
  const std::string clean = written(write_html, sample_report(8, 8));
  const std::string hostile = written(write_html, hostile_report());

  EXPECT_EQ(times(hostile, "<script"), times(clean, "<script"));
  EXPECT_EQ(times(hostile, "</script"), times(clean, "</script"));
  EXPECT_EQ(times(hostile, "<img"), 0);
  EXPECT_EQ(times(hostile, "<!--"), 0);
  const nlohmann::json data = data_of(hostile);
  for (std::size_t i = 0; i < hostile_names().size(); ++i) {
    EXPECT_EQ(data["individuals"][i], valid_utf8(hostile_names()[i]));
    EXPECT_EQ(data["newick"][i + 2][1], valid_utf8(hostile_names()[i]));
  }
}

TEST(Page, AsksForNothingOutsideItself) {
  const std::string html = written(write_html, sample_report(50, 3));
  for (const char* word : {"http://", "https://", "src=", "url(", "@import", "<link"}) {
    EXPECT_EQ(times(html, word), 0) << word;
  }
  EXPECT_EQ(times(html, "{{"), 0);
}

TEST(Page, NumbersThatAreNotFiniteBecomeNull) {
  const nlohmann::json data = data_of(written(write_html, hostile_report()));
  EXPECT_TRUE(data["runAlphas"][0].is_null());
  EXPECT_TRUE(data["keptEdges"][1].is_null());
  EXPECT_TRUE(data["scores"][0]["silhouette"].is_null());
  EXPECT_TRUE(data["embeddings"][1]["share"][0].is_null());
}

TEST(Page, HeatMapReadsBackWithinHalfAStep) {
  const Report report = sample_report(61, 3);
  const nlohmann::json map = data_of(written(write_html, report))["heatMaps"][1];
  const std::vector<std::uint8_t> bytes = bytes_of(map["cells"]);
  const double low = map["low"], high = map["high"], step = (high - low) / 65534;
  const SquareMatrix<float>& cells = report.heat_maps[1].cells;

  ASSERT_EQ(bytes.size(), 61u * 62u);
  for (std::int64_t i = 0, k = 0; i < 61; ++i) {
    for (std::int64_t j = 0; j <= i; ++j, ++k) {
      const auto at = static_cast<std::size_t>(2 * k);
      const int code = bytes[at] | bytes[at + 1] << 8;
      EXPECT_NEAR(low + code * step, cells(i, j), step * 0.5001);
    }
  }
}

TEST(Page, MissingCellsKeepTheirOwnCode) {
  const nlohmann::json map = data_of(written(write_html, hostile_report()))["heatMaps"][0];
  const std::vector<std::uint8_t> bytes = bytes_of(map["cells"]);
  const std::size_t cell = 2 * (2 * 3 / 2 + 1);
  EXPECT_EQ(bytes[cell] | bytes[cell + 1] << 8, 65535);
  EXPECT_NE(bytes[0] | bytes[1] << 8, 65535);
}

TEST(Page, CoordinatesReadBackAsFloat32) {
  const Report report = sample_report(7, 2);
  const nlohmann::json embedding = data_of(written(write_html, report))["embeddings"][0];
  const std::vector<std::uint8_t> bytes = bytes_of(embedding["points"]);
  ASSERT_EQ(bytes.size(), 7u * 10u * sizeof(float));
  for (std::size_t i = 0; i < 70; ++i) {
    float value;
    std::memcpy(&value, &bytes[i * sizeof(float)], sizeof(float));
    EXPECT_EQ(value, static_cast<float>(report.embeddings[0].points.data()[i]));
  }
}

TEST(Page, TwoThousandIndividualsStayBelowThreeMegabytes) {
  EXPECT_LT(written(write_html, sample_report(2000, 26)).size(), 3'000'000u);
}

TEST(Pictures, PngIsWholeAndOf3200By1600Pixels) {
  const std::string png = written(write_png, sample_report(100, 4));
  ASSERT_GT(png.size(), 45u);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(12, 4), "IHDR");
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\x0c\x80\0\0\x06\x40", 8));
  EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND");
  EXPECT_EQ(times(png, "tIME"), 0);
}

TEST(Pictures, SvgIsWellFormedAndRefersToNothing) {
  for (const Report& report : {sample_report(100, 4), hostile_report()}) {
    const std::string svg = written(write_svg, report);
    EXPECT_TRUE(is_well_formed(svg));
    EXPECT_EQ(times(svg, "<svg "), 1);
    EXPECT_EQ(times(svg, "http"), times(svg, "xmlns"));
  }
}

TEST(Pictures, ShowTheTwoEmbeddingsSetSideBySide) {
  Report report = sample_report(50, 3);
  const std::string first = written(write_svg, report);
  report.side_by_side = {1, 0};
  EXPECT_NE(written(write_svg, report), first);
  std::swap(report.embeddings[0], report.embeddings[1]);
  EXPECT_EQ(written(write_svg, report), first);
}

TEST(Pictures, NameTheRunsAlphasAsNumbers) {
  Report report = sample_report(20, 2);
  report.run_alphas = {2, 10.48};
  Report in_words = sample_report(20, 2);
  in_words.run_alphas.clear();
  in_words.subtitle += "; \u03b1 = 2, 10.48";
  for (const Writer write : {&write_svg, &write_pdf, &write_png}) {
    EXPECT_EQ(written(write, report), written(write, in_words));
  }
}

TEST(Pictures, SvgOfManyIndividualsHoldsImagesAndStaysSmall) {
  const std::string svg = written(write_svg, sample_report(6000, 12));
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(times(svg, "data:image/png;base64,"), 2);
  EXPECT_LT(svg.size(), 8'000'000u);
}

TEST(Pictures, SameReportSameBytes) {
  const Report report = sample_report(150, 5);
  for (const Writer write : {&write_html, &write_svg, &write_pdf, &write_png}) {
    EXPECT_EQ(written(write, report), written(write, sample_report(150, 5)));
  }
}

TEST(Reports, SmallAndEmptyOnesAreDrawn) {
  for (const std::int64_t individuals : {0, 1, 2, 3}) {
    for (const std::int64_t dimensions : {0, 1, 2}) {
      const Report report = bare_report(individuals, dimensions);
      EXPECT_EQ(data_of(written(write_html, report))["individuals"].size(),
                static_cast<std::size_t>(individuals));
      EXPECT_TRUE(is_well_formed(written(write_svg, report)));
      EXPECT_EQ(written(write_png, report).substr(1, 3), "PNG");
    }
  }
  for (const Writer write : {&write_html, &write_svg, &write_pdf, &write_png}) {
    EXPECT_FALSE(written(write, Report()).empty());
    EXPECT_FALSE(written(write, hostile_report()).empty());
    EXPECT_FALSE(written(write, sample_report(900, 300)).empty());
  }
}

TEST(Reports, ExtremeCoordinatesAreDrawn) {
  for (const double size : {1e-300, 1e15, 1e300}) {
    Report report = bare_report(3, 2);
    double* points = report.embeddings[0].points.data();
    for (std::int64_t i = 0; i < 6; ++i) points[i] = size * (1 + 1e-14 * static_cast<double>(i));
    EXPECT_TRUE(is_well_formed(written(write_svg, report)));
    EXPECT_FALSE(written(write_html, report).empty());
  }
}

TEST(Reports, PartsThatDoNotFitAreRefused) {
  const auto refused = [](void (*spoil)(Report&)) {
    Report report = sample_report(20, 3);
    spoil(report);
    for (const Writer write : {&write_html, &write_svg, &write_pdf, &write_png}) {
      try {
        written(write, report);
        return false;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::usage) return false;
      }
    }
    return true;
  };
  EXPECT_TRUE(refused([](Report& r) { r.classes[3] = 3; }));
  EXPECT_TRUE(refused([](Report& r) { r.classes[3] = -2; }));
  EXPECT_TRUE(refused([](Report& r) { r.classes.pop_back(); }));
  EXPECT_TRUE(refused([](Report& r) { r.individuals.pop_back(), r.classes.pop_back(); }));
  EXPECT_TRUE(refused([](Report& r) { r.side_by_side[1] = 2; }));
  EXPECT_TRUE(refused([](Report& r) { r.side_by_side[0] = -1; }));
  EXPECT_TRUE(refused([](Report& r) { r.heat_maps[0].order[0] = 20; }));
  EXPECT_TRUE(refused([](Report& r) { r.heat_maps[0].individuals = 19; }));
  EXPECT_TRUE(refused([](Report& r) { r.alphas.pop_back(); }));
  EXPECT_TRUE(refused([](Report& r) { r.class_styles = {0}; }));
  EXPECT_TRUE(refused([](Report& r) { color_by(r, {"age", 0, 1, {0.5}}); }));
  EXPECT_TRUE(refused([](Report& r) { r.trees[0].merges.pop_back(); }));
  EXPECT_TRUE(refused([](Report& r) { r.trees[0].merges[0].left = 20; }));
  EXPECT_TRUE(refused([](Report& r) { r.trees[0].tips = {1}; }));
  EXPECT_TRUE(refused([](Report& r) { r.trees[0].support = {50}; }));
  EXPECT_TRUE(refused([](Report& r) { r.trees[0].merges[3].right = -1; }));
}

TEST(Covariates, StepsCoverTheScaleFromEndToEnd) {
  Report report = sample_report(5, 2);
  color_by(report, {"age", 10, 42, {10, 10.6, 26, 42, NAN}});
  EXPECT_EQ(report.classes, (std::vector<std::int32_t>{0, 1, 32, 63, -1}));
  EXPECT_EQ(report.class_names.front(), "10 to 10.5");
  const auto step = [&](std::int64_t k) { return hex_of(color_of(style_of(report, k).color)); };
  EXPECT_EQ(step(0), hex_of(map_colors.front()));
  EXPECT_EQ(step(63), hex_of(map_colors.back()));
  color_by(report, {"wide", -1.7e308, 1.7e308, {-1.7e308, 0, 1.7e308, 1, NAN}});
  EXPECT_EQ(report.classes, (std::vector<std::int32_t>{0, 32, 63, 32, -1}));
  color_by(report, {"flat", 3, 3, {3, 3, 3, 3, 3}});
  EXPECT_EQ(report.classes, std::vector<std::int32_t>(5, 0));
  for (const Writer write : {&write_html, &write_svg, &write_pdf, &write_png}) {
    EXPECT_FALSE(written(write, report).empty());
  }
}

TEST(Styles, AClassKeepsItsStyleWhereOthersAreMissing) {
  Report report = sample_report(5, 2);
  report.class_styles = {7, 3};
  EXPECT_EQ(style_of(report, 1).color, class_style(3).color);
  EXPECT_EQ(style_of(report, 0).shape, class_style(7).shape);
}

TEST(Styles, ThreeHundredAndSeventyEightClassesDiffer) {
  std::set<std::tuple<int, int, bool>> seen;
  for (std::int64_t c = 0; c < 378; ++c) {
    const ClassStyle style = class_style(c);
    seen.emplace(style.color, style.shape, style.hollow);
  }
  EXPECT_EQ(seen.size(), 378u);
}

TEST(Styles, MarkersCoverTheSameArea) {
  for (const std::vector<Point>& outline : marker_outlines()) {
    if (outline.empty()) continue;
    double twice = 0;
    for (std::size_t i = 0; i < outline.size(); ++i) {
      const Point a = outline[i], b = outline[(i + 1) % outline.size()];
      twice += a.x * b.y - b.x * a.y;
    }
    EXPECT_NEAR(std::abs(twice) / 2, 3.14159265358979, 1e-12);
  }
}

TEST(Ticks, AreRoundAndInside) {
  EXPECT_EQ(ticks(-1, 1, 4), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  EXPECT_EQ(tick_texts(ticks(-1, 1, 4)),
            (std::vector<std::string>{"\u22121.0", "\u22120.5", "0", "0.5", "1.0"}));
  EXPECT_EQ(tick_texts(ticks(0, 100, 5)),
            (std::vector<std::string>{"0", "20", "40", "60", "80", "100"}));
  EXPECT_TRUE(ticks(3, 3, 5).empty());
  EXPECT_TRUE(ticks(0, std::numeric_limits<double>::infinity(), 5).empty());
  EXPECT_LE(ticks(1e16, 1e16 + 4, 5).size(), 8u);
}

TEST(Texts, PercentIsNeverAllOrNothingOfWhatIsNot) {
  EXPECT_EQ(percent(0), "0.0 %");
  EXPECT_EQ(percent(1), "100.0 %");
  EXPECT_EQ(percent(0.9996), "> 99.9 %");
  EXPECT_EQ(percent(0.0004), "< 0.1 %");
  EXPECT_EQ(percent(0.9994), "99.9 %");
  EXPECT_EQ(percent(0.342), "34.2 %");
}

TEST(Texts, Base64MatchesTheStandard) {
  EXPECT_EQ(base64("", 0), "");
  EXPECT_EQ(base64("f", 1), "Zg==");
  EXPECT_EQ(base64("fo", 2), "Zm8=");
  EXPECT_EQ(base64("foobar", 6), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xff\xff", 3), "////");
}

TEST(Texts, EscapesLeaveNoMarkup) {
  EXPECT_EQ(escape_html("<a href='x'>\"&"), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;");
  EXPECT_EQ(escape_script("[\"</script>\"]"), "[\"\\u003c/script>\"]");
  EXPECT_EQ(valid_utf8("a\xff"), "a\uFFFD");
}

}  // namespace
}  // namespace yupana::report
