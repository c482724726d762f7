#include "yupana/genotype/dosages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/support/site_blocks.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/random.hpp"
#include "yupana/genotype/pair_counts.hpp"
#include "yupana/genotype/transpose.hpp"

namespace yupana::genotype {
namespace {

/// An array of its own: sites side by side, or samples side by side.
struct Made {
  std::vector<std::int8_t> values;
  Dosages view;
};

Made made(std::int64_t samples, std::int64_t sites, bool missing, bool site_major) {
  Made result;
  result.values.resize(static_cast<std::size_t>(samples * sites));
  result.view = {result.values.data(),
                 samples,
                 sites,
                 site_major ? 1 : sites,
                 site_major ? samples : std::int64_t{1}};
  const Random random(7);
  for (std::int64_t i = 0; i < samples; ++i) {
    for (std::int64_t k = 0; k < sites; ++k) {
      const std::uint64_t word = random.word(static_cast<std::uint64_t>(i * sites + k));
      const int x = static_cast<int>(word % (missing ? 5 : 3));
      result.values[static_cast<std::size_t>(i * result.view.sample_step +
                                             k * result.view.site_step)] =
          static_cast<std::int8_t>(x < 3 ? x : 2 - x * x);  // missing: -7, -14
    }
  }
  return result;
}

bool same(const PlaneBlock& a, const PlaneBlock& b) {
  return a.samples == b.samples && a.sites == b.sites && a.planes == b.planes &&
         std::equal(a.bytes.data(), a.bytes.data() + a.samples * a.stride, b.bytes.data());
}

class DosagesTest : public testing::TestWithParam<int> {
 protected:
  Context reference_{{.device = "reference"}};
  Context cpu_{{.device = "cpu", .threads = GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(Threads, DosagesTest, testing::Values(1, 2, 7));

TEST(Dosages, EveryValueHasItsBits) {
  const std::vector<std::int8_t> values{0, 1, 2, -1};
  for (const char* device : {"reference", "cpu"}) {
    Context context({.device = device});
    PlaneBlock planes;
    planes_of(context, {values.data(), 1, 4, 4, 1}, {0, 4}, planes);
    ASSERT_EQ(planes.planes, 3);
    const bool wanted[3][4] = {
        {false, true, true, false}, {false, true, false, false}, {true, true, true, false}};
    for (int plane = 0; plane < 3; ++plane) {
      for (int site = 0; site < chunk_sites; ++site) {
        EXPECT_EQ(plane_bit(planes, 0, site, plane), site < 4 && wanted[plane][site])
            << device << ' ' << plane << ' ' << site;
      }
    }
  }
}

TEST_P(DosagesTest, EqualsReferenceAtEdgesOfChunksInEitherOrder) {
  for (const std::int64_t samples : {0, 1, 31, 32, 33, 131}) {
    for (const std::int64_t sites : {0, 1, 511, 512, 513, 1031}) {
      for (const bool missing : {false, true}) {
        for (const bool site_major : {false, true}) {
          const Made array = made(samples, sites, missing, site_major);
          for (const std::int64_t begin : {std::int64_t{0}, std::min<std::int64_t>(3, sites)}) {
            PlaneBlock wanted, got;
            planes_of(reference_, array.view, {begin, sites}, wanted);
            planes_of(cpu_, array.view, {begin, sites}, got);
            ASSERT_TRUE(same(wanted, got)) << samples << ' ' << sites << ' ' << missing;
          }
        }
      }
    }
  }
}

TEST_P(DosagesTest, SourceAndPlanesSayTheSame) {
  const Made array = made(67, 1031, true, false);
  DosageSource source(array.view, {});
  SiteBlock block(67, 1031);
  ASSERT_TRUE(source.read(block));
  PlaneBlock wanted, got;
  transpose(cpu_, block, identity(67), identity(1031), 3, wanted);
  planes_of(cpu_, array.view, {0, 1031}, got);
  EXPECT_TRUE(same(wanted, got));
  EXPECT_FALSE(source.read(block));
  source.rewind();
  EXPECT_TRUE(source.read(block));
  EXPECT_EQ(source.account().read, 1031);
}

TEST_P(DosagesTest, CountsAreThoseOfTheStream) {
  for (const bool missing : {false, true}) {
    const Made array = made(29, 1031, missing, true);
    Cohort cohort(cpu_, std::make_unique<DosageSource>(array.view, std::vector<std::string>{}));
    const PairCounts wanted = pair_counts(cpu_, cohort);
    const PairCounts got = pair_counts(cpu_, array.view);
    for (std::int64_t i = 0; i < 29; ++i) {
      for (std::int64_t j = 0; j < i; ++j) {
        ASSERT_EQ(got.ibs1.at(i, j), wanted.ibs1.at(i, j));
        ASSERT_EQ(got.ibs0.at(i, j), wanted.ibs0.at(i, j));
        ASSERT_EQ(got.shared_at(i, j), wanted.shared_at(i, j));
      }
    }
    EXPECT_EQ(got.called, wanted.called);
  }
  EXPECT_THROW(pair_counts(cpu_, Dosages{}), Error);
}

TEST_P(DosagesTest, FirstValueThatIsNoGenotypeIsNamed) {
  Made array = made(40, 600, false, false);
  array.values[7 * 600 + 555] = 3;
  array.values[9 * 600 + 2] = 77;
  PlaneBlock planes;
  for (Context* context : {&reference_, &cpu_}) {
    test::expect_refusal(
        [&] {
          planes_of(*context, array.view, {0, 600}, planes);
        },
        "row 8, column 556 is 3");
  }
}

TEST(Dosages, NamesAreCheckedAgainstRows) {
  const Made array = made(3, 4, false, false);
  EXPECT_THROW(DosageSource(array.view, {"a", "b"}), Error);
  EXPECT_THROW(DosageSource(array.view, {"a", "b", "a"}), Error);
  EXPECT_EQ(DosageSource(array.view, {}).samples()[2], "3");
}

}  // namespace
}  // namespace yupana::genotype
