#include "yupana/io/table.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>

#include "tests/support/text_files.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/table_parts.hpp"

namespace yupana::io {
namespace {

using test::Folder;
using test::refusal;

class Tables : public testing::Test {
 protected:
  TableFile<double> read(const std::string& text, const TableParams& params = {}) {
    return read_table<double>(context_, folder_.put(name_, text), params);
  }
  std::string fault(const std::string& text, const TableParams& params = {}) {
    std::string message = refusal([&] { read(text, params); });
    const std::string path = folder_ / name_;
    const std::size_t at = message.find(path);
    EXPECT_NE(at, message.npos) << message;
    return at == message.npos ? message : message.replace(at, path.size(), "F");
  }
  Folder folder_;
  Context context_{{.device = "cpu", .threads = 2}};
  std::string name_ = "t.csv";
};

std::vector<double> column(const TableFile<double>& file, std::int64_t c) {
  return {file.table.column(c), file.table.column(c) + file.table.rows()};
}
using Doubles = std::vector<double>;
using Texts = std::vector<std::string>;

TEST_F(Tables, AHeaderIsFoundOutAndNamesTheColumns) {
  const auto file = read("a,b\n1,2\n3,4\n");
  EXPECT_EQ(file.table.names(), (Texts{"a", "b"}));
  EXPECT_EQ(column(file, 1), (Doubles{2, 4}));
  const auto bare = read("1,2\n3,4\n");
  EXPECT_EQ(bare.table.names(), (Texts{"1", "2"}));
  EXPECT_EQ(column(bare, 0), (Doubles{1, 3}));
  EXPECT_EQ(read("1,2\n3,4\n", {.header = TableHeader::present}).table.rows(), 1);
}

TEST_F(Tables, ATextLabelInEveryRowIsNoHeader) {
  const auto file = read("5.1,3.5,Iris-setosa\n4.9,3.0,Iris-virginica\n", {.label = "last"});
  EXPECT_EQ(file.table.rows(), 2);
  EXPECT_EQ(file.table.columns(), 2);
  EXPECT_EQ(file.classes, (Texts{"Iris-setosa", "Iris-virginica"}));
}

TEST_F(Tables, EveryLineEndDelimiterAndMarkReadsTheSame) {
  const Doubles second{2.5, 4, -6e3};
  for (const std::string text : {"a,b\n1,2.5\n3,4\n5,-6e3\n",
                                 "a,b\r\n1,2.5\r\n3,4\r\n5,-6e3\r\n",
                                 "\xef\xbb\xbf"
                                 "a,b\n1,2.5\n3,4\n5,-6e3",
                                 "# made by hand\n\na;b\n1;2.5\n#no row\n3;4\n\n5;-6e3\n\n",
                                 "a\tb\n1\t2.5\n3\t4\n5\t-6e3\n",
                                 "a b\n1   2.5\n 3\t4 \n5 -6e3\n",
                                 "\"a\",\"b\"\n\"1\",\"2.5\"\n3, 4\n5 ,-6e3\n"}) {
    const auto file = read(text);
    EXPECT_EQ(file.table.names(), (Texts{"a", "b"})) << text;
    EXPECT_EQ(column(file, 1), second) << text;
  }
}

TEST_F(Tables, QuotesHoldDelimitersAndQuotes) {
  const auto file =
      read("x,\"the \"\"label\"\", 1\"\n1,\"a,b\"\n2,\"c\"\"d\"\n", {.label = "the \"label\", 1"});
  EXPECT_EQ(file.classes, (Texts{"a,b", "c\"d"}));
  EXPECT_EQ(
      fault("a,b\n1,\"2\n3,4\n"),
      "F:2: a quoted cell must end on its line, before a delimiter; take line breaks out of cells");
  EXPECT_EQ(
      fault("a,b\n1,\"2\"3\n"),
      "F:2: a quoted cell must end on its line, before a delimiter; take line breaks out of cells");
}

TEST_F(Tables, MissingCellsAreNaNAndCounted) {
  const auto file = read("a,b\n1,\nNA,2\n?,nan\n null ,inf\n");
  EXPECT_EQ(file.missing, 5);
  EXPECT_EQ(file.infinite, 1);
  EXPECT_TRUE(std::isnan(file.table.column(1)[0]));
  EXPECT_EQ(file.table.column(1)[3], HUGE_VAL);
}

TEST_F(Tables, NumbersAreTheNearestDoubles) {
  for (const char* text : {"0.1",
                           "-0",
                           "1e22",
                           "1e23",
                           "123456789012345678",
                           "9007199254740993",
                           "5e-324",
                           "1e-400",
                           "1e400",
                           "-1e400",
                           "2.2250738585072011e-308",
                           "0.000000000000000000000000000001",
                           ".5",
                           "5.",
                           "+7",
                           "1E5",
                           "-.25e-3",
                           "3.14159265358979323846264338327950288"}) {
    double value = 0;
    ASSERT_TRUE(whole_number(text, value)) << text;
    const double expected = std::strtod(text, nullptr);
    EXPECT_EQ(std::memcmp(&value, &expected, 8), 0) << text << " " << value;
  }
  for (const char* text : {"", "-", "+", ".", "e5", "+-1", "1e", "--1", "1 2", "0x1p3", "1,5"}) {
    double value = 0;
    EXPECT_FALSE(whole_number(text, value)) << text;
  }
}

TEST_F(Tables, ClassesOfNumbersAreInOrderOfValue) {
  EXPECT_EQ(read("a,y\n1,10\n1,9\n1,-1\n", {.label = "y"}).classes, (Texts{"-1", "9", "10"}));
  const auto file = read("a,y\n1,10\n1,9\n1,x\n1,9\n", {.label = "y"});
  EXPECT_EQ(file.classes, (Texts{"10", "9", "x"}));
  EXPECT_EQ((std::vector<int>(file.codes.begin(), file.codes.end())),
            (std::vector<int>{0, 1, 2, 1}));
}

TEST_F(Tables, ColumnsAreChosenByNameOrNumber) {
  const std::string text = "a,b,c,d\n1,2,3,4\n5,6,7,8\n";
  const auto file =
      read(text, {.label = "2", .label_is_number = true, .weight = "d", .columns = {"c", "a"}});
  EXPECT_EQ(file.table.names(), (Texts{"c", "a"}));
  EXPECT_EQ(column(file, 0), (Doubles{3, 7}));
  EXPECT_EQ(file.values[1], 6);
  EXPECT_EQ(file.weights[1], 8);
  EXPECT_EQ(file.label, "b");
  EXPECT_EQ(read(text, {.ignored = {"a", "last"}}).table.names(), (Texts{"b", "c"}));
  EXPECT_EQ(fault(text, {.label = "e"}),
            "F: label column 'e' is not there: name one of the header, or a number from 1; 4 "
            "columns, the first 'a'");
  EXPECT_EQ(
      fault("1,2\n3,4\n", {.label = "class"}),
      "F: label column 'class' is not there: there is no header, so give its number from 1; 2 "
      "columns, the first '1'");
  EXPECT_EQ(fault("a\n1\n", {.label = "a"}),
            "F: no feature is left: there is one column; give --delimiter if there should be more");
}

TEST_F(Tables, CategoriesBecomeNumbersInOrder) {
  const auto file = read("x,c\n1,red\n2,blue\n3,NA\n4,red\n", {.categorical = {"c"}});
  EXPECT_EQ(file.categories[1], (Texts{"blue", "red"}));
  EXPECT_EQ(file.table.column(1)[0], 1);
  EXPECT_EQ(file.table.column(1)[1], 0);
  EXPECT_TRUE(std::isnan(file.table.column(1)[2]));
}

TEST_F(Tables, BadLinesAreNamed) {
  EXPECT_EQ(fault("a,b\n1,2\n3\n"), "F:3: expected 2 cells, got 1");
  EXPECT_EQ(fault("# x\na,b\n\n1,2,3,4\n"), "F:4: expected 2 cells, got 4");
  EXPECT_EQ(
      fault("a,b\n1,2\n3,x\n", {.label = "a"}),
      "F:3: column 2 ('b'): 'x' is no number; give it as --id, leave it out with --ignore or, for "
      "trees, read it as --categorical");
  EXPECT_EQ(fault("a,y\n1,2\n3,\n", {.label = "y"}),
            "F:3: column 2 ('y'): the value is missing; every row needs one here: "
            "fill it in or drop the row");
  EXPECT_EQ(fault("a,w\n1,2\n3,-1\n", {.weight = "w"}),
            "F:3: column 2 ('w'): expected a weight of 0 or more, got -1");
  EXPECT_EQ(fault("a,b,a\n1,2,3\n"), "F:1: columns 1 and 3 have the same name 'a'; rename one");
  EXPECT_EQ(fault(""), "F: has no rows; expected a table of numbers, one row a line");
  EXPECT_EQ(fault("\n# only\n"), "F: has no rows; expected a table of numbers, one row a line");
  EXPECT_EQ(fault("a,b\n", {.header = TableHeader::present}), "F: has a header and no rows");
  EXPECT_EQ(fault("1,2\n3,4\n", {.delimiter = ';', .label = "last"}),
            "F: no feature is left: there is one column; give --delimiter if there should be more");
  EXPECT_EQ(fault("a,b\n"), "F: has no rows: its only line holds no number");
  EXPECT_EQ(fault("# x\na,y\n\n", {.label = "y"}), "F: has a header and no rows");
}

std::string large_text(std::int64_t rows) {
  std::string text = "first,second,class\n";
  for (std::int64_t i = 0; i < rows; ++i) {
    text += fmt::format("{},{:.3f},{}\n", i, 0.5 * static_cast<double>(i), "abc"[i % 3]);
  }
  return text;
}

TEST_F(Tables, LargeFilesReadTheSameOnAnyThreadsAndInGzip) {
  const std::int64_t rows = 3 * TableText::piece_bytes / 16;
  const std::string text = large_text(rows);
  ASSERT_GT(std::ssize(text), 3 * TableText::piece_bytes);
  const std::string path = folder_.put("l.csv", text);
  const std::string packed = folder_ / "l.csv.gz";
  gzFile gz = gzopen(packed.c_str(), "wb1");
  gzwrite(gz, text.data(), static_cast<unsigned>(text.size()));
  gzclose(gz);
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    for (const std::string& name : {path, packed}) {
      const auto file = read_table<float>(context, name, {.label = "class"});
      ASSERT_EQ(file.table.rows(), rows);
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < rows; ++i) {
        wrong += file.table.column(0)[i] != static_cast<float>(i);
        wrong += file.table.column(1)[i] != 0.5f * static_cast<float>(i);
        wrong += file.codes[i] != i % 3;
      }
      EXPECT_EQ(wrong, 0);
    }
  }
}

TEST_F(Tables, TheFirstFaultOfAFileIsToldOnAnyThreads) {
  std::string text = large_text(3 * TableText::piece_bytes / 16);
  const std::int64_t last = std::count(text.begin(), text.end(), '\n');
  text += "1,x,a\n1\n";
  text.insert(text.find("\n150000,"), ",");
  const std::string path = folder_.put("l.csv", text);
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    const std::string message =
        refusal([&] { read_table<float>(context, path, {.label = "class"}); });
    EXPECT_NE(message.find("l.csv:150001: expected 3 cells, got 4"), message.npos)
        << message << last;
  }
}

TEST_F(Tables, ALineLongerThanAPieceIsOneRow) {
  std::string first = "0", second = "1";
  const std::int64_t columns = 3 * TableText::piece_bytes / 4;
  for (std::int64_t c = 1; c < columns; ++c) {
    first += fmt::format(",{}", c % 900);
    second += ",7";
  }
  const auto file = read(first + "\n" + second + "\n" + second);
  ASSERT_EQ(file.table.rows(), 3);
  ASSERT_EQ(file.table.columns(), columns);
  EXPECT_EQ(file.table.column(columns - 1)[0], (columns - 1) % 900);
  EXPECT_EQ(file.table.column(columns - 1)[2], 7);
}

TEST_F(Tables, LibsvmIsDenseWithZeros) {
  name_ = "t.svm";
  const auto file = read("+1 1:0.5 3:2 # note\n-1 2:nan\n\n", {.label = "label"});
  EXPECT_EQ(file.table.columns(), 3);
  EXPECT_EQ(column(file, 0), (Doubles{0.5, 0}));
  EXPECT_EQ(column(file, 2), (Doubles{2, 0}));
  EXPECT_EQ(file.missing, 1);
  EXPECT_EQ(file.classes, (Texts{"-1", "+1"}));
  EXPECT_EQ(read("1 0:4\n", {.zero_based = true}).table.columns(), 1);
  EXPECT_NE(fault("1 0:4\n").find("F:1: index 0 found"), std::string::npos);
  EXPECT_EQ(fault("1 2:4 2:5\n"), "F:1: index 2 after 2: expected indices that grow");
  EXPECT_EQ(fault("1 2:4\n1 a:5\n"), "F:2: expected index:value, got 'a:5'");
  EXPECT_NE(fault("1 99999999999:1\n").find("indices go from 1"), std::string::npos);
}

TEST_F(Tables, LibsvmEntriesOfEveryFormReadTheSame) {
  name_ = "t.svm";
  const char* forms[] = {"1 1:1000 2:-0.5 3:7\n",
                         "1\t1:1e3\t2:-.5  3:+7 \r\n",
                         "1 qid:4 0000000001:1000.0 02:-5e-1 3:7#8 4:9\n",
                         "  1 1:1000 qid:1 2:-0.50 3:7 # 4:9"};
  for (const char* form : forms) {
    const auto file = read(form, {.label = "label"});
    ASSERT_EQ(file.table.columns(), 3) << form;
    EXPECT_EQ(column(file, 0), (Doubles{1000})) << form;
    EXPECT_EQ(column(file, 1), (Doubles{-0.5})) << form;
    EXPECT_EQ(column(file, 2), (Doubles{7})) << form;
  }
  for (const char* entry : {"1:-", "1:+", "1:2x", "1:2:3", ":2", "1;2", "qid", "-1:2x", "1:0x1"}) {
    EXPECT_EQ(fault(fmt::format("1 3:4\n1 {}\n", entry)),
              fmt::format("F:2: expected index:value, got '{}'", entry));
  }
  EXPECT_EQ(read("1 1: 2:3 3:NaN 4:?\n", {.label = "label"}).missing, 3);
}

TEST_F(Tables, NpyOfEitherOrderAndAnyTypeReadsTheSame) {
  const auto npy = [](const char* type, bool fortran, const std::string& bytes) {
    std::string text = npy_preamble(type, 2, 3);
    if (fortran) text.replace(text.find("False"), 5, "True ");
    return text + bytes;
  };
  const auto raw = [](auto... values) {
    std::string bytes;
    (bytes.append(reinterpret_cast<const char*>(&values), sizeof(values)), ...);
    return bytes;
  };
  const std::string c = npy("<f4", false, raw(1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f));
  const std::string f =
      npy("<i2", true, raw(short{1}, short{4}, short{2}, short{5}, short{3}, short{6}));
  for (const std::string& bytes : {c, f}) {
    const auto file = read(bytes, {.label = "3"});
    EXPECT_EQ(column(file, 0), (Doubles{1, 4}));
    EXPECT_EQ(column(file, 1), (Doubles{2, 5}));
    EXPECT_EQ(file.classes, (Texts{"3", "6"}));
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
      EXPECT_THROW(read(bytes.substr(0, cut)), Error) << cut;
    }
  }
}

TEST_F(Tables, TruncatedGzipIsRefused) {
  const std::string path = folder_ / "t.gz";
  gzFile gz = gzopen(path.c_str(), "wb");
  gzwrite(gz, "a,b\n1,2\n3,4\n", 12);
  gzclose(gz);
  const std::string whole = test::bytes_of(path);
  for (std::size_t cut = 2; cut < whole.size(); ++cut) {
    EXPECT_THROW(read(whole.substr(0, cut)), Error) << cut;
  }
}

}  // namespace
}  // namespace yupana::io
