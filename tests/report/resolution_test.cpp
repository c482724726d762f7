// Pictures print at a size that their files state.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "tests/report/sample.hpp"
#include "tests/support/folder.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/report/report.hpp"
#include "yupana/report/som_map.hpp"

namespace yupana::report {
namespace {

namespace fs = std::filesystem;

template <class Write>
std::string written(const Write& write) {
  const test::Folder folder;
  AtomicFile file(folder / "out");
  write(file);
  file.commit();
  return test::bytes_of(folder / "out");
}

std::uint32_t number(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k)
    value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

/// Remainder of the bits of `bytes` by the polynomial of PNG, a bit at a time.
std::uint32_t remainder(const std::string& bytes) {
  std::uint32_t crc = ~0u;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const std::uint32_t in = static_cast<unsigned char>(bytes[bit / 8]) >> bit % 8 & 1u;
    const bool out = (crc ^ in) & 1u;
    crc >>= 1;
    if (out) crc ^= 0xedb88320u;
  }
  return ~crc;
}

/// The chunk at `at` is of that kind and its sum is right; returns its data.
std::string chunk(const std::string& png, std::size_t at, const std::string& kind) {
  const std::size_t size = number(png, at);
  EXPECT_EQ(png.substr(at + 4, 4), kind);
  EXPECT_EQ(number(png, at + 8 + size), remainder(png.substr(at + 4, 4 + size)));
  return png.substr(at + 8, size);
}

TEST(Resolution, ThePngSaysThreeHundredDotsPerInch) {
  const std::string png = written([](AtomicFile& file) { write_png(file, sample_report(40, 3)); });
  const std::string header = chunk(png, 8, "IHDR"), size = chunk(png, 33, "pHYs");
  ASSERT_EQ(size.size(), 9u);
  EXPECT_EQ(number(size, 0), 11811u);  // pixels a metre: 300 / 0.0254
  EXPECT_EQ(number(size, 4), 11811u);
  EXPECT_EQ(size[8], 1);                                  // the unit is the metre
  EXPECT_NEAR(number(header, 0) / 300.0, 10.667, 0.001);  // inches: an A4 page on its side
}

TEST(Resolution, TheSvgHasTheSizeOfThePng) {
  const std::string svg = written([](AtomicFile& file) { write_svg(file, sample_report(40, 3)); });
  EXPECT_NE(svg.find("width=\"768pt\" height=\"384pt\""), std::string::npos) << svg.substr(0, 300);
}

TEST(Resolution, AColumnIsAsWideAsAskedInEveryFile) {
  Report report = sample_report(40, 30);
  report.figure_width = 85;
  const std::string svg = written([&](AtomicFile& file) { write_svg(file, report); });
  const std::size_t at = svg.find("width=\"");
  ASSERT_NE(at, std::string::npos);
  EXPECT_NEAR(std::stod(svg.substr(at + 7)), 85 * 72 / 25.4, 0.01);
  const std::string pdf = written([&](AtomicFile& file) { write_pdf(file, report); });
  const std::size_t box = pdf.find("/MediaBox [ 0 0 ");
  if (box == std::string::npos) {  // cairo 1.18 compresses it
    EXPECT_NE(pdf.find("/ObjStm"), std::string::npos);
  } else {
    EXPECT_NEAR(std::stod(pdf.substr(box + 16)), 85 * 72 / 25.4, 0.01);
  }
  const std::string png = written([&](AtomicFile& file) { write_png(file, report); });
  const std::string header = chunk(png, 8, "IHDR");
  EXPECT_NEAR(number(header, 0), 85 / 25.4 * 300, 1);
  EXPECT_GT(number(header, 4),
            1.5 * number(header, 0));  // two panels and a legend below each other
}

TEST(Resolution, EachFigureIsAColumnWideByItself) {
  const TemporaryFolder folder("figures");
  const Report report = sample_report(140, 3);  // a tree of more rows than a page holds
  std::map<std::string, std::string> first;
  for (const char* const run : {"a", "b"}) {
    OutputFiles files;
    write_report(files, folder / run, report, {true, true, true});
    files.commit();
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(run)) continue;
      const std::string bytes = test::bytes_of(entry.path());
      EXPECT_EQ(first.try_emplace(name.substr(1), bytes).first->second, bytes) << name;
    }
  }
  const double width = 85 * 72 / 25.4;
  std::size_t figures = 0;
  for (const auto& [name, bytes] : first) {
    if (std::count(name.begin(), name.end(), '.') < 2) continue;  // of the whole page
    SCOPED_TRACE(name);
    ++figures;
    if (name.ends_with(".svg")) {
      EXPECT_NEAR(std::stod(bytes.substr(bytes.find("width=\"") + 7)), width, 0.01);
    } else if (name.ends_with(".pdf")) {
      EXPECT_NEAR(std::stod(bytes.substr(bytes.find("/MediaBox [ 0 0 ") + 16)), width, 0.01);
    } else {
      EXPECT_NEAR(number(chunk(bytes, 8, "IHDR"), 0), 85 / 25.4 * 300, 1);
    }
  }
  const std::size_t matrices = report.embeddings.size() + report.trees.size() +
                               report.heat_maps.size() + report.histograms.size();
  EXPECT_EQ(figures, 3 * (matrices + 1));  // and the curve
  EXPECT_TRUE(first.contains(".tree1.pdf"));
}

TEST(Resolution, MapsSayTheirsToo) {
  MapReport report;
  report.rows = report.cols = 3;
  report.panels.push_back({"x", {1, 2, 3, 4, 5, 6, 7, 8, 9}, false});
  const std::string png = written([&](AtomicFile& file) { write_map_png(file, report); });
  EXPECT_EQ(number(chunk(png, 33, "pHYs"), 0), 5669u);  // two pixels a point: 144 a inch
}

}  // namespace
}  // namespace yupana::report
