#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/support/site_blocks.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/random.hpp"
#include "yupana/io/genotype_sources.hpp"
#include "yupana/io/genotype_writer.hpp"

namespace yupana::io {
namespace {

using genotype::SiteBlock;
using genotype::Source;
using test::refusal;

using Rows = std::vector<std::vector<int>>;

/// Five samples and a variant of every form, made by hand.
class PgenTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pvar = "#CHROM\tPOS\tID\tREF\tALT\n";
    for (int k = 1; k <= 8; ++k) pvar += fmt::format("1\t{}\t.\tA\t{}\n", k, k == 8 ? "C,G" : "C");
    folder_.put("x.pvar", pvar);
    folder_.put("x.psam", "#IID\na\nb\nc\nd\ne\n");
    folder_.put("x.pgen", bytes_);
  }
  std::unique_ptr<Source> open(Multiallelic multiallelic = Multiallelic::split) {
    SiteRules rules;
    rules.records.multiallelic = multiallelic;
    return open_pgen(context_, pgen_files(folder_ / "x"), rules);
  }

  Context context_{{.device = "cpu", .threads = 2}};
  test::Folder folder_;
  /// 12 bytes, the offset of the records, types of 4 bits, lengths of a byte, records.
  const std::string bytes_ = std::string("\x6c\x1b\x10\x08\0\0\0\x05\0\0\0\x40", 12) +
                             std::string("\x20\0\0\0\0\0\0\0", 8) + "\x10\x32\x54\x86" +
                             std::string("\x02\x05\x04\x03\x03\0\x04\x06", 8) +
                             "\xe4\x01" +                              // plain
                             std::string("\x01\x0a\x01\x04\x02", 5) +  // a bit each, and a list
                             std::string("\x02\0\x07\x02", 4) +        // differences from it
                             "\x01\x01\x02" +                          // the same, inverted
                             "\x01\x03\x03" +                          // mostly REF
                             // only REF: nothing
                             "\x02\x01\x04\x03" +                     // mostly ALT
                             std::string("\xa5\0\0\x02\x03\x02", 6);  // plain, of two ALT alleles
  const Rows biallelic_ = {{0, 1, 2, -1, 1},
                           {0, 1, 0, 1, 2},
                           {-1, 1, 1, 1, 2},
                           {2, 0, 2, 1, 0},
                           {0, 0, 0, -1, 0},
                           {0, 0, 0, 0, 0},
                           {2, 0, 2, 2, 1}};
};

TEST_F(PgenTest, EveryFormIsReadAsItWasWrittenByHand) {
  Rows wanted = biallelic_;
  wanted.insert(wanted.end(), {{1, 0, 1, 0, 0}, {0, 1, 1, 2, 0}});
  for (const int block_sites : {1, 2, 8, 100}) {
    const auto source = open();
    EXPECT_EQ(source->sites(), 9);
    EXPECT_EQ(source->samples(), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
    EXPECT_EQ(read_all(*source, block_sites), wanted) << block_sites;
    source->rewind();
    EXPECT_EQ(read_all(*source, 4), wanted);
  }
}

TEST_F(PgenTest, SeveralAltAllelesAreSkippedOrCollapsed) {
  EXPECT_EQ(read_all(*open(Multiallelic::skip), 3), biallelic_);
  Rows wanted = biallelic_;
  wanted.push_back({1, 1, 2, 2, 0});
  EXPECT_EQ(read_all(*open(Multiallelic::collapse), 3), wanted);
}

TEST_F(PgenTest, SitesAreSkippedAsTheyAreRead) {
  const Rows all = read_all(*open(), 100);
  for (std::int64_t before = 0; before <= 9; ++before) {
    const auto source = open();
    SiteBlock passed(5, std::max<std::int64_t>(before, 1));
    if (before > 0) {
      ASSERT_TRUE(source->skip(passed));
      ASSERT_EQ(passed.sites, before);
    }
    EXPECT_EQ(read_all(*source, 2), Rows(all.begin() + before, all.end())) << before;
  }
}

TEST_F(PgenTest, AKeptSiteIsReadWithoutTheOneItDependsOn) {
  const auto text = [](int kept) {
    std::string pvar = "#CHROM POS REF ALT\n";
    for (int k = 0; k < 8; ++k) pvar += fmt::format("{} {} A C\n", k == kept ? 1 : 23, k);
    return pvar;
  };
  for (int kept = 0; kept < 7; ++kept) {
    folder_.put("x.pvar", text(kept));
    EXPECT_EQ(read_all(*open(), 9), Rows{biallelic_[static_cast<std::size_t>(kept)]}) << kept;
  }
  folder_.put("x.pvar", text(7));
  test::expect_refusal([&] { read_all(*open(), 9); },
                       "variant 8 (byte 53) has calls of several ALT");
}

TEST_F(PgenTest, AFileCutAnywhereIsRefused) {
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    folder_.put("x.pgen", bytes_.substr(0, size));
    refusal([&] { open(); });
  }
}

TEST_F(PgenTest, RandomDamageIsRefusedOrReadButNeverCrashes) {
  const Random random(1);
  int read = 0;
  for (std::uint64_t i = 0; i < 600; ++i) {
    std::string bytes = bytes_;
    bytes[random.word(2 * i) % bytes.size()] = static_cast<char>(random.word(2 * i + 1));
    folder_.put("x.pgen", bytes);
    try {
      read += read_all(*open(), 4).size() == 9;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::bad_input) << error.what();
    }
  }
  EXPECT_GT(read, 100);
}

TEST_F(PgenTest, WhatIsWrittenReadsBackAsTheSameSites) {
  for (const std::int64_t samples : {1, 2, 31, 32, 33, 255, 257, 1000}) {
    SiteBlock wanted = genotype::random_block(samples, 300, 7, 0.01);
    // From one genotype alone to all alike: every form of record.
    const Random random(8);
    for (std::int64_t site = 0; site < 300; ++site) {
      const int common = static_cast<int>(random.word(2 * site) % 4);
      const std::uint64_t share = random.word(2 * site + 1) % 5 == 0 ? 0 : site % 40 + 1;
      for (std::int64_t i = 0; i < samples; ++i) {
        if (share != 0 && random.word(1000 * (site + 1) + i) % 40 >= share) {
          genotype::set_code(wanted, site, i, common);
        }
      }
    }
    std::string first;
    for (const int threads : {1, 7}) {
      Context context({.device = "cpu", .threads = threads});
      SiteBlock copy(samples, 300);
      copy.sites = 300;
      std::memcpy(copy.codes.data(), wanted.codes.data(), wanted.codes.bytes());
      genotype::BlockSource source(std::move(copy));
      OutputFiles outputs;
      write_pgen(context, source, folder_ / "w", SampleTable::of_ids(source.samples()), outputs);
      outputs.commit();
      if (threads == 1) first = test::bytes_of(folder_ / "w.pgen");
    }
    EXPECT_EQ(test::bytes_of(folder_ / "w.pgen"), first);
    EXPECT_LE(std::ssize(first), 12 + 8 + 300 * (2 + 1) + 300 * ((samples + 3) / 4));
    const auto back = open_pgen(context_, pgen_files(folder_ / "w.pgen"));
    SiteBlock got(samples, 300);
    ASSERT_TRUE(back->read(got));
    ASSERT_EQ(got.sites, 300);
    EXPECT_EQ(std::memcmp(got.codes.data(), wanted.codes.data(), wanted.codes.bytes()), 0)
        << samples;
  }
}

}  // namespace
}  // namespace yupana::io
