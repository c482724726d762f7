#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <limits>

#include "tests/io/matrix_samples.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/matrix_writer.hpp"

namespace yupana::io {
namespace {

using namespace testing_samples;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class PlinkMatrixTest : public testing::Test {
 protected:
  void write(PlinkContent content,
             const PlinkLayout& layout,
             const RowProducer& rows,
             const std::vector<std::string>& samples) {
    OutputFiles files;
    write_plink(context_, files, folder_ / "x", content, layout, samples, rows);
    files.commit();
  }
  std::string text(PlinkContent content, PlinkShape shape, const std::vector<double>& three) {
    write(content,
          {shape, PlinkEncoding::text},
          rows_of(MatrixView<const double>(three.data(), 3, 3)),
          {"a", "b", "c"});
    return bytes_of(plink_path(folder_ / "x", content, PlinkEncoding::text));
  }
  Folder folder_;
  Context context_{{.device = "cpu", .threads = 2}};
};

const std::vector<double> distances3 = {0, 4073.14466713, 12, 4073.14466713, 0, nan, 12, nan, 0};

TEST_F(PlinkMatrixTest, TextTrianglesOfDistancesHaveNoDiagonal) {
  EXPECT_EQ(text(PlinkContent::allele_count, PlinkShape::triangle, distances3),
            "4073.14\n12\tnan\n");
  EXPECT_EQ(text(PlinkContent::one_minus_ibs, PlinkShape::triangle, distances3),
            "4073.14\n12\tnan\n");
}

TEST_F(PlinkMatrixTest, TextTrianglesOfIbsEndInOne) {
  const std::vector<double> ibs = {1, 0.5, 0.25, 0.5, nan, 0.75, 0.25, 0.75, 1};
  EXPECT_EQ(text(PlinkContent::ibs, PlinkShape::triangle, ibs), "1\n0.5\t1\n0.25\t0.75\t1\n");
  EXPECT_EQ(text(PlinkContent::ibs, PlinkShape::square0, ibs),
            "1\t0\t0\n0.5\t1\t0\n0.25\t0.75\t1\n");
  EXPECT_EQ(text(PlinkContent::ibs, PlinkShape::square, ibs),
            "1\t0.5\t0.25\n0.5\t1\t0.75\n0.25\t0.75\t1\n");
}

TEST_F(PlinkMatrixTest, Square0HasZerosAboveTheDiagonal) {
  EXPECT_EQ(text(PlinkContent::allele_count, PlinkShape::square0, distances3),
            "0\t0\t0\n4073.14\t0\t0\n12\tnan\t0\n");
}

TEST_F(PlinkMatrixTest, NamesFollowPlink) {
  EXPECT_EQ(plink_path("p", PlinkContent::allele_count, PlinkEncoding::text), "p.dist");
  EXPECT_EQ(plink_path("p", PlinkContent::ibs, PlinkEncoding::gzip), "p.mibs.gz");
  EXPECT_EQ(plink_path("p", PlinkContent::one_minus_ibs, PlinkEncoding::float64), "p.mdist.bin");
  EXPECT_EQ(plink_path("p", PlinkContent::allele_count, PlinkEncoding::float32), "p.dist.bin");
}

TEST_F(PlinkMatrixTest, BinaryIsSquareByDefaultAndTextATriangle) {
  EXPECT_EQ(plink_layout({}).shape, PlinkShape::triangle);
  EXPECT_EQ(plink_layout({"gz"}).shape, PlinkShape::triangle);
  EXPECT_EQ(plink_layout({"bin"}).shape, PlinkShape::square);
  EXPECT_EQ(plink_layout({"bin4"}).encoding, PlinkEncoding::float32);
  EXPECT_EQ(plink_layout({"triangle", "bin"}).shape, PlinkShape::triangle);
  EXPECT_THROW(plink_layout({"square", "triangle"}), Error);
  EXPECT_THROW(plink_layout({"bin", "gz"}), Error);
  EXPECT_THROW(plink_layout({"circle"}), Error);
}

TEST_F(PlinkMatrixTest, IdsHoldFamilyAndIndividual) {
  write(PlinkContent::ibs,
        {},
        rows_of(MatrixView<const double>(distances3.data(), 2, 2, 3)),
        {"fam\tind", "alone"});
  EXPECT_EQ(bytes_of(folder_ / "x.mibs.id"), "fam\tind\nalone\talone\n");
  EXPECT_THROW(write(PlinkContent::ibs, {}, distance_rows(1), {"a\tb\tc"}), Error);
}

TEST_F(PlinkMatrixTest, AMatrixIsWrittenWithItsIdsOrNotAtAll) {
  OutputFiles files;
  const RowProducer bad = [](std::int64_t, double*) {
    throw Error(ErrorCode::bad_input, "no such row");
  };
  EXPECT_THROW(write_plink(context_, files, folder_ / "x", PlinkContent::ibs, {}, {"a", "b"}, bad),
               Error);
  files = OutputFiles();
  EXPECT_EQ(folder_.files(), 0);
}

// PLINK 1.9 itself. Its binary squares hold the doubles that its other layouts show, so that each
// layout can be written again from them and compared byte by byte.
class PlinkItself : public PlinkMatrixTest {
 protected:
  void SetUp() override {
    if (std::system("plink1.9 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no plink1.9";
    if (!std::filesystem::exists(input_ + ".bed")) GTEST_SKIP() << "no " << input_ << ".bed";
  }
  void plink(const std::string& modifiers, const std::string& out) {
    const std::string line = "plink1.9 --bfile " + input_ + " --distance " + modifiers +
                             " flat-missing --out " + (folder_ / out) + " >/dev/null 2>&1";
    ASSERT_EQ(std::system(line.c_str()), 0) << line;
  }
  std::vector<double> square(const std::string& path) {
    const std::string bytes = bytes_of(path);
    std::vector<double> values(bytes.size() / sizeof(double));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::vector<std::string> samples(const std::string& path) {
    std::ifstream stream(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  std::string unzipped(const std::string& path) {
    const std::string line = "gzip -dc " + path + " > " + (folder_ / "plain");
    EXPECT_EQ(std::system(line.c_str()), 0);
    return bytes_of(folder_ / "plain");
  }
  const std::string input_ = YUPANA_SHARED_DATA "/genotypes/hapmap279/hapmap279";
};

struct Content {
  PlinkContent content;
  std::string modifier;
  std::string suffix;
};

const std::vector<Content> contents = {{PlinkContent::allele_count, "allele-ct", ".dist"},
                                       {PlinkContent::ibs, "ibs", ".mibs"},
                                       {PlinkContent::one_minus_ibs, "1-ibs", ".mdist"}};

TEST_F(PlinkItself, WritesTheSameBytesInEveryLayout) {
  for (const Content& content : contents) {
    plink("square bin " + content.modifier, "all");
    const std::vector<double> values = square(folder_ / ("all" + content.suffix + ".bin"));
    const std::vector<std::string> ids = samples(folder_ / ("all" + content.suffix + ".id"));
    const auto n = static_cast<std::int64_t>(ids.size());
    ASSERT_EQ(static_cast<std::int64_t>(values.size()), n * n);
    const RowProducer rows = rows_of(MatrixView<const double>(values.data(), n, n));
    for (const std::string shape : {"square", "square0", "triangle"}) {
      for (const std::string encoding : {"", "gz", "bin", "bin4"}) {
        plink(shape + " " + encoding + " " + content.modifier, "p");
        const PlinkLayout layout =
            encoding.empty() ? plink_layout({shape}) : plink_layout({shape, encoding});
        write(content.content, layout, rows, ids);
        const std::string theirs = plink_path(folder_ / "p", content.content, layout.encoding);
        const std::string ours = plink_path(folder_ / "x", content.content, layout.encoding);
        ASSERT_TRUE(std::filesystem::exists(theirs)) << theirs;
        const bool gzip = encoding == "gz";
        std::string expected = gzip ? unzipped(theirs) : bytes_of(theirs);
        const std::string got = gzip ? unzipped(ours) : bytes_of(ours);
        // The known departure: PLINK repeats an entry on this diagonal.
        for (std::int64_t i = 0; encoding == "bin4" && shape == "square" && i < n; ++i) {
          if (content.content != PlinkContent::allele_count) break;
          std::memset(expected.data() + (i * n + i) * 4, 0, 4);
        }
        EXPECT_TRUE(got == expected) << shape << ' ' << encoding << ' ' << content.modifier;
        EXPECT_EQ(bytes_of(folder_ / ("x" + content.suffix + ".id")),
                  bytes_of(folder_ / ("p" + content.suffix + ".id")));
      }
    }
  }
}

}  // namespace
}  // namespace yupana::io
