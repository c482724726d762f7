#include "yupana/core/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "tests/support/text_files.hpp"
#include "tests/support/thread_ranks.hpp"
#include "yupana/core/error.hpp"

namespace yupana {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public test::FolderTest {};

TEST_F(AtomicFileTest, AppearsWholeOnCommit) {
  AtomicFile out(file("a"));
  out.write("hello ");
  EXPECT_FALSE(fs::exists(file("a")));
  out.write("world");
  out.commit();
  EXPECT_EQ(test::bytes_of(file("a")), "hello world");
}

TEST_F(AtomicFileTest, LeavesNothingWithoutCommit) {
  std::ofstream(file("a")) << "old";
  { AtomicFile(file("a")).write("new"); }
  EXPECT_EQ(test::bytes_of(file("a")), "old");
  EXPECT_EQ(folder_.files(), 1);
}

TEST_F(AtomicFileTest, ErrorNamesThePath) {
  test::expect_refusal([&] { AtomicFile out(file("no/such/folder")); }, "no/such/folder");
}

TEST_F(AtomicFileTest, NeitherFoldersNorDevicesNorPipesAreReplaced) {
  fs::create_directory(file("folder"));
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  const auto refused = [](const std::string& path, const auto& make) {
    test::expect_refusal(make, path + ": expected the name of a file, got a ", ErrorCode::usage);
  };
  for (const std::string& path : {file("folder"), file("pipe"), std::string("/dev/null")}) {
    if (path != "/dev/null") refused(path, [&] { AtomicFile out(path); });
    refused(path, [&] { ThreadRanks(3).run([&](Comm& comm) { AtomicFile out(path, comm); }); });
    EXPECT_TRUE(fs::exists(path) && !fs::is_regular_file(path)) << path;
  }
  EXPECT_EQ(folder_.files(), 2);
}

TEST_F(AtomicFileTest, WhatGoesToTheNullDeviceIsLost) {
  {
    OutputFiles files;
    for (const char* const path : {"/dev/null.a", "/dev/null.b", "/dev/null"}) {
      AtomicFile& out = files.add(path);
      out.write("text");
      out.write_at(9, "more", 4);
      EXPECT_FALSE(out.renames());
    }
    files.commit();
    AtomicFile given_up("/dev/null.a");
  }
  EXPECT_TRUE(fs::is_character_file("/dev/null") && !fs::exists("/dev/null.a"));
}

TEST_F(AtomicFileTest, ALinkStaysAndItsTargetIsTheFile) {
  fs::create_directory(file("elsewhere"));
  fs::create_symlink("elsewhere/target", file("link"));
  fs::create_symlink(file("link"), file("link to a link"));
  fs::create_symlink("no/such/folder", file("lost"));
  const auto write = [](AtomicFile& out, const std::string& text) {
    out.write_at(0, text.data(), text.size());
    out.commit();
  };
  for (const std::string text : {"new", "over"}) {
    AtomicFile out(file("link to a link"));
    write(out, text);
    EXPECT_EQ(test::bytes_of(file("elsewhere/target")), text);
  }
  ThreadRanks(3).run([&](Comm& comm) {
    AtomicFile out(file("link"), comm);
    write(out, "ranks");
  });
  EXPECT_EQ(test::bytes_of(file("elsewhere/target")), "ranks");
  EXPECT_TRUE(fs::is_symlink(file("link")) && fs::is_symlink(file("link to a link")));
  EXPECT_THROW(AtomicFile(file("lost")), Error);
  EXPECT_EQ(std::distance(fs::directory_iterator(file("elsewhere")), {}), 1);
}

TEST_F(AtomicFileTest, FullDiskIsAResourceError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  fs::create_symlink("/dev/full", file("full.part-" + std::to_string(getpid())));
  OutputFiles files;
  files.add(file("good")).write("x");
  files.add(file("full")).write(std::string(1 << 21, 'x').substr(0, 100));
  test::refusal([&] { files.commit(); }, ErrorCode::out_of_resources);
  EXPECT_FALSE(fs::exists(file("good")));
}

// The sanitizer of undefined behaviour reported it.
TEST_F(AtomicFileTest, TheNullPointerOfAnEmptyVectorWentToFwrite) {
  AtomicFile out(file("a"));
  out.write(nullptr, 0);
  out.commit();
  EXPECT_EQ(fs::file_size(file("a")), 0U);
}

TEST_F(AtomicFileTest, WritesAtOffsets) {
  AtomicFile out(file("a"));
  out.write_at(3, "def", 3);
  out.write_at(0, "abc", 3);
  out.commit();
  EXPECT_EQ(test::bytes_of(file("a")), "abcdef");
}

TEST_F(AtomicFileTest, RanksWriteOneFileThatAppearsWhole) {
  std::ofstream(file("a.part-" + std::to_string(getpid()))) << "a longer rest of a killed run";
  ThreadRanks(3).run([&](Comm& comm) {
    AtomicFile out(file("a"), comm);
    const std::string text(4, static_cast<char>('0' + comm.rank()));
    out.write_at(4 * comm.rank(), text.data(), text.size());
    EXPECT_FALSE(fs::exists(file("a")));
    out.close();
    out.commit();
  });
  EXPECT_EQ(test::bytes_of(file("a")), "000011112222");
  EXPECT_EQ(folder_.files(), 1);
}

TEST_F(AtomicFileTest, RanksLeaveNothingWithoutCommit) {
  ThreadRanks(2).run([&](Comm& comm) {
    AtomicFile out(file("a"), comm);
    out.write_at(0, "x", 1);
    comm.barrier();
  });
  EXPECT_EQ(folder_.files(), 0);
}

TEST_F(AtomicFileTest, EveryRankHearsThatTheFileCannotBeMade) {
  std::atomic<int> heard{0};
  ThreadRanks(3).run([&](Comm& comm) {
    try {
      AtomicFile out(file("no/such/folder"), comm);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_NE(std::string(error.what()).find("no/such/folder: cannot create"), std::string::npos);
      ++heard;
    }
  });
  EXPECT_EQ(heard, 3);
}

}  // namespace
}  // namespace yupana
