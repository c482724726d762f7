#pragma once

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "tests/io/matrix_samples.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/matrix_reader.hpp"
#include "yupana/io/npy_file.hpp"

namespace yupana::io::testing_samples {

inline double at(const DistanceMatrix& d, std::int64_t i, std::int64_t j) {
  return std::visit([&](const auto& m) { return static_cast<double>(m(i, j)); }, d.values);
}

inline std::int64_t size(const DistanceMatrix& d) {
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

}  // namespace yupana::io::testing_samples
