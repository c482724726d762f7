#include <gtest/gtest.h>

#include <limits>

#include "tests/support/site_blocks.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/random.hpp"
#include "yupana/io/genotype_sources.hpp"

namespace yupana::io {
namespace {

using genotype::Source;
using test::refusal;

/// A .npy file of samples x sites values of type T.
template <class T>
std::string npy(const std::string& descr,
                std::int64_t samples,
                std::int64_t sites,
                const std::vector<T>& values,
                bool fortran = false,
                int version = 1) {
  std::string head = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}, {}), }}",
                                 descr,
                                 fortran ? "True" : "False",
                                 samples,
                                 sites);
  while ((head.size() + 13) % 64 != 0) head += ' ';
  head += '\n';
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    bytes += static_cast<char>(head.size() >> (8 * i) & 0xff);
  }
  bytes += head;
  for (std::int64_t k = 0; k < samples * sites; ++k) {
    T value = values[fortran ? k % samples * sites + k / samples : k];
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (descr[0] == '>') std::reverse(raw, raw + sizeof(T));
    bytes.append(raw, sizeof(T));
  }
  return bytes;
}

class NpyGenotypesTest : public testing::Test {
 protected:
  std::unique_ptr<Source> open(const std::string& bytes, bool round = false) {
    return open_npy_genotypes({folder_.put("x.npy", bytes), round});
  }

  /// Random genotypes in every type, order and version must read as the same.
  template <class T>
  void expect_reads(const std::string& descr, T missing) {
    constexpr std::int64_t samples = 7;
    constexpr std::int64_t sites = 150;
    const Random random(4);
    std::vector<T> values(samples * sites);
    std::vector<std::vector<int>> wanted(sites, std::vector<int>(samples));
    for (std::int64_t i = 0; i < samples * sites; ++i) {
      const bool signed_type = missing != T(0);
      const int x = static_cast<int>(random.word(i) % (signed_type ? 4 : 3));
      values[i] = x == 3 ? missing : static_cast<T>(x);
      wanted[i % sites][i / sites] = x == 3 ? -1 : x;
    }
    for (const bool fortran : {false, true}) {
      for (const int version : {1, 2, 3}) {
        const auto source = open(npy(descr, samples, sites, values, fortran, version));
        EXPECT_EQ(source->sites(), sites);
        EXPECT_EQ(read_all(*source, 64), wanted) << descr << fortran << version;
        EXPECT_EQ(source->account().kept, sites);
        source->rewind();
        EXPECT_EQ(read_all(*source, 1000), wanted) << descr;
      }
    }
  }

  test::Folder folder_;
};

TEST_F(NpyGenotypesTest, EveryTypeOrderAndByteOrderReadsTheSame) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_reads<std::int8_t>("|i1", -1);
  expect_reads<std::int8_t>("<i1", -9);
  expect_reads<std::uint8_t>("|u1", 0);
  expect_reads<std::int16_t>("<i2", -1);
  expect_reads<std::int32_t>(">i4", -9);
  expect_reads<std::int64_t>("<i8", -1);
  expect_reads<std::int64_t>(">i8", std::numeric_limits<std::int64_t>::min());
  expect_reads<std::uint64_t>("<u8", 0);
  expect_reads<float>("<f4", std::numeric_limits<float>::quiet_NaN());
  expect_reads<float>(">f4", -9);
  expect_reads<double>("<f8", nan);
  expect_reads<double>(">f8", -0.25);
}

TEST_F(NpyGenotypesTest, ManyColumnsPassThroughTheBuffer) {
  constexpr std::int64_t sites = 70001;  // more than the 65536 that are decoded at once
  std::vector<std::int8_t> values(2 * sites);
  for (std::int64_t i = 0; i < 2 * sites; ++i) values[i] = static_cast<std::int8_t>(i * 7 % 3);
  const auto source = open(npy("|i1", 2, sites, values));
  const auto rows = read_all(*source, 3000);
  ASSERT_EQ(std::ssize(rows), sites);
  for (std::int64_t k = 0; k < sites; ++k) {
    ASSERT_EQ(rows[k][0], values[k]);
    ASSERT_EQ(rows[k][1], values[sites + k]);
  }
}

TEST_F(NpyGenotypesTest, OtherValuesAreRefusedWithTheirPlace) {
  const auto message_of = [&](const std::string& bytes, bool round = false) {
    return refusal([&] { read_all(*open(bytes, round), 8); });
  };
  for (const bool fortran : {false, true}) {
    EXPECT_NE(message_of(npy<float>("<f4", 2, 3, {0, 1, 2, 0, 1.5f, 0}, fortran))
                  .find("row 2, column 2 (from 1): expected 0, 1, 2 or a missing call (negative or "
                        "NaN), got 1.5"),
              std::string::npos);
  }
  EXPECT_NE(message_of(npy<std::int8_t>("|i1", 2, 2, {0, 3, 0, 0})).find("got 3;"),
            std::string::npos);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_NE(message_of(npy<double>("<f8", 1, 1, {infinity}), true).find("got inf;"),
            std::string::npos);
  message_of(npy<double>("<f8", 1, 1, {2.5}), true);
  message_of(npy<double>("<f8", 1, 1, {1e-300}));
}

TEST_F(NpyGenotypesTest, RoundTakesTheNearestGenotype) {
  const auto source = open(npy<double>("<f8", 1, 7, {0.2, 0.49, 0.5, 1.4, 1.5, 2.49, -0.1}), true);
  std::vector<int> values;
  for (const auto& row : read_all(*source, 3)) values.push_back(row[0]);
  EXPECT_EQ(values, (std::vector<int>{0, 0, 1, 1, 2, 2, -1}));
}

TEST_F(NpyGenotypesTest, NamesComeFromTheIdsFileBesideIt) {
  const std::string bytes = npy<std::int8_t>("|i1", 2, 1, {0, 1});
  EXPECT_EQ(open(bytes)->samples(), (std::vector<std::string>{"1", "2"}));
  folder_.put("x.ids", "anna b\nbert\r\n\n");
  EXPECT_EQ(open(bytes)->samples(), (std::vector<std::string>{"anna b", "bert"}));
  folder_.put("x.ids", "anna\n");
  EXPECT_NE(refusal([&] { open(bytes); }).find("expected 2 names"), std::string::npos);
  folder_.put("x.ids", "anna\nbert\nanna\n");
  EXPECT_NE(refusal([&] { open(bytes); }).find("x.ids:3: sample 'anna' appears in line 1"),
            std::string::npos);
}

TEST_F(NpyGenotypesTest, ShapesAndTypesThatAreNoGenotypesAreRefused) {
  refusal([&] { open(npy<std::int8_t>("|i1", 0, 5, {})); });
  refusal([&] { open(npy<std::int8_t>("|i1", 5, 0, {})); });
  refusal([&] { open(npy<std::uint16_t>("<f2", 1, 1, {0})); });
  refusal([&] { open(npy<std::uint64_t>("<c8", 1, 1, {0})); });
  std::string cube = npy<std::int8_t>("|i1", 11, 11, std::vector<std::int8_t>(121));
  cube.replace(cube.find("(11, 11)"), 8, "(11,1,1)");
  EXPECT_NE(refusal([&] { open(cube); }).find("3 dimensions"), std::string::npos);
  std::string huge = npy<std::int8_t>("|i1", 1111111111, 0, {});
  huge.replace(huge.find(", 0)"), 4, ",9223372036854775807)");
  refusal([&] { open(huge); });
}

TEST_F(NpyGenotypesTest, AFileCutAnywhereIsRefused) {
  const std::string bytes = npy<std::int16_t>("<i2", 3, 4, std::vector<std::int16_t>(12, 1));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    refusal([&] { open(bytes.substr(0, size)); });
  }
  refusal([&] { open(bytes + "x"); });
  EXPECT_EQ(read_all(*open(bytes), 9).size(), 4u);
}

TEST_F(NpyGenotypesTest, RandomDamageIsRefusedOrReadButNeverCrashes) {
  const std::string whole = npy<float>("<f4", 3, 4, std::vector<float>(12, 2));
  const Random random(2);
  int read = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    std::string bytes = whole;
    bytes[random.word(2 * i) % bytes.size()] = static_cast<char>(random.word(2 * i + 1));
    try {
      read += static_cast<int>(read_all(*open(bytes), 4).size());
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::bad_input) << error.what();
    }
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace yupana::io
