#include <gtest/gtest.h>

#include <random>

#include "tests/io/matrix_reading.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/matrix_writer.hpp"
#include "yupana/io/npy_file.hpp"

namespace yupana::io {
namespace {

using namespace testing_samples;

class MatrixRefusals : public MatrixReaderTest {};

TEST_F(MatrixRefusals, FaultsNameTheEntry) {
  EXPECT_SAYS(text_refused("x a b\na 0 nan\nb nan 0\n"), "row 2, column 1 (b, a) is NaN");
  EXPECT_SAYS(text_refused("0 -1\n-1 0\n"), "row 2, column 1 is -1");
  EXPECT_SAYS(text_refused("0 1\n1 0.5\n"), "row 2, column 2 is 0.5; the diagonal");
  EXPECT_SAYS(text_refused("0 1\n2 0\n"), "row 2, column 1 is 2 and its mirror is 1");
  put(folder_ / "d.npy", npy_of<std::int32_t>("<i4", 2, 2, {0, 1, 2, 0}));
  EXPECT_SAYS(refused("d.npy"), "not symmetric");
  put(folder_ / "d.npy", npy_of<float>("<f4", 2, 2, {0, std::nanf(""), 2, 0}));
  EXPECT_SAYS(refused("d.npy"), "row 1, column 2 is NaN");
}

TEST_F(MatrixRefusals, TheFirstFaultIsNamedWhateverTheThreads) {
  const std::int64_t n = 700;
  std::vector<double> values(static_cast<std::size_t>(n * n));
  for (const std::int64_t bad : {650, 300, 130}) {
    values[static_cast<std::size_t>(bad * n + 5)] = -1;
  }
  put(folder_ / "d.npy", npy_of("<f8", n, n, values));
  std::string lines;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) lines += j == 9 && i % 100 == 99 ? "x " : "0 ";
    lines += '\n';
  }
  put(folder_ / "d.txt", lines);
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    for (int round = 0; round < 5; ++round) {
      try {
        read_distances(context, folder_ / "d.npy");
      } catch (const Error& error) {
        EXPECT_SAYS(std::string(error.what()), "row 131, column 6 is -1");
      }
      try {
        read_distances(context, folder_ / "d.txt");
      } catch (const Error& error) {
        EXPECT_SAYS(std::string(error.what()), "d.txt:100: value 10 is 'x'");
      }
    }
  }
}

TEST_F(MatrixRefusals, FaultsNameTheLine) {
  EXPECT_SAYS(text_refused("0 1 2\n1 0\n2 3 0\n"), ":2: ");
  EXPECT_SAYS(text_refused("0 1 2\n1 0 3 4\n2 3 0\n"), ":2: expected 3 values, got more");
  EXPECT_SAYS(text_refused("0 1 2\n1 zero 3\n2 3 0\n"), ":2: value 2 is 'zero'");
  EXPECT_SAYS(text_refused("x a b\na 0 1\nc 1 0\n"), ":3: row 2 is named 'c' and column 2 'b'");
  EXPECT_SAYS(text_refused("0 1e999\n1e999 0\n"), ":1: value 2 is '1e999'");
  EXPECT_SAYS(text_refused("1\n2\t3\n4\t5\n"), ":3: ");
  put(folder_ / "x.dist", "1\n");
  put(folder_ / "x.dist.id", "justone\n");
  EXPECT_NE(refused("x.dist.id"), "");
  EXPECT_THROW(read("x.dist"), Error);
}

// A first row with a word in it passed for names: the first individual went without a word.
TEST_F(MatrixRefusals, AFirstRowWithAMissingValueWasTakenForNames) {
  EXPECT_SAYS(text_refused("0\tNA\t2\t3\nNA\t0\t3\t1\n2\t3\t0\t2\n3\t1\t2\t0\n"),
              ":1: value 2 is 'NA', which is no number");
  EXPECT_SAYS(text_refused("0 2 x\n2 0 3\nx 3 0\n"), ":1: value 3 is 'x'");
  EXPECT_SAYS(text_refused("a 0 NA 2\nb NA 0 1\nc 2 1 0\n"), ":1: value 2 is 'NA'");
  EXPECT_SAYS(text_refused("NA NA\nNA 0\n"), ":1: value 1 is 'NA'");
}

TEST_F(MatrixRefusals, NumbersAmongNamesAreNames) {
  for (const char* table : {"x\t1\tNA\n1\t0\t5\nNA\t5\t0\n",
                            "1 b\n0 5\n5 0\n",
                            "\t1\tb\n1\t0\t5\nb\t5\t0\n",
                            "1 b\n1 0 5\nb 5 0\n"}) {
    const DistanceMatrix d = text(table);
    ASSERT_EQ(size(d), 2) << table;
    EXPECT_EQ(d.names[0], "1");
    EXPECT_EQ(at(d, 0, 1), 5);
  }
}

// The mark was read as a part of the first number, which made the first row names.
TEST_F(MatrixRefusals, AByteOrderMarkLostTheFirstRow) {
  const DistanceMatrix d = text(
      "\xef\xbb\xbf"
      "0 1 2\n1 0 3\n2 3 0\n");
  ASSERT_EQ(size(d), 3);
  EXPECT_EQ(at(d, 0, 2), 2);
  EXPECT_EQ(text("\xef\xbb\xbf"
                 "a b\n0 1\n1 0\n")
                .names[0],
            "a");
}

// 'yupana path' and --labels took the first of two samples that shared a name.
TEST_F(MatrixRefusals, TwoSamplesOfOneNameWereTaken) {
  EXPECT_SAYS(text_refused("x a b a\na 0 1 2\nb 1 0 3\na 2 3 0\n"),
              "expected a name of its own for every sample, got 'a' for rows 1 and 3");
  put(folder_ / "x.dist", "1\n");
  put(folder_ / "x.dist.id", "F i\nF i\n");
  EXPECT_SAYS(refused("x.dist"), "got 'F_i' for rows 1 and 2");
}

TEST_F(MatrixRefusals, ControlBytesOfAFileDoNotReachTheMessage) {
  EXPECT_SAYS(text_refused("0 1\n1 \x1b[2Jx\n"), "value 2 is '\\x1b[2Jx'");
  std::string bytes = npy_of<double>("<f8", 1, 1, {0});
  bytes.replace(bytes.find("'<f8'"), 5, "\n\n\n\n\n");
  put(folder_ / "d.npy", bytes);
  EXPECT_SAYS(refused("d.npy"), "type \\x0a\\x0a\\x0a\\x0a\\x0a");
}

TEST_F(MatrixRefusals, WhatIsNotSquareIsRefused) {
  EXPECT_SAYS(text_refused("0 1 2\n1 0 3\n"), "not square: 2 rows of 3 fields");
  EXPECT_SAYS(text_refused("a\tb\n"), "no row of values");
  EXPECT_SAYS(text_refused("\n\n"), "no line");
  EXPECT_SAYS(text_refused(""), "got an empty file");
  put(folder_ / "d.npy", npy_of<double>("<f8", 2, 3, {0, 1, 2, 3, 4, 5}));
  EXPECT_SAYS(refused("d.npy"), "shape (2 x 3)");
  put(folder_ / "d.npy", npy_of<double>("<f8", 0, 0, {}));
  EXPECT_SAYS(refused("d.npy"), "no rows");
}

TEST_F(MatrixRefusals, OtherTypesAreRefusedByName) {
  put(folder_ / "d.npy", npy_of<double>("<c8", 1, 1, {0}));
  EXPECT_SAYS(refused("d.npy"), "NumPy type c8");
  put(folder_ / "d.npy", npy_of<char>("|b1", 2, 2, {0, 1, 1, 0}));
  EXPECT_SAYS(refused("d.npy"), "NumPy type b1");
  put(folder_ / "d.npy", npy_of<char>("|O", 1, 1, {0}));
  EXPECT_SAYS(refused("d.npy"), "type |O");
  put(folder_ / "d.npy", "not NumPy");
  EXPECT_SAYS(refused("d.npy"), "not a .npy file");
}

TEST_F(MatrixRefusals, ShapesBeyondTheFileAllocateNothing) {
  put(folder_ / "d.npy", npy_preamble("<f8", 4000000000, 4000000000));
  EXPECT_SAYS(refused("d.npy"), "got 0 bytes");
  std::string tall;
  for (int i = 0; i < 300000; ++i) tall += "0 1\n";
  EXPECT_SAYS(text_refused(tall), "not square");
}

TEST_F(MatrixRefusals, LargerThanMemoryIsAResourceError) {
  put(folder_ / "d.npy", npy_of<double>("<f8", 400, 400, std::vector<double>(160000)));
  Context small({.device = "cpu", .threads = 1, .memory = 1 << 20});
  test::refusal([&] { read_distances(small, folder_ / "d.npy"); }, ErrorCode::out_of_resources);
}

TEST_F(MatrixRefusals, MissingFilesAndFoldersAreRefused) {
  EXPECT_SAYS(refused("none.npy"), "cannot be opened");
  std::filesystem::create_directory(folder_ / "folder");
  EXPECT_SAYS(refused("folder"), "is a folder; name a file");
}

/// Every cut of a file is refused, but for cuts that leave the same matrix (a last line end).
void expect_cuts_refused(Context& context,
                         const std::string& path,
                         const std::string& whole,
                         std::size_t spared) {
  for (std::size_t size = 0; size + spared < whole.size(); ++size) {
    put(path, whole.substr(0, size));
    EXPECT_THROW(read_distances(context, path), Error) << path << ' ' << size;
  }
}

TEST_F(MatrixRefusals, TruncationAtEveryByteIsRefused) {
  const auto tsv = [&](AtomicFile& f) {
    write_tsv(context_, f, sample_names(4), distance_rows(4));
  };
  // The last number is a single 0: the cut before it leaves a row short.
  expect_cuts_refused(context_, folder_ / "t.tsv", written(folder_ / "t.tsv", tsv), 1);
  const auto npy = [&](AtomicFile& f) { write_npy(context_, f, 4, distance_rows(4)); };
  expect_cuts_refused(context_, folder_ / "t.npy", written(folder_ / "t.npy", npy), 0);
  OutputFiles files;
  write_plink(context_,
              files,
              folder_ / "x",
              PlinkContent::allele_count,
              {PlinkShape::square, PlinkEncoding::gzip},
              sample_names(4),
              distance_rows(4));
  files.commit();
  const std::string gzip = bytes_of(folder_ / "x.dist.gz");
  expect_cuts_refused(context_, folder_ / "x.dist.gz", gzip, 0);
}

TEST_F(MatrixRefusals, BinaryOfASizeThatNoLayoutHasIsRefused) {
  put(folder_ / "x.dist.id", "f a\nf b\nf c\nf d\n");
  for (std::size_t bytes = 1; bytes < 200; ++bytes) {
    put(folder_ / "x.dist.bin", std::string(bytes, '\0'));
    // Triangle and square of four samples, float32 and float64.
    const bool known = bytes == 24 || bytes == 48 || bytes == 64 || bytes == 128;
    if (known)
      EXPECT_EQ(size(read("x.dist.bin")), 4);
    else
      EXPECT_THROW(read("x.dist.bin"), Error) << bytes;
  }
}

TEST_F(MatrixRefusals, ScrambledFilesAreRefusedOrStillDistances) {
  const std::vector<std::string> wholes = {
      written(folder_ / "t", [&](AtomicFile& f) { write_npy(context_, f, 5, distance_rows(5)); }),
      written(folder_ / "t",
              [&](AtomicFile& f) { write_tsv(context_, f, sample_names(5), distance_rows(5)); }),
      "1\n2\t3\n4\t5\t6\n",
  };
  // One thread: thousands of tiny files would measure how fast threads wake.
  Context context({.device = "cpu", .threads = 1});
  std::mt19937 random(3);
  for (const std::string& whole : wholes) {
    for (int round = 0; round < 1500; ++round) {
      std::string bad = whole;
      for (std::size_t k = 0; k < 1 + random() % 4; ++k) {
        bad[random() % bad.size()] = static_cast<char>(random());
      }
      put(folder_ / "t", bad);
      try {
        const DistanceMatrix d = read_distances(context, folder_ / "t");
        for (std::int64_t i = 0; i < size(d); ++i) {
          ASSERT_EQ(at(d, i, i), 0);
          for (std::int64_t j = 0; j < i; ++j) {
            ASSERT_GE(at(d, i, j), 0);
            ASSERT_EQ(at(d, i, j), at(d, j, i));
          }
        }
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::bad_input) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace yupana::io
