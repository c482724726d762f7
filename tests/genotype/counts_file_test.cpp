#include "yupana/genotype/counts_file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"
#include "yupana/genotype/checksum.hpp"

namespace yupana::genotype {
namespace {

namespace fs = std::filesystem;

const std::string run = "input: cohort.vcf.gz\nsize: 12345\nmaf: 0.01\n";

class CountsFileTest : public test::FolderTest {
 protected:
  Context context_{{.device = "cpu", .threads = 2}};
};

void fill(CountTriangle& triangle, Range rows, bool wide, std::uint32_t seed) {
  triangle = CountTriangle(rows);
  if (wide) triangle.widen();
  for (std::int64_t c = 0; c < triangle.low_words().size(); ++c) {
    const auto value = static_cast<std::uint32_t>(c * 2654435761 + seed);
    triangle.low()[c] = value;
    if (wide) triangle.high()[c] = value % 7;
  }
}

PairCounts example(std::int64_t samples, Range rows, bool wide, std::uint32_t seed = 1) {
  PairCounts counts;
  counts.samples = samples;
  counts.sites = 1000 + seed;
  counts.rows = rows;
  fill(counts.ibs1, rows, wide, seed);
  fill(counts.ibs0, rows, false, seed + 1);
  if (wide) fill(counts.shared, rows, true, seed + 2);
  if (wide) fill(counts.hethet, rows, false, seed + 3);
  if (wide) fill(counts.het, rows, true, seed + 4);
  for (std::int64_t i = 0; i < samples; ++i) {
    counts.called.push_back(static_cast<std::uint64_t>(i) << 33 | seed);
    counts.heterozygous.push_back(static_cast<std::uint64_t>(i) + seed);
    counts.homozygous.push_back(static_cast<std::uint64_t>(3 * i));
  }
  return counts;
}

void expect_same(const CountTriangle& a, const CountTriangle& b) {
  ASSERT_EQ(a.empty(), b.empty());
  ASSERT_EQ(a.high_words().empty(), b.high_words().empty());
  for (std::int64_t i = a.rows().begin; i < a.rows().end; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) ASSERT_EQ(a.at(i, j), b.at(i, j)) << i << ' ' << j;
  }
}

void expect_same(const PairCounts& a, const PairCounts& b) {
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_EQ(a.sites, b.sites);
  EXPECT_EQ(a.rows.begin, b.rows.begin);
  EXPECT_EQ(a.rows.end, b.rows.end);
  expect_same(a.ibs1, b.ibs1);
  expect_same(a.ibs0, b.ibs0);
  expect_same(a.shared, b.shared);
  expect_same(a.hethet, b.hethet);
  expect_same(a.het, b.het);
  EXPECT_EQ(a.called, b.called);
  EXPECT_EQ(a.heterozygous, b.heterozygous);
  EXPECT_EQ(a.homozygous, b.homozygous);
}

std::string refusal(Context& context, const std::string& path, const std::string& of = run) {
  try {
    const auto counts = load_counts(context, path, of);
    return counts ? "loaded" : "missing";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    return error.what();
  }
}

TEST_F(CountsFileTest, ComesBackAsItWas) {
  for (const std::int64_t samples : {0, 1, 2, 5, 64, 101}) {
    for (const bool wide : {false, true}) {
      const PairCounts counts = example(samples, {0, samples}, wide);
      save_counts(context_, file("c"), run, counts);
      const auto loaded = load_counts(context_, file("c"), run);
      ASSERT_TRUE(loaded);
      expect_same(*loaded, counts);
    }
  }
}

TEST_F(CountsFileTest, KeepsABandOfRows) {
  const PairCounts counts = example(50, {17, 33}, true);
  save_counts(context_, file("c"), run, counts);
  expect_same(*load_counts(context_, file("c"), run), counts);
}

TEST_F(CountsFileTest, SpansSeveralPieces) {
  const PairCounts counts = example(2100, {0, 2100}, false);
  save_counts(context_, file("c"), run, counts);
  ASSERT_GT(fs::file_size(file("c")), 16u << 20);
  expect_same(*load_counts(context_, file("c"), run), counts);
}

TEST_F(CountsFileTest, BytesDoNotDependOnThreads) {
  const PairCounts counts = example(1500, {0, 1500}, true);
  std::string first;
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    save_counts(context, file("c"), run, counts);
    if (first.empty()) first = test::bytes_of(file("c"));
    EXPECT_TRUE(test::bytes_of(file("c")) == first) << threads << " threads";
  }
}

TEST_F(CountsFileTest, NoFileIsNoCheckpoint) {
  EXPECT_EQ(refusal(context_, file("none")), "missing");
}

TEST_F(CountsFileTest, AnotherRunIsRefusedNamingWhatDiffers) {
  save_counts(context_, file("c"), run, example(5, {0, 5}, false));
  const std::string other = refusal(context_, file("c"), "input: cohort.vcf.gz\nsize: 9\n");
  EXPECT_NE(other.find("'size: 12345' where this run has 'size: 9'"), std::string::npos) << other;
  const std::string fewer = refusal(context_, file("c"), "input: cohort.vcf.gz\nsize: 12345\n");
  EXPECT_NE(fewer.find("'maf: 0.01' where this run has '(nothing)'"), std::string::npos) << fewer;
}

TEST_F(CountsFileTest, TruncationAtEveryByteIsRefused) {
  save_counts(context_, file("c"), run, example(5, {0, 5}, true));
  const std::string whole = test::bytes_of(file("c"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    folder_.put("t", whole.substr(0, size));
    EXPECT_NE(refusal(context_, file("t")), "loaded") << size;
  }
  folder_.put("t", whole + "x");
  EXPECT_NE(refusal(context_, file("t")), "loaded");
}

TEST_F(CountsFileTest, EveryChangedByteIsRefused) {
  save_counts(context_, file("c"), run, example(5, {0, 5}, true));
  const std::string whole = test::bytes_of(file("c"));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string bad = whole;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      folder_.put("t", bad);
      EXPECT_NE(refusal(context_, file("t")), "loaded") << at;
    }
  }
}

TEST_F(CountsFileTest, ScrambledFilesAreRefused) {
  save_counts(context_, file("c"), run, example(7, {0, 7}, true));
  const std::string whole = test::bytes_of(file("c"));
  std::uint64_t state = 12345;
  const auto random = [&] {
    return (state = state * 6364136223846793005 + 1442695040888963407) >> 33;
  };
  for (int round = 0; round < 2000; ++round) {
    std::string bad = whole;
    for (std::uint64_t k = 0; k < 1 + random() % 20; ++k) {
      bad[random() % bad.size()] = static_cast<char>(random());
    }
    if (bad == whole) continue;
    folder_.put("t", bad);
    EXPECT_NE(refusal(context_, file("t")), "loaded") << round;
  }
}

TEST_F(CountsFileTest, SwappedPiecesChangeTheChecksum) {
  const std::string a = "12345678abcdefgh";
  const std::string b = "abcdefgh12345678";
  EXPECT_NE(checksum(a.data(), a.size()), checksum(b.data(), b.size()));
  const std::string zeros(16, '\0');
  EXPECT_NE(checksum(zeros.data(), 8), checksum(zeros.data(), 16));
}

TEST_F(CountsFileTest, FullDiskIsAResourceErrorAndKeepsThePreviousCheckpoint) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  const PairCounts first = example(5, {0, 5}, false, 1);
  save_counts(context_, file("c"), run, first);
  fs::create_symlink("/dev/full", file("c.part-" + std::to_string(getpid())));
  test::refusal(
      [&] {
        save_counts(context_, file("c"), run, example(5, {0, 5}, false, 2));
      },
      ErrorCode::out_of_resources);
  expect_same(*load_counts(context_, file("c"), run), first);
}

TEST_F(CountsFileTest, CancellingKeepsThePreviousCheckpoint) {
  const PairCounts first = example(5, {0, 5}, false, 1);
  save_counts(context_, file("c"), run, first);
  Context cancelled({.device = "cpu", .threads = 1});
  cancelled.cancel();
  EXPECT_THROW(save_counts(cancelled, file("c"), run, example(5, {0, 5}, false, 2)), Error);
  expect_same(*load_counts(context_, file("c"), run), first);
}

/// Saves one checkpoint after the other until it is killed.
[[noreturn]] void save_for_ever(const std::string& path) {
  Context context({.device = "cpu", .threads = 1});
  for (std::uint32_t seed = 2;; ++seed) {
    save_counts(context, path, run, example(300, {0, 300}, false, seed));
  }
}

TEST_F(CountsFileTest, KillingTheWriterAtAnyMomentLeavesAWholeCheckpoint) {
  save_counts(context_, file("c"), run, example(300, {0, 300}, false, 1));
  for (int round = 0; round < 12; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) save_for_ever(file("c"));
    usleep(static_cast<useconds_t>(3000 + 7919 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const auto loaded = load_counts(context_, file("c"), run);
    ASSERT_TRUE(loaded);
    const auto seed = static_cast<std::uint32_t>(loaded->sites - 1000);
    expect_same(*loaded, example(300, {0, 300}, false, seed));
    EXPECT_EQ(folder_.files(), 1) << "killed writer's file";
  }
}

TEST_F(CountsFileTest, LargerThanMemoryIsAResourceError) {
  save_counts(context_, file("c"), run, example(600, {0, 600}, false));
  Context small({.device = "cpu", .threads = 1, .memory = 1 << 20});
  test::refusal([&] { load_counts(small, file("c"), run); }, ErrorCode::out_of_resources);
}

}  // namespace
}  // namespace yupana::genotype
