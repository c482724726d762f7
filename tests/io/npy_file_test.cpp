#include "yupana/io/npy_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/support/folder.hpp"

namespace yupana::io {
namespace {

class NpyFileTest : public ::testing::Test {
 protected:
  /// A file of rows x cols numbers of a type, 0, 1, 2, ... in the file's order.
  template <class T>
  std::string file(const std::string& description,
                   std::int64_t rows,
                   std::int64_t cols,
                   bool fortran = false) {
    std::string bytes = npy_preamble(description, rows, cols);
    if (fortran) bytes.replace(bytes.find("False"), 5, "True ");
    for (std::int64_t i = 0; i < rows * cols; ++i) {
      const auto value = static_cast<T>(i);
      char own[sizeof(T)];
      std::memcpy(own, &value, sizeof(T));
      if (description[0] == '>') std::reverse(own, own + sizeof(T));
      bytes.append(own, sizeof(T));
    }
    return folder_.put("x.npy", bytes);
  }

  std::string fault(const std::string& path, const NpyKinds& kinds) {
    try {
      const InputFile input(path);
      const NpyFile npy(input, kinds);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  test::Folder folder_;
  Context context_;
};

constexpr NpyKinds matrix{.shape = "a matrix"};

TEST_F(NpyFileTest, rows_come_in_order_whatever_the_files_order_of_bytes_and_indices) {
  // Above and below the tiles of 16 columns and 4,096 rows.
  for (const auto& [rows, cols] : {std::pair{5, 3}, {4097, 17}, {9000, 16}, {1, 40}}) {
    for (const bool fortran : {false, true}) {
      for (const std::string description : {"<i4", ">i4"}) {
        const InputFile input(file<std::int32_t>(description, rows, cols, fortran));
        const NpyFile npy(input, matrix);
        std::vector<double> values(rows * cols);
        npy.read_rows(context_, values.data());
        for (int i = 0; i < rows; ++i) {
          for (int j = 0; j < cols; ++j) {
            ASSERT_EQ(values[i * cols + j], fortran ? j * rows + i : i * cols + j) << i << " " << j;
          }
        }
      }
    }
  }
}

TEST_F(NpyFileTest, complex_values_of_a_fortran_file_stay_together) {
  // 3 x 2 values of two numbers each.
  std::string bytes = npy_preamble("<c8", 3, 2);
  bytes.replace(bytes.find("False"), 5, "True ");
  for (int i = 0; i < 12; ++i) {
    const auto value = static_cast<float>(i);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  const InputFile input(folder_.put("c.npy", bytes));
  const NpyFile npy(input, {.shape = "a matrix", .with_complex = true});
  std::vector<float> values(12);
  npy.read_rows(context_, values.data());
  EXPECT_EQ(values, (std::vector<float>{0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11}));
}

TEST_F(NpyFileTest, types_shapes_and_sizes_that_are_not_taken_are_named) {
  EXPECT_NE(fault(file<std::uint8_t>("|b1", 2, 2), matrix)
                .find("expected integers, float32 or float64, got values of NumPy type b1"),
            std::string::npos);
  EXPECT_EQ(fault(file<std::uint8_t>("|b1", 2, 2), {.shape = "", .with_bool = true}), "");
  EXPECT_NE(fault(file<double>("<f8", 2, 2), {.shape = "a list", .max_dimensions = 1})
                .find("expected a list, got an array of 2 dimensions"),
            std::string::npos);
  const std::string path = file<double>("<f8", 2, 2);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_NE(fault(path, matrix).find("expected 2 x 2 values of 8 bytes after the header, got 31"),
            std::string::npos);
}

TEST_F(NpyFileTest, an_integer_that_no_double_equals_is_refused) {
  const InputFile input(file<std::int64_t>("<i8", 1, 3));
  const NpyFile npy(input, matrix);
  double value = 0;
  npy.read_as(2, 1, &value);
  EXPECT_EQ(value, 2);
  std::string bytes = npy_preamble("<i8", 1, 1);
  const std::int64_t between = (std::int64_t{1} << 53) + 1;
  bytes.append(reinterpret_cast<const char*>(&between), sizeof(between));
  const InputFile large(folder_.put("b.npy", bytes));
  EXPECT_THROW(NpyFile(large, matrix).read_as(0, 1, &value), Error);
}

}  // namespace
}  // namespace yupana::io
