#include "yupana/core/atomic_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "yupana/core/error.hpp"

namespace yupana {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  fs::path folder_ = fs::temp_directory_path() / ("atomic_file_test." + std::to_string(getpid()));
};

std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST_F(AtomicFileTest, AppearsWholeOnCommit) {
  AtomicFile out(file("a"));
  out.write("hello ");
  EXPECT_FALSE(fs::exists(file("a")));
  out.write("world");
  out.commit();
  EXPECT_EQ(text_of(file("a")), "hello world");
}

TEST_F(AtomicFileTest, LeavesNothingWithoutCommit) {
  std::ofstream(file("a")) << "old";
  { AtomicFile(file("a")).write("new"); }
  EXPECT_EQ(text_of(file("a")), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(AtomicFileTest, ErrorNamesThePath) {
  try {
    AtomicFile out(file("no/such/folder"));
    FAIL() << "created a file in a folder that does not exist";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_NE(std::string(error.what()).find("no/such/folder"), std::string::npos);
  }
}

TEST_F(AtomicFileTest, FullDiskIsAResourceError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  fs::create_symlink("/dev/full", file("full.part-" + std::to_string(getpid())));
  OutputFiles files;
  files.add(file("good")).write("x");
  files.add(file("full")).write(std::string(1 << 21, 'x').substr(0, 100));
  try {
    files.commit();
    FAIL() << "wrote to a full disk";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_resources);
  }
  EXPECT_FALSE(fs::exists(file("good")));
}

TEST_F(AtomicFileTest, WritesAtOffsets) {
  AtomicFile out(file("a"));
  out.write_at(3, "def", 3);
  out.write_at(0, "abc", 3);
  out.commit();
  EXPECT_EQ(text_of(file("a")), "abcdef");
}

}  // namespace
}  // namespace yupana
