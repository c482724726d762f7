#include "yupana/io/table_parts.hpp"

#include <gtest/gtest.h>

#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/table.hpp"

namespace yupana::io {
namespace {

using test::Folder;
using test::refusal;

class TableParts : public testing::Test {
 protected:
  /// Parts put together are the whole table; how many there were.
  std::int64_t same(const std::string& path, const TableParams& params, std::int64_t bytes) {
    const auto whole = read_table<double>(context_, path, params);
    std::int64_t row = 0, parts = 0, missing = 0, wrong = 0;
    read_table_parts<double>(context_, path, params, bytes, [&](TableFile<double>&& part) {
      ++parts;
      EXPECT_GT(part.table.rows(), 0);
      EXPECT_EQ(part.table.names(), whole.table.names());
      EXPECT_LE(row + part.table.rows(), whole.table.rows());
      missing += part.missing;
      for (std::int64_t c = 0; c < part.table.columns(); ++c) {
        const auto& own = part.categories[static_cast<std::size_t>(c)];
        const auto& all = whole.categories[static_cast<std::size_t>(c)];
        for (std::int64_t i = 0; i < part.table.rows(); ++i) {
          const double a = part.table.column(c)[i], b = whole.table.column(c)[row + i];
          if (a != a || b != b) {
            wrong += a == a || b == b;
          } else if (own.empty()) {
            wrong += a != b;
          } else {
            wrong += own[static_cast<std::size_t>(a)] != all[static_cast<std::size_t>(b)];
          }
        }
      }
      for (std::int64_t i = 0; i < part.codes.size(); ++i) {
        wrong += part.classes[static_cast<std::size_t>(part.codes[i])] !=
                 whole.classes[static_cast<std::size_t>(whole.codes[row + i])];
      }
      for (std::int64_t i = 0; i < part.values.size(); ++i) {
        wrong += part.values[i] != whole.values[row + i];
      }
      for (std::int64_t i = 0; i < part.weights.size(); ++i) {
        wrong += part.weights[i] != whole.weights[row + i];
      }
      row += part.table.rows();
    });
    EXPECT_EQ(row, whole.table.rows());
    EXPECT_EQ(missing, whole.missing);
    EXPECT_EQ(wrong, 0);
    return parts;
  }

  Folder folder_;
  Context context_{{.device = "cpu", .threads = 2}};
};

std::string text_of(std::int64_t rows, bool header) {
  std::string text = header ? "x,color,w,class\n" : "";
  for (std::int64_t i = 0; i < rows; ++i) {
    text += fmt::format("{},{},{},{}\n",
                        i % 11 == 0 ? "NA" : std::to_string(i * 7 % 1000),
                        // The first colors of a part are others than those of the table.
                        i < rows / 2 ? "red" : (i % 2 == 0 ? "blue" : "green"),
                        i % 5,
                        i > 2 * rows / 3 ? 10 + i % 3 : i % 3);
    if (i % 1000 == 0) text += "# a comment\n\n";
  }
  return text;
}

TEST_F(TableParts, OfTextPutTogetherAreTheTable) {
  const std::int64_t rows = 5 * TableText::piece_bytes / 16;
  for (const bool header : {true, false}) {
    const std::string path = folder_.put("t.csv", text_of(rows, header));
    TableParams params{.label = "4", .weight = "3", .categorical = {"2"}};
    EXPECT_EQ(same(path, params, std::int64_t{1} << 40), 1);
    EXPECT_GE(same(path, params, 1), 4);
    EXPECT_EQ(same(path, params, 16 * (rows - 1)), 2);
    params.label_is_number = true;
    EXPECT_GE(same(path, params, 1 << 20), 2);
  }
}

TEST_F(TableParts, HoldAtLeastARowWhereLinesAreLongOrNoneFollow) {
  std::string line = "0";
  const std::string one = ",1." + std::string(500, '0');
  for (std::int64_t c = 1; c < TableText::piece_bytes / 200; ++c) line += c % 2 == 0 ? one : ",NA";
  const std::string nothing = "# " + std::string(3 * TableText::piece_bytes, '-') + "\n";
  const std::string path = folder_.put("t.csv", nothing + line + "\n" + line + "\n" + nothing);
  EXPECT_EQ(same(path, {}, 1), 2);
}

TEST_F(TableParts, OfLibsvmPutTogetherAreTheTable) {
  std::string text;
  const std::int64_t rows = 3 * TableText::piece_bytes / 16;
  for (std::int64_t i = 0; i < rows; ++i) {
    text += fmt::format("{} 2:{} 7:0.25 {}:1\n", i % 4 - 1, i % 100, 8 + i / (rows / 2));
  }
  const std::string path = folder_.put("t.svm", text);
  EXPECT_GE(same(path, {.label = "label"}, 1), 3);
  EXPECT_GE(same(path, {.label = "label", .label_is_number = true}, 1), 3);
}

TEST_F(TableParts, OfNpyInEitherOrderPutTogetherAreTheTable) {
  for (const bool fortran : {false, true}) {
    std::string text = npy_preamble("<f4", 1001, 3);
    if (fortran) text.replace(text.find("False"), 5, "True ");
    for (std::int64_t i = 0; i < 3003; ++i) {
      const auto value =
          i % 17 == 0 && i % 3 != 2 && !fortran ? std::nanf("") : static_cast<float>(i % 29);
      text.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    const std::string path = folder_.put("t.npy", text);
    EXPECT_EQ(same(path, {}, std::int64_t{1} << 40), 1);
    for (const std::int64_t most : {1, 7, 1000, 1001}) {
      const std::int64_t parts = (1001 + most - 1) / most;
      EXPECT_EQ(same(path, {.label = "3", .categorical = {"1"}}, 16 * most), parts);
      EXPECT_EQ(same(path, {.label = "3", .label_is_number = true}, 16 * most), parts);
    }
  }
}

TEST_F(TableParts, FaultsHaveTheLineOfTheFile) {
  std::string text = text_of(3 * TableText::piece_bytes / 16, true);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  const std::string path = folder_.put("t.csv", text + "1,red,1\n");
  std::int64_t parts = 0;
  const auto message = refusal([&] {
    read_table_parts<float>(
        context_, path, {.categorical = {"2"}}, 1, [&](TableFile<float>&&) { ++parts; });
  });
  EXPECT_NE(message.find(fmt::format("t.csv:{}: expected 4 cells, got 3", lines + 1)), message.npos)
      << message;
  EXPECT_GE(parts, 2);
}

}  // namespace
}  // namespace yupana::io
