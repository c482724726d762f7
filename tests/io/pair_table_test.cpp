#include "yupana/io/pair_table.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/io/matrix_samples.hpp"
#include "yupana/core/error.hpp"

namespace yupana::io {
namespace {

using namespace testing_samples;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const std::vector<std::string> abc = {"a", "b", "c"};

class PairTableTest : public testing::Test {
 protected:
  Folder folder_;
  Context context_{{.device = "cpu", .threads = 2}};

  /// The table of pairs of the bands, one after the other.
  std::string table(Context& context,
                    const std::vector<std::string>& names,
                    const PairFilter& filter,
                    PairFormat format,
                    const std::vector<Range>& bands,
                    const RowProducer& rows) {
    return written(folder_ / "x", [&](AtomicFile& file) {
      PairTable pairs(file, names, filter, format);
      for (const Range band : bands) pairs.write_band(context, band, rows);
      listed_ = pairs.finish();
    });
  }
  std::int64_t listed_ = -1;
};

RowProducer rows3(double ab, double ac, double bc) {
  return [=](std::int64_t i, double* row) {
    if (i == 1) row[0] = ab;
    if (i == 2) row[0] = ac, row[1] = bc;
    row[i] = 0;
  };
}

TEST_F(PairTableTest, PairsBelowAThresholdAreListedOnceInOrder) {
  const std::string text =
      table(context_, abc, {.below = 4}, PairFormat::tsv, {{0, 3}}, rows3(1.5, 4, 0.1));
  EXPECT_EQ(text, "sample1\tsample2\tvalue\na\tb\t1.5\nb\tc\t0.1\n");
  EXPECT_EQ(listed_, 2);
}

TEST_F(PairTableTest, PairsAboveAThresholdLeaveOutNaN) {
  const std::string text =
      table(context_, abc, {.above = 0.1}, PairFormat::tsv, {{0, 3}}, rows3(nan, 4, 0.1));
  EXPECT_EQ(text, "sample1\tsample2\tvalue\na\tc\t4\n");
}

TEST_F(PairTableTest, BytesDoNotDependOnThreadsOrBands) {
  for (const PairFormat format : {PairFormat::tsv, PairFormat::parquet}) {
    for (const std::int64_t n : {1, 65, 700}) {
      std::string first;
      for (const int threads : {1, 2, 7}) {
        Context context({.device = "cpu", .threads = threads});
        const std::vector<Range> bands =
            threads == 1 ? std::vector<Range>{{0, n}}
                         : std::vector<Range>{{0, n / 3}, {n / 3, n / 2}, {n / 2, n}};
        const std::string bytes =
            table(context, sample_names(n), {.below = 90}, format, bands, distance_rows(n));
        if (first.empty()) first = bytes;
        EXPECT_TRUE(bytes == first) << n << " samples, " << threads << " threads";
      }
    }
  }
}

TEST_F(PairTableTest, NamesThatAFormatCannotHoldAreRefused) {
  AtomicFile file(folder_ / "x");
  EXPECT_THROW(PairTable(file, {"a", "b\tb"}, {}, PairFormat::tsv), Error);
  EXPECT_THROW(PairTable(file, {"a", "b\xff"}, {}, PairFormat::parquet), Error);
  EXPECT_NO_THROW(PairTable(file, {"a", "b\tb"}, {}, PairFormat::parquet));
}

}  // namespace
}  // namespace yupana::io
