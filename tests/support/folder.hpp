#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "yupana/core/error.hpp"

namespace yupana::test {

/// A folder of its own, gone afterwards.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("yupana_test.{}.{}", getpid(), count_++)) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  /// Writes a file; returns its path.
  std::string put(std::string_view name, std::string_view bytes) const {
    // A new file: some file systems write a truncated one back at once, which takes milliseconds.
    std::filesystem::remove(path_ / name);
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return *this / name;
  }
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(path_), {});
  }

 private:
  static inline int count_ = 0;
  std::filesystem::path path_;
};

/// Tests with a folder of their own.
class FolderTest : public ::testing::Test {
 protected:
  std::string file(std::string_view name) const { return folder_ / name; }

  const Folder folder_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace yupana::test
