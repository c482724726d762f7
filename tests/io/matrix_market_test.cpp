#include "yupana/io/matrix_market.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <complex>

#include "tests/support/text_files.hpp"

namespace yupana::io {
namespace {

using test::Folder;
using test::refusal;

MatrixMarket read(const std::string& path) {
  Context context({.device = "cpu", .threads = 2});
  return read_matrix_market(context, path);
}

std::vector<double> dense(const MatrixMarket& file) {
  const auto m = file.matrix.view();
  std::vector<double> all(static_cast<std::size_t>(m.rows * m.cols));
  for (std::int64_t i = 0; i < m.rows; ++i) {
    for (auto e = m.row_begin[i]; e < m.row_begin[i + 1]; ++e) {
      all[static_cast<std::size_t>(i * m.cols + m.columns[e])] += m.values[e];
    }
  }
  return all;
}

TEST(MatrixMarket, ReadsEveryFieldAndSymmetry) {
  const Folder folder;
  const auto real = read(folder.put("r.mtx",
                                    "%%MatrixMarket matrix coordinate real general\n% a comment\n\n"
                                    "2 3 3\n2 3 -1.5e2\n1 1 +4\r\n%\n 2\t1  0.25 \n"));
  EXPECT_EQ(dense(real), (std::vector<double>{4, 0, 0, 0.25, 0, -150}));
  EXPECT_EQ(real.matrix.columns[1], 0);  // rows are sorted
  EXPECT_EQ(dense(read(folder.put("i.mtx",
                                  "%%matrixmarket MATRIX Coordinate Integer Symmetric\n2 2 2\n"
                                  "1 1 7\n2 1 -3"))),
            (std::vector<double>{7, 0, -3, 0}));
  EXPECT_EQ(dense(read(folder.put("p.mtx",
                                  "%%MatrixMarket matrix coordinate pattern skew-symmetric\n"
                                  "2 2 1\n2 1\n"))),
            (std::vector<double>{0, 0, 1, 0}));
  EXPECT_EQ(read(folder.put("e.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n"))
                .matrix.rows,
            0);
}

TEST(MatrixMarket, TakesEitherPartOfASymmetricMatrixAndBothWhereTheyAgree) {
  const Folder folder;
  const auto parts = [&](const std::string& symmetry, const std::string& entries, int count) {
    return read(folder.put("s.mtx",
                           "%%MatrixMarket matrix coordinate real " + symmetry + "\n3 3 " +
                               std::to_string(count) + "\n" + entries));
  };
  const std::vector<double> want{1, 0, 0, 5, 0, 0, 6, 7, 2};
  EXPECT_EQ(dense(parts("symmetric", "1 1 1\n3 3 2\n1 3 6\n1 2 5\n2 3 7\n", 5)), want);
  EXPECT_EQ(dense(parts("symmetric", "1 1 1\n3 1 6\n2 1 5\n3 2 7\n3 3 2\n", 5)), want);
  const auto both =
      parts("symmetric", "1 2 5\n2 3 7\n1 1 1\n3 1 6\n2 1 5\n3 2 7\n3 3 2\n1 3 6\n", 8);
  EXPECT_EQ(dense(both), want);
  EXPECT_EQ(both.matrix.view().entries(), 5);
  EXPECT_EQ(dense(parts("skew-symmetric", "1 2 5\n2 1 -5\n3 2 7\n", 3)),
            (std::vector<double>{0, 0, 0, -5, 0, 0, 0, 7, 0}));
  for (const char* const entries : {"2 1 5\n1 2 6\n", "2 1 5\n1 2 nan\n"}) {
    const std::string said = refusal([&] { parts("symmetric", entries, 2); });
    EXPECT_NE(said.find("row 2, column 1"), std::string::npos) << said;
  }
}

TEST(MatrixMarket, ReadsComplexMatricesAsComplexAlone) {
  const Folder folder;
  using Value = std::complex<double>;
  Context context({.device = "cpu", .threads = 2});
  const std::string path = folder.put(
      "c.mtx",
      "%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n1 1 4 0\n1 2 1 2\n2 2 3 -0.0\n");
  const auto file = read_matrix_market<Value>(context, path);
  EXPECT_EQ(std::vector<Value>(file.matrix.values.begin(), file.matrix.values.end()),
            (std::vector<Value>{{4, 0}, {1, -2}, {3, 0}}));
  EXPECT_EQ(read_matrix_market_head(context, path).field, MatrixMarketHead::Field::complex);
  EXPECT_NE(refusal([&] { read(path); }).find(":1: field 'complex'"), std::string::npos);
  const std::string real =
      folder.put("r.mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 7\n");
  EXPECT_EQ(read_matrix_market<Value>(context, real).matrix.values[0], Value(7));
}

TEST(MatrixMarket, KeepsEntriesOfOnePlaceInTheFilesOrder) {
  const Folder folder;
  const auto file = read(folder.put(
      "d.mtx",
      "%%MatrixMarket matrix coordinate real general\n1 2 4\n1 2 1\n1 1 2\n1 2 3\n1 1 4\n"));
  EXPECT_EQ(std::vector<double>(file.matrix.values.begin(), file.matrix.values.end()),
            (std::vector<double>{2, 4, 1, 3}));
}

TEST(MatrixMarket, AcceptsValuesThatAreNotFinite) {
  const Folder folder;
  const auto file = read(folder.put(
      "n.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 2\n1 1 inf\n1 2 nan\n"));
  EXPECT_TRUE(std::isinf(file.matrix.values[0]));
  EXPECT_TRUE(std::isnan(file.matrix.values[1]));
}

TEST(MatrixMarket, NamesFileAndLineOfAFault) {
  const Folder folder;
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  const auto fault = [&](const std::string& text, const std::vector<std::string>& words) {
    const std::string said = refusal([&] { read(folder.put("bad.mtx", text)); });
    EXPECT_NE(said.find("bad.mtx"), std::string::npos) << said;
    for (const std::string& word : words) EXPECT_NE(said.find(word), std::string::npos) << said;
  };
  fault("", {"empty"});
  fault("1 1 1\n", {":1:", "%%MatrixMarket"});
  fault("%%MatrixMarket matrix array real general\n", {":1:", "array", "coordinate"});
  fault("%%MatrixMarket matrix coordinate complex general\n", {":1:", "complex"});
  fault("%%MatrixMarket matrix coordinate real hermitian\n", {":1:", "hermitian"});
  fault(head, {"ends before"});
  fault(head + "2 2\n", {":2:", "'2 2'"});
  fault(head + "2 2 -1\n", {":2:"});
  fault(head + "2 2 x\n", {":2:", "x"});
  fault(head + "2 2 1 1\n", {":2:"});
  fault(head + "2 2 99999999999999999999\n", {":2:"});
  fault(head + "2 2 2\n1 1 1\n", {"expected 2 entries as announced, got 1"});
  fault(head + "2 2 1\n1 1 1\n2 2 1\n", {":4:", "expected 1 entry as announced"});
  fault(head + "2 2 1\n1 3 1\n", {":3:", "a column of 1 to 2, got '1 3 1'"});
  fault(head + "2 2 1\n0 1 1\n", {":3:", "a row of 1 to 2", "'0 1 1'"});
  fault(head + "2 2 1\n1 1\n", {":3:", "'1 1'", "value"});
  fault(head + "2 2 1\n1 1 2 3\n", {":3:"});
  fault(head + "2 2 1\n1 1 2x\n", {":3:"});
  fault("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", {":3:", "1.5"});
  fault("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n", {":3:"});
  fault("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n", {":3:", "(2, 2)"});
  fault("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", {":2:", "symmetric"});
}

TEST(MatrixMarket, RefusesAFileCutAtAnyByteThatMatters) {
  const Folder folder;
  const std::string whole =
      "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 2.5\n2 1 -1.5\n2 2 2.5\n3 3 "
      "7.5\n";
  // The last bytes may go: a line end, digits of the last number.
  for (std::size_t size = 0; size + 4 < whole.size(); ++size) {
    refusal([&] { read(folder.put("cut.mtx", whole.substr(0, size))); });
  }
}

TEST(MatrixMarket, ReadsGzipAndRefusesADamagedOne) {
  const Folder folder;
  const std::string text = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 3\n";
  const std::string path = folder / "z.mtx.gz";
  gzFile out = gzopen(path.c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  EXPECT_EQ(read(path).matrix.values[0], 3);
  const std::string bytes = test::bytes_of(path);
  folder.put("z.mtx.gz", bytes.substr(0, bytes.size() - 9));
  EXPECT_NE(refusal([&] { read(path); }).find("z.mtx.gz"), std::string::npos);
}

TEST(MatrixMarket, AHugeCountTakesNoMemoryBeforeItIsProved) {
  const Folder folder;
  refusal([&] {
    read(folder.put("huge.mtx",
                    "%%MatrixMarket matrix coordinate real general\n9 9 99999999999\n1 1 1\n"));
  });
  refusal(
      [&] {
        read(folder.put("rows.mtx",
                        "%%MatrixMarket matrix coordinate real general\n99999999999999 1 0\n"));
      },
      ErrorCode::out_of_resources);
}

}  // namespace
}  // namespace yupana::io
