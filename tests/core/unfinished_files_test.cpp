#include "yupana/core/unfinished_files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/text_files.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/machine.hpp"

namespace yupana {
namespace {

namespace fs = std::filesystem;

class UnfinishedFilesTest : public test::FolderTest {};

TEST_F(UnfinishedFilesTest, PartsThatNobodyWritesAreRemovedByTheNextWriter) {
  std::ofstream(file("a.part-999999999")) << "left";
  std::ofstream(file("a.part-12.runs.part-12")) << "left";
  std::ofstream(file("ab.part-1")) << "of another file";
  AtomicFile out(file("a"));
  EXPECT_FALSE(fs::exists(file("a.part-999999999")));
  EXPECT_FALSE(fs::exists(file("a.part-12.runs.part-12")));
  EXPECT_TRUE(fs::exists(file("ab.part-1")));
  EXPECT_TRUE(fs::exists(out.temporary()));
}

TEST_F(UnfinishedFilesTest, APartThatIsLockedStays) {
  const std::string part = file("a.part-999999999");
  std::ofstream(part) << "being written";
  const int writer = open(part.c_str(), O_RDWR);
  ASSERT_EQ(flock(writer, LOCK_SH), 0);
  remove_left_parts(file("a"));
  EXPECT_TRUE(fs::exists(part));
  close(writer);
  remove_left_parts(file("a"));
  EXPECT_FALSE(fs::exists(part));
}

TEST_F(UnfinishedFilesTest, AnOpenFileIsLockedUntilItHasItsName) {
  AtomicFile out(file("a"));
  out.write("whole");
  out.close();
  remove_left_parts(file("a"));
  ASSERT_TRUE(fs::exists(out.temporary()));
  out.commit();
  EXPECT_EQ(fs::file_size(file("a")), 5u);
}

TEST_F(UnfinishedFilesTest, LinksAndFoldersAreNoParts) {
  fs::create_symlink("elsewhere", file("a.part-1"));
  fs::create_directory(file("a.part-2"));
  remove_left_parts(file("a"));
  EXPECT_TRUE(fs::is_symlink(file("a.part-1")));
  EXPECT_TRUE(fs::exists(file("a.part-2")));
}

TEST_F(UnfinishedFilesTest, PermissionsOfAReplacedFileStay) {
  for (const mode_t mode : {0600, 0640, 0755}) {
    std::ofstream(file("a")) << "old";
    ASSERT_EQ(chmod(file("a").c_str(), mode), 0);
    AtomicFile out(file("a"));
    out.write("new");
    out.commit();
    struct stat status {};
    ASSERT_EQ(stat(file("a").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, mode);
  }
}

TEST_F(UnfinishedFilesTest, ADescriptorReceivesTheWholeAtCommit) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  AtomicFile out("/dev/fd/" + std::to_string(ends[1]));
  out.write_at(3, "def", 3);
  out.write_at(0, "abc", 3);
  out.commit();
  EXPECT_FALSE(fs::exists(out.temporary()));
  close(ends[1]);
  std::string got(16, '\0');
  EXPECT_EQ(read(ends[0], got.data(), got.size()), 6);
  EXPECT_EQ(got.substr(0, 6), "abcdef");
  close(ends[0]);
  EXPECT_THROW(AtomicFile("/dev/fd/" + std::to_string(ends[1])), Error);
}

TEST_F(UnfinishedFilesTest, MoreThanTheDiskHasIsRefused) {
  const auto left = free_disk(file("none/yet/a"));
  ASSERT_TRUE(left.has_value());
  EXPECT_GT(*left, 0u);
  EXPECT_NO_THROW(check_disk(file("a"), 1));
  test::expect_refusal([&] { check_disk(file("a"), std::uint64_t{1} << 62); },
                       file("a"),
                       ErrorCode::out_of_resources);
}

}  // namespace
}  // namespace yupana
