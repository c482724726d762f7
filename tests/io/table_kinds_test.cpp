// Kinds of tables that were refused, or read as something else.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/text_files.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/table.hpp"

namespace yupana::io {
namespace {

using test::Folder;
using test::refusal;
using Doubles = std::vector<double>;

class TableKinds : public testing::Test {
 protected:
  TableKinds() {
    context_.on_note([this](const std::string& note) { notes_.push_back(note); });
  }
  TableFile<double> read(const std::string& name,
                         const std::string& bytes,
                         const TableParams& params = {}) {
    return read_table<double>(context_, folder_.put(name, bytes), params);
  }
  static Doubles column(const TableFile<double>& file, std::int64_t c) {
    return {file.table.column(c), file.table.column(c) + file.table.rows()};
  }
  Folder folder_;
  Context context_{{.device = "cpu", .threads = 2}};
  std::vector<std::string> notes_;
};

TEST_F(TableKinds, HalvesAndTruthsOfNumPyAreNumbers) {
  // 1, -2, the largest, the smallest, infinity, the smallest normal one
  const std::uint16_t halves[] = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00, 0x0400};
  const std::string raw(reinterpret_cast<const char*>(halves), sizeof(halves));
  const auto file = read("h.npy", npy_preamble("<f2", 3, 2) + raw);
  EXPECT_EQ(column(file, 0), (Doubles{1, 65504, HUGE_VAL}));
  EXPECT_EQ(column(file, 1), (Doubles{-2, std::ldexp(1.0, -24), std::ldexp(1.0, -14)}));
  const std::string nan("\x01\x7e\x00\x00", 4);
  EXPECT_TRUE(std::isnan(read("n.npy", npy_preamble("<f2", 1, 2) + nan).table.column(0)[0]));
  const std::string swapped("\x3c\x00\xc0\x00", 4);
  EXPECT_EQ(column(read("s.npy", npy_preamble(">f2", 2, 1) + swapped), 0), (Doubles{1, -2}));
  // bfloat16 of ml_dtypes: 1, -2, the largest, infinity; not two bytes of no type
  const std::uint16_t upper_halves[] = {0x3f80, 0xc000, 0x7f7f, 0x7f80};
  const std::string brain(reinterpret_cast<const char*>(upper_halves), sizeof(upper_halves));
  const auto both = read("v.npy", npy_preamble("<V2", 2, 2) + brain);
  EXPECT_EQ(column(both, 0), (Doubles{1, std::ldexp(255.0, 120)}));
  EXPECT_EQ(column(both, 1), (Doubles{-2, HUGE_VAL}));
  for (const char* type : {"|V2", ">V2", "<V1", "<V4"}) {
    const std::string fault = refusal([&] { read("x.npy", npy_preamble(type, 2, 2) + brain); });
    EXPECT_NE(fault.find(std::string("NumPy type ") + (type + 1)), std::string::npos) << fault;
  }
  const auto truths =
      read("b.npy", npy_preamble("|b1", 2, 2) + std::string("\0\1\1\0", 4), {.label = "2"});
  EXPECT_EQ(column(truths, 0), (Doubles{0, 1}));
  EXPECT_EQ(truths.classes, (std::vector<std::string>{"0", "1"}));
}

// Read in parts, labels were named by the first zero of each part.
TEST_F(TableKinds, AClassOfZerosOfBothSignsIsZero) {
  const double values[] = {1, -0.0, 2, 0.0, 3, 5};
  const std::string raw(reinterpret_cast<const char*>(values), sizeof(values));
  const std::string npy = npy_preamble("<f8", 3, 2) + raw;
  EXPECT_EQ(read("z.npy", npy, {.label = "2"}).classes, (std::vector<std::string>{"0", "5"}));
  const auto file = read("z.npy", npy, {.categorical = {"2"}});
  EXPECT_EQ(file.categories[1], (std::vector<std::string>{"0", "5"}));
}

TEST_F(TableKinds, OtherEncodingsAndLineEndsAreNamed) {
  const auto fault = [&](const std::string& bytes) {
    return refusal([&] { read("t.csv", bytes); });
  };
  EXPECT_NE(fault("a,b\r1,2\r3,4\r").find("\\r alone"), std::string::npos);
  EXPECT_NE(fault(std::string("\xff\xfe"
                              "1\0,\0",
                              6))
                .find("UTF-16"),
            std::string::npos);
  EXPECT_NE(fault(std::string("1\0,\0"
                              "2\0\n\0",
                              8))
                .find("UTF-16"),
            std::string::npos);
  EXPECT_NE(fault("PK\x03\x04 and so on").find("zip archive"), std::string::npos);
  // The same beginnings where a file is read line by line.
  LineReader reader(folder_.put("t.txt", "a\rb\rc"));
  std::string_view line;
  EXPECT_NE(refusal([&] { reader.next(line); }).find("\\r alone"), std::string::npos);
  EXPECT_EQ(column(read("t.csv", "a,b\r\n1,2\r\n3,4"), 1), (Doubles{2, 4}));
}

TEST_F(TableKinds, AFirstLineOfAScaleIsARowWithANote) {
  const auto rows = [&](const std::string& text, const TableParams& params = {}) {
    notes_.clear();
    return read("t.csv", text, params).table.rows();
  };
  EXPECT_EQ(rows("2001,2002,2003\n5,1,9\n"), 2);
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_NE(notes_[0].find("--header yes"), std::string::npos);
  EXPECT_EQ(rows("2001,2002,2003\n5,1,9\n", {.notes = false}), 2);
  EXPECT_TRUE(notes_.empty());
  EXPECT_EQ(rows("2001,2002,2003\n5,1,9\n", {.known = {"2002", "2001"}}), 1);
  EXPECT_TRUE(notes_.empty());
  EXPECT_EQ(rows("1,2,3\n4,5,6\n"), 2);
  EXPECT_TRUE(notes_.empty());
  EXPECT_EQ(rows("0.1,0.5,0.7\n3,1,2\n"), 2);
  EXPECT_TRUE(notes_.empty());
}

TEST_F(TableKinds, AScaleWithTheNumberOfALabelIsNoted) {
  for (const char* label : {"last", "4"}) {
    notes_.clear();
    read("t.csv", "2001,2002,2003,4\n5,1,7,0\n2,2,9,1\n", {.label = label});
    ASSERT_EQ(notes_.size(), 1u) << label;
    EXPECT_NE(notes_[0].find("the first line is taken as a row"), std::string::npos);
  }
}

TEST_F(TableKinds, NumbersThatWouldBecomeOthersAreFaultsOfTheirCells) {
  const auto fault =
      [&](const char* name, const std::string& bytes, const TableParams& params = {}) {
        return refusal([&] { read(name, bytes, params); });
      };
  // Infinity, and two rows of one value, without a word.
  EXPECT_NE(fault("t.csv", "a,b\n1,2\n1,1e400\n")
                .find("t.csv:3: column 2 ('b'): 1e400 is beyond the range of float64"),
            std::string::npos);
  const std::string zeros(400, '0');
  for (const std::string& cell : {"1" + zeros, "-0." + zeros + "1"}) {
    EXPECT_NE(fault("t.csv", fmt::format("a,b\n1,2\n1,{}\n", cell)).find("beyond the range"),
              std::string::npos)
        << cell;
  }
  for (const char* cell : {"1e-400", "-0.002E-322", "1e-324"}) {
    EXPECT_NE(fault("t.csv", fmt::format("a,b\n1,2\n1,{}\n", cell))
                  .find(fmt::format("column 2 ('b'): {} is beyond the range of float64", cell)),
              std::string::npos)
        << cell;
  }
  EXPECT_EQ(column(read("t.csv", "1,0e-9\n2,0.000e5\n3,4.95e-324\n"), 1)[2], 0x1p-1074);
  for (const char* cell : {"9007199254740993", "-9007199254740993", "+18446744073709551615"}) {
    const std::string row = fmt::format("a,b\n1,{}\n", cell);
    EXPECT_NE(fault("t.csv", row).find(fmt::format("column 2 ('b'): {} is an integer", cell)),
              std::string::npos);
    EXPECT_NE(fault("t.csv", row, {.label = "b", .label_is_number = true}).find("is an integer"),
              std::string::npos);
    EXPECT_NE(fault("t.svm", fmt::format("1 2:{}\n", cell)).find("t.svm:1: index 2: "),
              std::string::npos);
    EXPECT_EQ(read("t.csv", row, {.ignored = {"b"}}).table.columns(), 1);
    EXPECT_EQ(read("t.csv", row, {.label = "b"}).classes[0], cell);
  }
  EXPECT_NE(fault("t.svm", "1e999 1:1\n", {.label = "label", .label_is_number = true})
                .find("the label \'1e999\' is no finite number"),
            std::string::npos);
  EXPECT_EQ(column(read("t.csv", "9007199254740992,9007199254740993.0,-inf\n"), 1)[0], 0x1p53);
  EXPECT_EQ(column(read("t.svm", "1 1:infinity 2:9007199254740992\n"), 0)[0], HUGE_VAL);
}

TEST_F(TableKinds, NumbersBeyondAFloatAreFaultsWhereFloatsAreKept) {
  const auto fault = [&](const char* name, const std::string& bytes) {
    return refusal([&] { read_table<float>(context_, folder_.put(name, bytes)); });
  };
  EXPECT_NE(fault("t.csv", "1,-1e39\n").find("-1e39 is beyond the range of float32"),
            std::string::npos);
  EXPECT_NE(fault("t.svm", "1 1:1e39\n").find("1e39 is beyond the range of float32"),
            std::string::npos);
  EXPECT_NE(fault("t.csv", "1,1e-46\n").find("1e-46 is beyond the range of float32"),
            std::string::npos);
  EXPECT_NE(fault("t.svm", "1 1:2e-300\n").find("2e-300 is beyond the range of float32"),
            std::string::npos);
  const double large = 1e39;
  const std::string raw(reinterpret_cast<const char*>(&large), 8);
  EXPECT_NE(
      fault("t.npy", npy_preamble("<f8", 1, 1) + raw).find("row 1, column 1: 1e+39 is beyond"),
      std::string::npos);
  // Floats are rounded as asked for.
  const auto file = read_table<float>(context_, folder_.put("t.csv", "9007199254740993\n"));
  EXPECT_EQ(file.table.column(0)[0], 0x1p53f);
}

TEST_F(TableKinds, IntegersOfNumPyKeepTheirValueOrAreRefused) {
  const std::int64_t values[] = {1, (std::int64_t{1} << 53) + 1, 2, std::int64_t{1} << 53};
  const std::string raw(reinterpret_cast<const char*>(values), sizeof(values));
  const std::string bytes = npy_preamble("<i8", 2, 2) + raw;
  const auto fault = [&](const TableParams& params) {
    return refusal([&] { read("t.npy", bytes, params); });
  };
  for (const bool label : {false, true}) {
    EXPECT_NE(fault({.label = label ? "2" : ""})
                  .find("row 1, column 2: 9007199254740993 is an integer beyond 2^53"),
              std::string::npos);
  }
  EXPECT_EQ(column(read("t.npy", bytes, {.ignored = {"2"}}), 0), (Doubles{1, 2}));
}

TEST_F(TableKinds, ParametersOfAnotherKindAreRefused) {
  const std::string npy = npy_preamble("<f8", 1, 1) + std::string(8, '\0');
  const auto fault = [&](const char* name, const std::string& bytes, const TableParams& params) {
    return refusal([&] { read(name, bytes, params); }, ErrorCode::usage);
  };
  EXPECT_NE(fault("t.npy", npy, {.delimiter = ';'}).find("--delimiter"), std::string::npos);
  EXPECT_NE(fault("t.npy", npy, {.zero_based = true}).find("--zero-based"), std::string::npos);
  EXPECT_NE(fault("t.svm", "1 1:2\n", {.header = TableHeader::absent}).find("--header"),
            std::string::npos);
  EXPECT_NE(fault("t.csv", "1,2\n", {.zero_based = true}).find("--zero-based"), std::string::npos);
}

TEST_F(TableKinds, ColumnsThatNoLibsvmRowHasAreZeros) {
  const auto file = read("t.svm", "1 1:2\n2 2:3\n", {.columns = {"2", "5"}});
  EXPECT_EQ(file.table.names(), (std::vector<std::string>{"2", "5"}));
  EXPECT_EQ(column(file, 0), (Doubles{0, 3}));
  EXPECT_EQ(column(file, 1), (Doubles{0, 0}));
}

/// Few named columns of a wide table cost little, and all of them where the file has not as many
/// bytes.
TEST_F(TableKinds, AWideLibsvmTableHoldsTheColumnsThatAreNamed) {
  const std::string text = "1 1:2 16777216:4\n2 7:3 16777216:5\n";
  const TableParams params{.label = "label", .weight = "last", .columns = {"9", "7", "1"}};
  const auto file = read("t.svm", text, params);
  EXPECT_EQ(file.table.names(), (std::vector<std::string>{"9", "7", "1"}));
  EXPECT_EQ(column(file, 0), (Doubles{0, 0}));
  EXPECT_EQ(column(file, 1), (Doubles{0, 3}));
  EXPECT_EQ(column(file, 2), (Doubles{2, 0}));
  EXPECT_EQ(file.weights[0], 4);
  EXPECT_EQ(file.weights[1], 5);
  const std::string fault = refusal([&] { read("t.svm", text, {.label = "label"}); });
  EXPECT_NE(fault.find("has an index of 16777216"), std::string::npos) << fault;
}

/// They were whatever the memory held.
TEST_F(TableKinds, WeightsOfLibsvmRowsAreReadAndZeroWhereAbsent) {
  const TableParams params{.label = "label", .weight = "2"};
  const auto file = read("t.svm", "1 1:2 2:0.5 3:1\n2 1:3\n1 2:7\n", params);
  EXPECT_EQ(file.table.names(), (std::vector<std::string>{"1", "3"}));
  EXPECT_EQ(column(file, 0), (Doubles{2, 3, 0}));
  EXPECT_EQ(Doubles(file.weights.begin(), file.weights.end()), (Doubles{0.5, 0, 7}));
  for (const char* weight : {"-1", "nan", "inf"}) {
    const std::string text = std::string("1 1:2 2:1\n1 2:") + weight + "\n";
    const std::string fault = refusal([&] { read("t.svm", text, params); });
    EXPECT_NE(fault.find(":2: index 2: expected a weight of 0 or more"), std::string::npos)
        << fault;
  }
}

}  // namespace
}  // namespace yupana::io
