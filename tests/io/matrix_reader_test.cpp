// Over 400 lines: one reader, a test for each layout it accepts and each fault it refuses.
#include "yupana/io/matrix_reader.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tests/io/matrix_samples.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/matrix_writer.hpp"
#include "yupana/io/npy_layout.hpp"
#include "yupana/io/npy_matrix.hpp"
#include "yupana/io/plink_matrix.hpp"

namespace yupana::io {
namespace {

using namespace testing_samples;

using Names = std::vector<std::string>;

double at(const DistanceMatrix& d, std::int64_t i, std::int64_t j) {
  return std::visit([&](const auto& m) { return static_cast<double>(m(i, j)); }, d.values);
}

std::int64_t size(const DistanceMatrix& d) {
  return std::visit([](const auto& m) { return m.size(); }, d.values);
}

template <class T>
std::string npy_of(const std::string& description,
                   std::int64_t rows,
                   std::int64_t cols,
                   const std::vector<T>& values) {
  std::string bytes = npy_preamble(description, rows, cols);
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return bytes;
}

class MatrixReaderTest : public testing::Test {
 protected:
  DistanceMatrix read(const std::string& name) { return read_distances(context_, folder_ / name); }
  DistanceMatrix text(const std::string& bytes) {
    put(folder_ / "t.tsv", bytes);
    return read("t.tsv");
  }
  /// The message of the refusal of file `name`; its code is bad_input and it names the file.
  std::string refused(const std::string& name) {
    try {
      read(name);
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_EQ(error.code(), ErrorCode::bad_input) << message;
      EXPECT_NE(message.find(folder_ / name), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      return message;
    }
    return "read without complaint";
  }
  std::string text_refused(const std::string& bytes) {
    put(folder_ / "t.tsv", bytes);
    return refused("t.tsv");
  }
  void expect_sample(const DistanceMatrix& d, std::int64_t n, double relative) {
    ASSERT_EQ(size(d), n);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        ASSERT_NEAR(at(d, i, j), distance(i, j), relative * distance(i, j)) << i << ' ' << j;
        ASSERT_EQ(at(d, i, j), at(d, j, i));
      }
    }
  }
  Folder folder_;
  Context context_{{.device = "cpu", .threads = 2}};
};

#define EXPECT_SAYS(message, words) EXPECT_NE((message).find(words), std::string::npos) << (message)

TEST_F(MatrixReaderTest, NpyComesBackAsWritten) {
  for (const std::int64_t n : sizes()) {
    written(folder_ / "d.npy", [&](AtomicFile& f) { write_npy(context_, f, n, distance_rows(n)); });
    const DistanceMatrix d = read("d.npy");
    EXPECT_TRUE(std::holds_alternative<SquareMatrix<double>>(d.values));
    EXPECT_TRUE(d.names.empty());
    expect_sample(d, n, 0);
    written(folder_ / "f.npy",
            [&](AtomicFile& f) { write_npy(context_, f, n, distance_rows(n), NpyType::float32); });
    const DistanceMatrix f = read("f.npy");
    EXPECT_TRUE(std::holds_alternative<SquareMatrix<float>>(f.values));
    expect_sample(f, n, 1e-7);
  }
}

template <class T>
std::vector<T> integers3() {
  return {0, 1, 120, 1, 0, 7, 120, 7, 0};
}

TEST_F(MatrixReaderTest, IntegersThatFitBecomeInt32) {
  const auto check = [&](const std::string& description, const std::string& bytes) {
    put(folder_ / "d.npy", bytes);
    const DistanceMatrix d = read("d.npy");
    EXPECT_TRUE(std::holds_alternative<SquareMatrix<std::int32_t>>(d.values)) << description;
    EXPECT_EQ(at(d, 2, 0), 120) << description;
    EXPECT_EQ(at(d, 1, 2), 7) << description;
  };
  check("|i1", npy_of("|i1", 3, 3, integers3<std::int8_t>()));
  check("|u1", npy_of("|u1", 3, 3, integers3<std::uint8_t>()));
  check("<i2", npy_of("<i2", 3, 3, integers3<std::int16_t>()));
  check("<u2", npy_of("<u2", 3, 3, integers3<std::uint16_t>()));
  check("<i4", npy_of("<i4", 3, 3, integers3<std::int32_t>()));
  check("<u4", npy_of("<u4", 3, 3, integers3<std::uint32_t>()));
  check("<i8", npy_of("<i8", 3, 3, integers3<std::int64_t>()));
  check("<u8", npy_of("<u8", 3, 3, integers3<std::uint64_t>()));
}

TEST_F(MatrixReaderTest, LargeIntegersBecomeDoublesWhileTheseHoldThem) {
  const std::int64_t large = std::int64_t{1} << 31;
  put(folder_ / "d.npy", npy_of<std::int64_t>("<i8", 2, 2, {0, large, large, 0}));
  const DistanceMatrix d = read("d.npy");
  EXPECT_TRUE(std::holds_alternative<SquareMatrix<double>>(d.values));
  EXPECT_EQ(at(d, 0, 1), 2147483648.0);
  put(folder_ / "d.npy", npy_of<std::int64_t>("<i8", 2, 2, {0, large << 23, large << 23, 0}));
  EXPECT_SAYS(refused("d.npy"), "above 2^53");
}

TEST_F(MatrixReaderTest, BigEndianAndFortranOrderAreUnderstood) {
  std::vector<double> values = {0, 2, 3, 2, 0, 5, 3, 5, 0};
  for (double& value : values) {
    char* bytes = reinterpret_cast<char*>(&value);
    std::reverse(bytes, bytes + sizeof(value));
  }
  put(folder_ / "d.npy", npy_of(">f8", 3, 3, values));
  EXPECT_EQ(at(read("d.npy"), 2, 1), 5);
  // Of two values that differ by rounding, the one at (1, 0) holds: in Fortran order the second
  // value of the file.
  const double low = 0.3;
  const double high = 0.1 + 0.2;
  std::string bytes = npy_of<double>("<f8", 2, 2, {0, low, high, 0});
  EXPECT_EQ((put(folder_ / "d.npy", bytes), at(read("d.npy"), 0, 1)), high);
  bytes.replace(bytes.find("False"), 5, "True ");
  EXPECT_EQ((put(folder_ / "d.npy", bytes), at(read("d.npy"), 0, 1)), low);
}

TEST_F(MatrixReaderTest, PlinkFilesComeBackInEveryLayout) {
  const std::vector<std::pair<PlinkEncoding, double>> encodings = {{PlinkEncoding::text, 1e-5},
                                                                   {PlinkEncoding::gzip, 1e-5},
                                                                   {PlinkEncoding::float64, 0},
                                                                   {PlinkEncoding::float32, 1e-7}};
  for (const std::int64_t n : {2, 3, 4, 9, 65}) {
    for (const PlinkShape shape : {PlinkShape::square, PlinkShape::square0, PlinkShape::triangle}) {
      for (const auto& [encoding, relative] : encodings) {
        OutputFiles files;
        write_plink(context_,
                    files,
                    folder_ / "x",
                    PlinkContent::allele_count,
                    {shape, encoding},
                    sample_names(n),
                    distance_rows(n));
        files.commit();
        const std::string path = plink_path(folder_ / "x", PlinkContent::allele_count, encoding);
        const DistanceMatrix d = read_distances(context_, path);
        expect_sample(d, n, relative);
        EXPECT_EQ(d.names, sample_names(n));
      }
    }
  }
}

TEST_F(MatrixReaderTest, BinaryWithoutIdsIsReadWhereOneReadingFits) {
  const auto write = [&](std::size_t doubles) {
    put(folder_ / "x.dist.bin", std::string(doubles * 8, '\0'));
  };
  write(25);
  EXPECT_EQ(size(read("x.dist.bin")), 5);
  write(10);
  EXPECT_EQ(size(read("x.dist.bin")), 5);
  write(36);  // a square of 6 or a triangle of 9
  EXPECT_SAYS(refused("x.dist.bin"), "several ways");
  put(folder_ / "x.dist.id", "f a\nf b\nf c\nf d\nf e\nf f\n");
  EXPECT_EQ(size(read("x.dist.bin")), 6);
  write(5);
  EXPECT_SAYS(refused("x.dist.bin"), "no square or triangle of the 6 samples");
}

TEST_F(MatrixReaderTest, SimilaritiesAreRefusedWithAHint) {
  for (const PlinkShape shape : {PlinkShape::square, PlinkShape::triangle}) {
    OutputFiles files;
    write_plink(context_,
                files,
                folder_ / "x",
                PlinkContent::ibs,
                {shape, PlinkEncoding::text},
                sample_names(3),
                distance_rows(3));
    files.commit();
    EXPECT_SAYS(refused("x.mibs"), "1 - ibs");
    std::filesystem::remove(folder_ / "x.mibs.id");
    EXPECT_SAYS(refused("x.mibs"), "1 - ibs");
  }
}

TEST_F(MatrixReaderTest, TsvAndPhylipComeBackAsWritten) {
  for (const std::int64_t n : sizes()) {
    written(folder_ / "d.tsv",
            [&](AtomicFile& f) { write_tsv(context_, f, sample_names(n), distance_rows(n)); });
    const DistanceMatrix d = read("d.tsv");
    expect_sample(d, n, 0);
    EXPECT_EQ(d.names, sample_names(n));
    written(folder_ / "d.phy",
            [&](AtomicFile& f) { write_phylip(context_, f, sample_names(n), distance_rows(n)); });
    const DistanceMatrix p = read("d.phy");
    expect_sample(p, n, 0);
    EXPECT_EQ(p.names, sample_names(n));
  }
}

TEST_F(MatrixReaderTest, TablesAreReadWithAndWithoutNames) {
  const Names none;
  const Names abc = {"a", "b", "c"};
  const Names numbers = {"1", "2", "3"};
  const std::vector<std::pair<std::string, Names>> tables = {
      {"0\t1\t2\n1\t0\t3\n2\t3\t0\n", none},
      {"0 1 2\n1 0 3\n2 3 0", none},
      {"  0   1 2 \n 1 0 3\r\n2 3 0\n\n", none},
      {"0,1,2\n1,0,3\n2,3,0\n", none},
      {"0\t1\t2\n1\t0\t+3\n2\t3e0\t0\n", none},
      {"a\tb\tc\n0\t1\t2\n1\t0\t3\n2\t3\t0\n", abc},
      {"a\tb\tc\na\t0\t1\t2\nb\t1\t0\t3\nc\t2\t3\t0\n", abc},
      {"\ta\tb\tc\na\t0\t1\t2\nb\t1\t0\t3\nc\t2\t3\t0\n", abc},
      {"a\t0\t1\t2\nb\t1\t0\t3\nc\t2\t3\t0\n", abc},
      {"\"\",\"a\",\"b\",\"c\"\n\"a\",0,1,2\n\"b\",1,0,3\n\"c\",2,3,0\n", abc},
      {",1,2,3\n1,0,1,2\n2,1,0,3\n3,2,3,0\n", numbers},
      {"1,2,3\n0,1,2\n1,0,3\n2,3,0\n", numbers},
      {"id 1 2 3\n1 0 1 2\n2 1 0 3\n3 2 3 0\n", numbers},
      {"3\na 0 1 2\nb 1 0 3\nc 2 3 0\n", abc},
      {"3\n1 0 1 2\n2 1 0 3\n3 2 3 0\n", numbers},
      {"1\n2\t3\n", none},
      {"0\n1\t0\n2\t3\t0\n", none},
  };
  for (const auto& [bytes, names] : tables) {
    const DistanceMatrix d = text(bytes);
    ASSERT_EQ(size(d), 3) << bytes;
    EXPECT_EQ(at(d, 0, 1), 1) << bytes;
    EXPECT_EQ(at(d, 0, 2), 2) << bytes;
    EXPECT_EQ(at(d, 2, 1), 3) << bytes;
    EXPECT_EQ(d.names, names) << bytes;
  }
}

TEST_F(MatrixReaderTest, ASingleSampleIsAMatrix) {
  EXPECT_EQ(size(text("0\n")), 1);
  EXPECT_EQ(text("x\ta\na\t0\n").names, Names{"a"});
  EXPECT_EQ(size(text("0.5\n")), 2);
}

TEST_F(MatrixReaderTest, NamesComeFromTheListBesideTheMatrix) {
  const std::string bytes = npy_of<double>("<f8", 2, 2, {0, 1, 1, 0});
  put(folder_ / "run.dist.npy", bytes);
  EXPECT_TRUE(read("run.dist.npy").names.empty());
  put(folder_ / "run.ids", "first sample\r\nb\n");
  EXPECT_EQ(read("run.dist.npy").names, (Names{"first sample", "b"}));
  put(folder_ / "run.ids", "a\nb\nc\n");
  EXPECT_SAYS(refused("run.dist.npy"), "lists 3 samples");
  put(folder_ / "x.dist", "4\n");
  put(folder_ / "x.dist.id", "f1\ts\nf2\ts\n");
  EXPECT_EQ(read("x.dist").names, (Names{"f1_s", "f2_s"}));
}

TEST_F(MatrixReaderTest, InfinityIsNoFault) {
  EXPECT_EQ(at(text("0 inf\ninf 0\n"), 0, 1), std::numeric_limits<double>::infinity());
  EXPECT_SAYS(text_refused("0 inf\n5 0\n"), "not symmetric");
}

TEST_F(MatrixReaderTest, RoundingOfMirrorsIsMendedByTheLowerTriangleAndNoted) {
  std::vector<std::string> notes;
  context_.on_note([&](const std::string& note) { notes.push_back(note); });
  const DistanceMatrix d = text("0 1.00001 2\n1 0 3\n2 3 0\n");
  EXPECT_EQ(at(d, 0, 1), 1);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_SAYS(notes[0], "an entry and its mirror differ");
  EXPECT_SAYS(text_refused("0 1.00003 2\n1 0 3\n2 3 0\n"),
              "not symmetric: row 2, column 1 is 1 and its mirror is 1.00003");
}

TEST_F(MatrixReaderTest, FaultsNameTheEntry) {
  EXPECT_SAYS(text_refused("x a b\na 0 nan\nb nan 0\n"), "row 2, column 1 (b, a) is NaN");
  EXPECT_SAYS(text_refused("0 -1\n-1 0\n"), "row 2, column 1 is -1");
  EXPECT_SAYS(text_refused("0 1\n1 0.5\n"), "row 2, column 2 is 0.5; the diagonal");
  EXPECT_SAYS(text_refused("0 1\n2 0\n"), "row 2, column 1 is 2 and its mirror is 1");
  put(folder_ / "d.npy", npy_of<std::int32_t>("<i4", 2, 2, {0, 1, 2, 0}));
  EXPECT_SAYS(refused("d.npy"), "not symmetric");
  put(folder_ / "d.npy", npy_of<float>("<f4", 2, 2, {0, std::nanf(""), 2, 0}));
  EXPECT_SAYS(refused("d.npy"), "row 1, column 2 is NaN");
}

TEST_F(MatrixReaderTest, TheFirstFaultIsNamedWhateverTheThreads) {
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

TEST_F(MatrixReaderTest, FaultsNameTheLine) {
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

// 'yupana path' and --labels took the first of two samples that shared a name.
TEST_F(MatrixReaderTest, TwoSamplesOfOneNameWereTaken) {
  EXPECT_SAYS(text_refused("x a b a\na 0 1 2\nb 1 0 3\na 2 3 0\n"),
              "expected a name of its own for every sample, got 'a' for rows 1 and 3");
  put(folder_ / "x.dist", "1\n");
  put(folder_ / "x.dist.id", "F i\nF i\n");
  EXPECT_SAYS(refused("x.dist"), "got 'F_i' for rows 1 and 2");
}

TEST_F(MatrixReaderTest, ControlBytesOfAFileDoNotReachTheMessage) {
  EXPECT_SAYS(text_refused("0 1\n1 \x1b[2Jx\n"), "value 2 is '\\x1b[2Jx'");
  std::string bytes = npy_of<double>("<f8", 1, 1, {0});
  bytes.replace(bytes.find("'<f8'"), 5, "\n\n\n\n\n");
  put(folder_ / "d.npy", bytes);
  EXPECT_SAYS(refused("d.npy"), "type \\x0a\\x0a\\x0a\\x0a\\x0a");
}

TEST_F(MatrixReaderTest, WhatIsNotSquareIsRefused) {
  EXPECT_SAYS(text_refused("0 1 2\n1 0 3\n"), "not square: 2 rows of 3 fields");
  EXPECT_SAYS(text_refused("a\tb\n"), "no row of values");
  EXPECT_SAYS(text_refused("\n\n"), "no line");
  EXPECT_SAYS(text_refused(""), "got an empty file");
  put(folder_ / "d.npy", npy_of<double>("<f8", 2, 3, {0, 1, 2, 3, 4, 5}));
  EXPECT_SAYS(refused("d.npy"), "shape (2 x 3)");
  put(folder_ / "d.npy", npy_of<double>("<f8", 0, 0, {}));
  EXPECT_SAYS(refused("d.npy"), "no rows");
}

TEST_F(MatrixReaderTest, OtherTypesAreRefusedByName) {
  put(folder_ / "d.npy", npy_of<double>("<c8", 1, 1, {0}));
  EXPECT_SAYS(refused("d.npy"), "NumPy type c8");
  put(folder_ / "d.npy", npy_of<char>("|b1", 2, 2, {0, 1, 1, 0}));
  EXPECT_SAYS(refused("d.npy"), "NumPy type b1");
  put(folder_ / "d.npy", npy_of<char>("|O", 1, 1, {0}));
  EXPECT_SAYS(refused("d.npy"), "type |O");
  put(folder_ / "d.npy", "not NumPy");
  EXPECT_SAYS(refused("d.npy"), "not a .npy file");
}

TEST_F(MatrixReaderTest, ShapesBeyondTheFileAllocateNothing) {
  put(folder_ / "d.npy", npy_preamble("<f8", 4000000000, 4000000000));
  EXPECT_SAYS(refused("d.npy"), "got 0 bytes");
  std::string tall;
  for (int i = 0; i < 300000; ++i) tall += "0 1\n";
  EXPECT_SAYS(text_refused(tall), "not square");
}

TEST_F(MatrixReaderTest, LargerThanMemoryIsAResourceError) {
  put(folder_ / "d.npy", npy_of<double>("<f8", 400, 400, std::vector<double>(160000)));
  Context small({.device = "cpu", .threads = 1, .memory = 1 << 20});
  try {
    read_distances(small, folder_ / "d.npy");
    FAIL() << "read more than memory holds";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_resources);
  }
}

TEST_F(MatrixReaderTest, MissingFilesAndFoldersAreRefused) {
  EXPECT_SAYS(refused("none.npy"), "cannot be opened");
  std::filesystem::create_directory(folder_ / "folder");
  EXPECT_SAYS(refused("folder"), "not a regular file");
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

TEST_F(MatrixReaderTest, TruncationAtEveryByteIsRefused) {
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

TEST_F(MatrixReaderTest, BinaryOfASizeThatNoLayoutHasIsRefused) {
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

TEST_F(MatrixReaderTest, ScrambledFilesAreRefusedOrStillDistances) {
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

TEST_F(MatrixReaderTest, NumPysFilesAreRead) {
  const std::string python =
      "/usr/bin/python3 -c 'import numpy as np; i = np.arange(37.0); d = abs(i[:, None] - i); "
      "np.save(\"" +
      (folder_ / "c.npy") + "\", d); np.save(\"" + (folder_ / "f.npy") +
      "\", np.asfortranarray(d.astype(np.float32))); np.savetxt(\"" + (folder_ / "s.txt") +
      "\", d); np.save(\"" + (folder_ / "i.npy") + "\", d.astype(int))' 2>/dev/null";
  if (std::system(python.c_str()) != 0) GTEST_SKIP() << "no NumPy for /usr/bin/python3";
  for (const std::string name : {"c.npy", "f.npy", "s.txt", "i.npy"}) {
    const DistanceMatrix d = read(name);
    ASSERT_EQ(size(d), 37) << name;
    for (std::int64_t i = 0; i < 37; ++i) EXPECT_EQ(at(d, i, 5), std::abs(i - 5)) << name;
  }
}

}  // namespace
}  // namespace yupana::io
