#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/text_files.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/unfinished_files.hpp"

namespace yupana {
namespace {

std::string new_folder(const char* name) {
  const auto path = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directory(path);
  return path.string();
}

/// Whether the block at `memory` belongs to a file of this process, by the kernel's list.
bool lies_in(const void* memory, const std::string& folder) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto begin = std::stoull(line, nullptr, 16);
    const auto end = std::stoull(line.substr(line.find('-') + 1), nullptr, 16);
    const auto at = reinterpret_cast<unsigned long long>(memory);
    if (at >= begin && at < end) return line.find(folder) != line.npos;
  }
  return false;
}

TEST(ScratchScope, LargeBlocksLieInItsFolderAndKeepTheirValues) {
  const std::string folder = new_folder("scratch_scope");
  constexpr std::int64_t size = 3'000'017;
  Array<float> inside, small;
  {
    const ScratchScope scope(folder);
    inside = Array<float>(size);
    small = Array<float>(17);
  }
  const Array<float> outside(size);
  EXPECT_TRUE(lies_in(inside.data(), folder));
  EXPECT_FALSE(lies_in(small.data(), folder));
  EXPECT_FALSE(lies_in(outside.data(), folder));
  for (std::int64_t i = 0; i < size; ++i) inside[i] = static_cast<float>(i % 1000);
  for (std::int64_t i = 0; i < size; ++i) ASSERT_EQ(inside[i], static_cast<float>(i % 1000));
}

TEST(ScratchScope, NothingIsLeftInItsFolder) {
  const std::string folder = new_folder("scratch_scope_left");
  {
    const ScratchScope scope(folder);
    const Array<double> block(1'000'000);
    EXPECT_TRUE(std::filesystem::is_empty(folder));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(ScratchScope, AnEmptyFolderChangesNothingAndScopesNest) {
  const std::string folder = new_folder("scratch_scope_nested");
  const ScratchScope outer(folder);
  {
    const ScratchScope inner("");
    const Array<double> block(1'000'000);
    EXPECT_TRUE(lies_in(block.data(), folder));
  }
  const Array<double> block(1'000'000);
  EXPECT_TRUE(lies_in(block.data(), folder));
}

TEST(ScratchScope, AFolderThatIsNotThereIsAnErrorThatNamesIt) {
  const ScratchScope scope("/no/such/folder");
  test::expect_refusal([&] { const Array<double> block(1'000'000); }, "/no/such/folder");
}

}  // namespace
}  // namespace yupana
