#include "yupana/io/seed_index_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "yupana/core/error.hpp"
#include "yupana/core/random.hpp"
#include "yupana/core/unfinished_files.hpp"

namespace yupana::io {
namespace {

std::string letters(std::uint64_t seed, std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) text += "ACGT"[Random(seed).word(i) % 4];
  return text;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class SeedIndexFile : public ::testing::Test {
 protected:
  void write(const splice::SeedIndex& index) {
    AtomicFile file(path);
    write_seed_index(context, file, index, sequences);
    file.commit();
  }
  std::string refused() {
    try {
      map_seed_index(context, path, sequences);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      return error.what();
    }
    return {};
  }

  Context context{{.device = "cpu", .threads = 1}};
  TemporaryFolder folder{"seed_index"};
  std::string path = folder.path() + "/g.idx";
  std::string first = letters(1, 3000), second = letters(2, 700);
  std::vector<std::string_view> sequences{first, second};
};

TEST_F(SeedIndexFile, ThatIsCutWhileItIsReadEndsTheProcessInOneLine) {
  write(splice::SeedIndex(sequences));
  const splice::SeedIndex mapped = map_seed_index(context, path, sequences);
  std::filesystem::resize_file(path, 0);
  EXPECT_EXIT(static_cast<void>(mapped.loci(first)),
              testing::ExitedWithCode(3),
              "^yupana: .*g.idx: was cut while it was read\n$");
}

TEST_F(SeedIndexFile, HasTheLociOfTheIndexThatWasWritten) {
  const splice::SeedIndex index(sequences);
  write(index);
  const splice::SeedIndex mapped = map_seed_index(context, path, sequences);
  for (const std::string& target : {first.substr(500, 300), second.substr(100, 200), first}) {
    const auto a = index.loci(target), b = mapped.loci(target);
    ASSERT_EQ(a.size(), b.size());
    ASSERT_FALSE(a.empty());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].sequence, b[i].sequence);
      EXPECT_EQ(a[i].first, b[i].first);
      EXPECT_EQ(a[i].last, b[i].last);
      EXPECT_EQ(a[i].words, b[i].words);
    }
  }
}

TEST_F(SeedIndexFile, IsForCdnasOrForProteinsOfOneGeneticCode) {
  const splice::GeneticCode code(4);
  const splice::SeedIndex index(sequences, &code);
  write(index);
  const splice::SeedIndex mapped = map_seed_index(context, path, sequences, 4);
  ASSERT_GT(index.data().size(), first.size());
  EXPECT_TRUE(std::equal(
      index.data().begin(), index.data().end(), mapped.data().begin(), mapped.data().end()));
  EXPECT_NE(refused().find("expected an index for cDNAs, got an index for proteins of genetic code "
                           "4; give that, or save it by --save index"),
            std::string::npos)
      << refused();
  EXPECT_THROW(map_seed_index(context, path, sequences, 1), Error);
  write(splice::SeedIndex(sequences));
  EXPECT_THROW(map_seed_index(context, path, sequences, 1), Error);
}

TEST_F(SeedIndexFile, IsThatOfTheSameGenomeInLowerCase) {
  write(splice::SeedIndex(sequences));
  for (char& base : second) base = static_cast<char>(std::tolower(base));
  EXPECT_EQ(refused(), "");
}

TEST_F(SeedIndexFile, IsNotThatOfAnotherGenome) {
  write(splice::SeedIndex(sequences));
  const std::vector<std::string_view> swapped{second, first};
  EXPECT_THROW(map_seed_index(context, path, swapped), Error);
  const std::vector<std::string_view> moved{std::string_view(first).substr(1), second};
  EXPECT_THROW(map_seed_index(context, path, moved), Error);
  first[1700] = first[1700] == 'A' ? 'C' : 'A';
  EXPECT_NE(refused().find("expected the index of this genome"), std::string::npos) << refused();
}

TEST_F(SeedIndexFile, IsRefusedWithAnyBitChangedOrCutAnywhere) {
  first = letters(3, 40), second = letters(4, 30);
  sequences = {first, second};
  write(splice::SeedIndex(sequences));
  const std::string whole = bytes_of(path);
  ASSERT_LT(whole.size(), 4000u);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 1 << i % 8);
    put(path, bytes);
    EXPECT_NE(refused(), "") << i;
    put(path, whole.substr(0, i));
    EXPECT_NE(refused(), "") << i;
  }
  put(path, whole + std::string(16, '\0'));
  EXPECT_NE(refused().find("too long"), std::string::npos) << refused();
}

TEST_F(SeedIndexFile, MayNameNoBaseOutsideTheSequences) {
  const splice::SeedIndex index(sequences);
  const std::uint64_t ends[] = {3000 - 5, 3700 - 5, 3700, 4095};
  const std::vector<std::uint64_t> own(index.data().begin(), index.data().end());
  const auto looked_up = [&](const std::vector<std::uint64_t>& data) {
    write(splice::SeedIndex(sequences, 0, data, nullptr));
    map_seed_index(context, path, sequences).loci(first.substr(500, 300));
  };
  EXPECT_NO_THROW(looked_up(own));
  // The last of the bucket starts is how many words there are.
  std::size_t words = 0;
  while (words + own[words] + 1 != own.size()) ++words;
  ++words;
  constexpr std::uint64_t place_bits = 8191;  // of 3,700 bases, times 2
  for (const std::uint64_t place : ends) {
    std::vector<std::uint64_t> data = own;
    for (std::size_t w = words; w < data.size(); ++w) {
      data[w] = (data[w] & ~place_bits) | (2 * place & place_bits);
    }
    EXPECT_THROW(looked_up(data), Error) << place;
  }
  for (const std::uint64_t start : {own.size(), ~std::size_t{0}}) {
    std::vector<std::uint64_t> data = own;
    std::fill_n(data.begin(), words, start);
    EXPECT_THROW(looked_up(data), Error) << "words begin at " << start;
  }
  EXPECT_THROW(looked_up({own.begin(), own.begin() + 5}), Error) << "no words";
}

}  // namespace
}  // namespace yupana::io
