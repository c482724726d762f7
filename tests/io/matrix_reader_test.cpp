#include "yupana/io/matrix_reader.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <limits>

#include "tests/io/matrix_reading.hpp"
#include "yupana/io/matrix_writer.hpp"
#include "yupana/io/npy_file.hpp"

namespace yupana::io {
namespace {

using namespace testing_samples;

using Names = std::vector<std::string>;

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
      {"3\na\nb 1\nc 2 3\n", abc},
      {"3\na 0\nb 1 0\nc 2 3 0\n", abc},
      {"  3\n1\n2  1\n3  2 3\n", numbers},
      {"\t3\na\nb\t1\nc\t2\t3\n", abc},
      {"\t3\na\t0\t1\t2\nb\t1\t0\t3\nc\t2\t3\t0\n", abc},
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
  EXPECT_EQ(text("1\na\n").names, Names{"a"});
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
