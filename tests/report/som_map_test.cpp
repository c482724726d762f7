#include "yupana/report/som_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/text_files.hpp"
#include "yupana/report/som_panel.hpp"

namespace yupana::report {
namespace {

MapReport sample(std::int64_t rows, std::int64_t cols, bool hexagonal) {
  MapReport report;
  report.title = "Map </title><script>alert(1)</script>";
  report.rows = rows;
  report.cols = cols;
  report.hexagonal = hexagonal;
  for (const char* name : {"U-matrix", "Hits", "a & <b>"}) {
    MapPanel panel{name, {}, std::string(name) == "Hits"};
    for (std::int64_t i = 0; i < rows * cols; ++i)
      panel.values.push_back(static_cast<double>(i * i % 17));
    report.panels.push_back(panel);
  }
  report.first_plane = 2;
  report.groups = {{"Classes", {"one", "two <i>"}, {}}};
  for (std::int64_t i = 0; i < rows * cols; ++i) report.groups[0].of.push_back(i % 3 - 1);
  report.findings = {"found <b>"};
  report.notices = {"note & more"};
  report.summary = {{"seed", "<0>"}};
  return report;
}

template <class Write>
std::string written(const MapReport& report, const Write& write) {
  const test::Folder folder;
  AtomicFile file(folder / "map");
  write(file, report);
  file.commit();
  return test::bytes_of(folder / "map");
}

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k)
    value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

TEST(SomMapTest, TheSameReportIsTheSameBytes) {
  for (const bool hexagonal : {false, true}) {
    const MapReport report = sample(4, 5, hexagonal);
    EXPECT_EQ(written(report, write_map_svg), written(report, write_map_svg));
    EXPECT_EQ(written(report, write_map_png), written(report, write_map_png));
    EXPECT_EQ(written(report, write_map_html), written(report, write_map_html));
  }
}

TEST(SomMapTest, EveryShapeIsDrawn) {
  for (const auto& [rows, cols] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 1}, {1, 40}, {40, 1}, {2, 2}, {60, 70}}) {
    for (const bool hexagonal : {false, true}) {
      const MapReport report = sample(rows, cols, hexagonal);
      EXPECT_EQ(written(report, write_map_png).substr(1, 3), "PNG");
      EXPECT_NE(written(report, write_map_svg).find("</svg>"), std::string::npos);
    }
  }
}

TEST(SomMapTest, LargeMapsStaySmallFiles) {
  EXPECT_LT(written(sample(200, 220, false), write_map_svg).size(), 4u << 20);
}

TEST(SomMapTest, NamesCannotBecomeMarkup) {
  const std::string page = written(sample(3, 3, false), write_map_html);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("two <i>"), std::string::npos);
  EXPECT_EQ(page.find("found <b>"), std::string::npos);
  EXPECT_EQ(page.find("<0>"), std::string::npos);
  EXPECT_NE(page.find("note &amp; more"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
}

TEST(SomMapTest, ThePageHoldsTheValues) {
  MapReport report = sample(2, 2, false);
  report.panels[0].values = {
      0.1234567891, std::nan(""), std::numeric_limits<double>::infinity(), 3};
  const std::string page = written(report, write_map_html);
  const std::string open = "id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  const auto data =
      nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(data["panels"][0]["values"].dump(), "[0.123457,null,null,3]");
  EXPECT_EQ(data["groups"][0]["values"].dump(), "[-1,0,1,-1]");
  EXPECT_EQ(data["groups"][0]["names"][1], "two <i>");
}

TEST(SomMapTest, TheLegendIsAsLargeAsItsNames) {
  const auto height = [](const MapReport& report) {
    return number_at(written(report, write_map_png), 20);
  };
  MapReport report = sample(3, 4, false);
  const std::uint32_t few = height(report);
  report.groups[0].names.clear();
  for (std::int64_t i = 0; i < 12; ++i) {
    report.groups[0].names.push_back("a name of many letters, which is not cut, " +
                                     std::to_string(i));
    report.groups[0].of[static_cast<std::size_t>(i)] = i;
  }
  EXPECT_GE(height(report), few + 2 * 18);
  const MapLegendWords words = legend_words(report.groups[0]);
  EXPECT_EQ(words.shown.size(), 12u);
  EXPECT_EQ(words.remark, "");
  EXPECT_FALSE(words.has_none);
}

TEST(SomMapTest, TheLegendSaysWhatItDoesNotName) {
  MapGroups groups{"Classes", {"a", "b", "c"}, {1, -1, 1}};
  MapLegendWords words = legend_words(groups);
  EXPECT_EQ(words.shown, std::vector<std::int64_t>{1});
  EXPECT_TRUE(words.has_none);
  EXPECT_EQ(words.remark, "2 others on no neuron");
  groups.of.clear();
  for (std::int64_t i = 0; i < 1500; ++i) {
    groups.names.push_back(std::to_string(i));
    groups.of.push_back(i);
  }
  words = legend_words(groups);
  EXPECT_EQ(std::ssize(words.shown), max_legend_names);
  EXPECT_EQ(words.remark, "500 more, 3 others on no neuron");
}

TEST(SomMapTest, ImagesStandAtTheirNeurons) {
  MapReport report = sample(2, 3, false);
  report.image_rows = 50;
  report.image_cols = 40;
  report.images.assign(6 * 50 * 40, 0.5f);
  const std::string png = written(report, write_map_images);
  // 50 x 40 pixels are not enlarged; 3 pixels lie between images and around them.
  EXPECT_EQ(number_at(png, 16), 3u * 43 + 3);
  EXPECT_EQ(number_at(png, 20), 2u * 53 + 3);
  EXPECT_NE(written(report, write_map_html).find("data:image/png;base64,"), std::string::npos);
  report.rows = 1;
  EXPECT_THROW(written(report, write_map_images), Error);
}

TEST(SomMapTest, PartsThatDoNotFitAreRefused) {
  const auto refuses = [](const auto& change) {
    MapReport report = sample(3, 3, false);
    change(report);
    EXPECT_THROW(written(report, write_map_html), Error);
    EXPECT_THROW(written(report, write_map_svg), Error);
    EXPECT_THROW(written(report, write_map_png), Error);
  };
  refuses([](MapReport& r) { r.panels[1].values.pop_back(); });
  refuses([](MapReport& r) { r.groups[0].of[0] = 2; });
  refuses([](MapReport& r) { r.groups[0].of.pop_back(); });
  refuses([](MapReport& r) { r.rows = 0; });
  refuses([](MapReport& r) { r.first_plane = 4; });
  refuses([](MapReport& r) { r.images = {1}; });
}

TEST(SomMapTest, HexagonsTouchTheirSixNeighboursAtOneDistance) {
  const MapReport report = sample(5, 6, true);
  const MapCells cells(report, 200, 260);
  const auto distance = [&](std::int64_t a, std::int64_t b) {
    const Point p = cells.center(a), q = cells.center(b);
    return std::hypot(p.x - q.x, p.y - q.y) / cells.size();
  };
  // Row 1 stands half a cell to the right: above neuron 8 (row 1, column 2) are 2 and 3.
  for (const std::int64_t other : {7, 9, 2, 3, 14, 15}) EXPECT_NEAR(distance(8, other), 1, 1e-12);
  EXPECT_GT(distance(8, 1), 1.5);
  EXPECT_LE(cells.width(), 200.001);
  EXPECT_LE(cells.height(), 260.001);
}

TEST(SomMapTest, ColoursGoFromEndToEnd) {
  EXPECT_EQ(map_color(0).red, map_colors[0].red);
  EXPECT_EQ(map_color(1).green, map_colors[8].green);
  EXPECT_EQ(map_color(0.5).blue, map_colors[4].blue);
  const ValueRange none = range_of({std::nan(""), std::numeric_limits<double>::infinity()});
  EXPECT_EQ(none.low, 0);
  EXPECT_EQ(none.high, 0);
}

}  // namespace
}  // namespace yupana::report
