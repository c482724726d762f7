#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/text_files.hpp"
#include "tests/support/thread_ranks.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/error.hpp"

namespace yupana {
namespace {

namespace fs = std::filesystem;

class OutputFilesTest : public test::FolderTest {};

TEST_F(OutputFilesTest, TwoFilesOfOneNameAreRefusedBeforeAnythingIsWritten) {
  fs::create_symlink("a", file("link"));
  for (const std::string& again :
       {file("a"),
        file("./a"),
        file("../" + fs::path(file("")).parent_path().filename().string() + "/a"),
        file("link")}) {
    OutputFiles files;
    files.add(file("a"));
    files.add(file("b"));
    test::expect_refusal([&] { files.add(again); }, again + ": expected", ErrorCode::usage);
  }
  EXPECT_EQ(folder_.files(), 1);  // the link
  ThreadRanks(2).run([&](Comm& comm) {
    OutputFiles files;
    files.add(file("a"), &comm);
    EXPECT_THROW(files.add(file("a"), &comm), Error);
    comm.barrier();
  });
}

TEST_F(OutputFilesTest, ACommitThatFailsHalfWayLeavesNoFileOfTheSet) {
  for (const bool older : {false, true}) {
    if (older) std::ofstream(file("a")) << "old a";
    OutputFiles files;
    files.add(file("a")).write("new a");
    files.add(file("b")).write("new b");
    files.add(file("c")).write("new c");
    fs::create_directory(file("c"));  // no file can be renamed over a folder
    EXPECT_THROW(files.commit(), Error);
    EXPECT_FALSE(fs::exists(file("b")));
    EXPECT_EQ(fs::exists(file("a")), older);
    if (older) {
      EXPECT_EQ(test::bytes_of(file("a")), "old a");
    }
    fs::remove(file("c"));
  }
}

TEST_F(OutputFilesTest, ACommitReplacesAnOlderSetAndLeavesNoSecondNames) {
  for (const std::string text : {"first", "second"}) {
    OutputFiles files;
    for (const char* name : {"a", "b"}) files.add(file(name)).write(text);
    files.commit();
    EXPECT_EQ(test::bytes_of(file("a")), text);
    EXPECT_EQ(test::bytes_of(file("b")), text);
  }
  EXPECT_EQ(folder_.files(), 2);
}

TEST_F(OutputFilesTest, SecondNamesOfARunKilledWithinItsCommitStayedForEver) {
  for (const char* name : {"a", "b.old-999999999", "a.old-999999999", "a.old-fashioned"}) {
    std::ofstream(file(name)) << "old";
  }
  OutputFiles files;
  for (const char* name : {"a", "b"}) files.add(file(name)).write("new");
  files.commit();
  EXPECT_FALSE(fs::exists(file("a.old-999999999")));
  EXPECT_TRUE(fs::exists(file("a.old-fashioned")));
  // The file system may know no links: then it was the only name.
  EXPECT_EQ(test::bytes_of(file("b.old-999999999")), "old");
  EXPECT_EQ(folder_.files(), 4);
}

}  // namespace
}  // namespace yupana
