#include "yupana/report/trees_page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/support/text_files.hpp"

namespace yupana::report {
namespace {

TreesReport sample(std::size_t classes) {
  TreesReport report;
  report.title = "Trees </title><script>alert(1)</script>";
  report.findings = {"found <b>"};
  report.rows = "12 rows";
  report.measures = {{"accuracy", "0.5"}};
  report.confusion =
      Matrix<std::int64_t>(static_cast<std::int64_t>(classes), static_cast<std::int64_t>(classes));
  for (std::size_t c = 0; c < classes * classes; ++c) {
    report.confusion.data()[c] = 7000 + static_cast<std::int64_t>(c);
  }
  for (std::size_t c = 0; c < classes; ++c) {
    report.classes.push_back(
        {"<i>\xff" + std::to_string(c), 5, 1, 0.5, 0.25, 0.75, 0.125, {}, {}, {}});
    report.classes.back().roc = {{0, 0}, {0.25, 0.5}, {1, 1}};
    report.classes.back().calibration = {{0.125, 0.25}, {1, 1}};
    report.classes.back().precision_recall = {{0, 1}, {1, 0.5}};
  }
  report.importances = {{"weak & more", 0.25, 0, 0.0625}, {"strong", 0.75, 0, 0.125}};
  report.has_deviations = true;
  report.summary = {{"trees", "<3>"}};
  return report;
}

TreesReport with_dependences(TreesReport report) {
  for (const bool named : {false, true}) {
    Dependence own{"<b>depth",
                   {1, 2, 4},
                   {},
                   Matrix<double>(3, std::max<std::int64_t>(1, std::ssize(report.classes)))};
    for (std::int64_t k = 0; k < 3 * own.means.cols(); ++k)
      own.means.data()[k] = static_cast<double>(k) / 8;
    if (named) own.names = {"<u>a", "b", "c"};
    report.dependences.push_back(std::move(own));
  }
  return report;
}

std::string page_of(const TreesReport& report) {
  const test::Folder folder;
  AtomicFile file(folder / "page.html");
  write_trees_html(file, report);
  file.commit();
  return test::bytes_of(folder / "page.html");
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(TreesPageTest, DependencesAreCurvesOfNumbersAndTablesOfCategories) {
  const auto part = [](const TreesReport& report) {
    const std::string page = page_of(report);
    const std::size_t begin = page.find("id=\"dependences\"");
    return page.substr(begin, page.find("</figure>", begin) - begin);
  };
  EXPECT_EQ(count_of(part(with_dependences(sample(0))), "class=\"curve only\""), 1u);
  EXPECT_EQ(count_of(part(with_dependences(sample(2))), "class=\"curve only\""), 1u);
  const std::string three = part(with_dependences(sample(3)));
  EXPECT_EQ(count_of(three, "class=\"curve c"), 3u);
  EXPECT_EQ(count_of(three, "<th scope=\"row\">"), 3u);
  EXPECT_EQ(three.find("<b>"), std::string::npos);
  EXPECT_EQ(three.find("<u>"), std::string::npos);
  EXPECT_NE(three.find("&lt;u&gt;a"), std::string::npos);
  TreesReport report = with_dependences(sample(0));
  const double infinity = std::numeric_limits<double>::infinity();
  report.dependences[0].values = {-infinity, infinity, infinity};
  std::fill_n(report.dependences[0].means.data(), 3, 2.5);
  EXPECT_EQ(part(report).find("nan"), std::string::npos);
  report.dependences.clear();
  EXPECT_EQ(page_of(report).find("id=\"dependences\""), std::string::npos);
}

TEST(TreesPageTest, NamesNeverBecomeElements) {
  const std::string page = page_of(sample(3));
  EXPECT_EQ(page, page_of(sample(3)));
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<i>"), std::string::npos);
  EXPECT_EQ(page.find('\xff'), std::string::npos);
  EXPECT_NE(page.find("found &lt;b&gt;"), std::string::npos);
  EXPECT_NE(page.find("&lt;3&gt;"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

TEST(TreesPageTest, EveryClassHasItsCurvesFiguresAndCounts) {
  const std::string page = page_of(sample(3));
  EXPECT_EQ(count_of(page, "<path class=\"curve"), 9);
  // (0.25, 0.5) of a square of 360 from 46 across and 10 down.
  EXPECT_EQ(count_of(page, "M46.0 370.0L136.0 190.0L406.0 10.0"), 3);
  EXPECT_EQ(count_of(page, "<td>0.1250</td>"), 3);
  for (int c = 0; c < 9; ++c) EXPECT_EQ(count_of(page, fmt::format(">{}</td>", 7000 + c)), 1);
  EXPECT_LT(page.find("0.7500 ± 0.1250"), page.find("0.2500 ± 0.0625"));
}

TEST(TreesPageTest, WhatIsTooLargeOrAbsentIsLeftOut) {
  const std::string many = page_of(sample(41));
  EXPECT_EQ(count_of(many, "<path class=\"curve"), 36);
  EXPECT_NE(many.find("The first 12 classes are drawn."), std::string::npos);
  EXPECT_EQ(many.find("id=\"confusion\""), std::string::npos);
  TreesReport numbers = sample(0);
  numbers.importances.clear();
  const std::string page = page_of(numbers);
  EXPECT_EQ(page.find("<figure"), std::string::npos);
  EXPECT_NE(page.find("accuracy"), std::string::npos);
}

}  // namespace
}  // namespace yupana::report
