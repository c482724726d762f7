#include "yupana/io/matrix_writer.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/io/matrix_samples.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"

namespace yupana::io {
namespace {

using namespace testing_samples;

class MatrixWriterTest : public testing::Test {
 protected:
  Folder folder_;
  Context context_{{.device = "cpu", .threads = 2}};
};

const std::vector<double> three = {0, 1.5, 4, 1.5, 0, 0.1, 4, 0.1, 0};

RowProducer rows3() { return rows_of(MatrixView<const double>(three.data(), 3, 3)); }

TEST_F(MatrixWriterTest, IdsStandOneALine) {
  EXPECT_EQ(written(folder_ / "x", [&](AtomicFile& f) { write_ids(f, {"a b", "c"}); }), "a b\nc\n");
  EXPECT_EQ(written(folder_ / "x", [&](AtomicFile& f) { write_ids(f, {}); }), "");
}

TEST_F(MatrixWriterTest, TsvHasHeaderAndRowNames) {
  const std::string text = written(folder_ / "x", [&](AtomicFile& f) {
    write_tsv(context_, f, {"a", "b b", "c"}, rows3());
  });
  EXPECT_EQ(text,
            "sample\ta\tb b\tc\n"
            "a\t0\t1.5\t4\n"
            "b b\t1.5\t0\t0.1\n"
            "c\t4\t0.1\t0\n");
}

TEST_F(MatrixWriterTest, NamesThatWouldBreakALineAreRefused) {
  AtomicFile file(folder_ / "x");
  EXPECT_THROW(write_tsv(context_, file, {"a", "b\tb", "c"}, rows3()), Error);
  EXPECT_THROW(write_ids(file, {"a\nb"}), Error);
}

TEST_F(MatrixWriterTest, PhylipReplacesWhatEndsANameAndSaysSo) {
  std::vector<std::string> notes;
  context_.on_note([&](const std::string& note) { notes.push_back(note); });
  const std::string text = written(folder_ / "x", [&](AtomicFile& f) {
    write_phylip(context_, f, {"a:1", "b b", "c"}, rows3());
  });
  EXPECT_EQ(text, "3\na_1 0 1.5 4\nb_b 1.5 0 0.1\nc 4 0.1 0\n");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("2 sample names changed"), std::string::npos) << notes[0];
}

TEST_F(MatrixWriterTest, PhylipRefusesNamesThatBecomeOne) {
  AtomicFile file(folder_ / "x");
  EXPECT_THROW(write_phylip(context_, file, {"a b", "a:b", "c"}, rows3()), Error);
}

TEST_F(MatrixWriterTest, BytesDoNotDependOnThreads) {
  for (const std::int64_t n : {1, 65, 700}) {
    std::vector<std::string> first;
    for (const int threads : {1, 2, 7}) {
      Context context({.device = "cpu", .threads = threads});
      const std::vector<std::string> texts = {
          written(folder_ / "t",
                  [&](AtomicFile& f) { write_tsv(context, f, sample_names(n), distance_rows(n)); }),
      };
      OutputFiles files;
      const PlinkLayout gz{PlinkShape::square, PlinkEncoding::gzip};
      write_plink(context,
                  files,
                  folder_ / "g",
                  PlinkContent::allele_count,
                  gz,
                  sample_names(n),
                  distance_rows(n));
      files.commit();
      std::vector<std::string> all = texts;
      all.push_back(bytes_of(folder_ / "g.dist.gz"));
      if (first.empty()) first = all;
      EXPECT_TRUE(all == first) << n << " samples, " << threads << " threads";
    }
  }
}

TEST_F(MatrixWriterTest, EveryRowIsAskedForOnce) {
  std::vector<std::atomic<int>> asked(333);
  const RowProducer rows = [&](std::int64_t i, double* row) {
    ++asked[static_cast<std::size_t>(i)];
    std::fill(row, row + 333, 0.0);
  };
  written(folder_ / "x", [&](AtomicFile& f) { write_tsv(context_, f, sample_names(333), rows); });
  for (const auto& count : asked) EXPECT_EQ(count, 1);
}

TEST_F(MatrixWriterTest, CancellingStopsAndLeavesNothing) {
  const RowProducer rows = [&](std::int64_t i, double* row) {
    if (i == 5) context_.cancel();
    distance_rows(2000)(i, row);
  };
  test::refusal(
      [&] {
        AtomicFile file(folder_ / "x");
        write_tsv(context_, file, sample_names(2000), rows);
      },
      ErrorCode::interrupted);
  EXPECT_EQ(folder_.files(), 0);
}

TEST_F(MatrixWriterTest, FullDiskIsAResourceError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  std::filesystem::create_symlink("/dev/full", folder_ / ("x.part-" + std::to_string(getpid())));
  test::refusal(
      [&] {
        AtomicFile file(folder_ / "x");
        write_tsv(context_, file, sample_names(700), distance_rows(700));
        file.commit();
      },
      ErrorCode::out_of_resources);
}

}  // namespace
}  // namespace yupana::io
