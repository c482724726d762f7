#include "yupana/io/vcf_genotypes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/instruction_sets.hpp"
#include "yupana/core/random.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::io {
namespace {

const std::vector<CallRules> all_rules = {{HalfCall::missing, Polyploid::error},
                                          {HalfCall::haploid, Polyploid::missing},
                                          {HalfCall::reference, Polyploid::error},
                                          {HalfCall::error, Polyploid::missing}};
// Around 16 and 32 samples, the steps of the fast paths.
const std::vector<std::int64_t> sizes = {1, 2, 15, 16, 17, 31, 32, 33, 34, 48, 63, 64, 65, 257};

std::int64_t stride_of(std::int64_t samples) { return round_up(divide_up(samples, 4), 64); }

/// Decodes with both versions; they must agree on fault or row. True if there was no fault.
template <class Genotypes>
bool agree(const Genotypes& genotypes, std::int64_t samples, const CallRules& rules) {
  const auto stride = static_cast<std::size_t>(stride_of(samples));
  std::vector<std::uint8_t> wanted(stride, 0xaa), got(stride, 0x55);
  const GenotypeFault fault =
      reference::decode_genotypes(genotypes, {samples, rules, wanted.data(), stride_of(samples)});
  const bool decoded =
      cpu::decode_genotypes(genotypes, {samples, rules, got.data(), stride_of(samples)});
  EXPECT_EQ(decoded, !fault) << static_cast<int>(fault.fault) << " at " << fault.sample;
  if (decoded && !fault) {
    EXPECT_EQ(wanted, got);
  }
  return !fault;
}

struct Text {
  explicit Text(const std::string& columns, std::string_view after = "\n")
      : size(columns.size()), bytes(columns) {
    bytes.append(after).append(64, '\0');
  }
  TextGenotypes genotypes(std::int64_t subfield, bool alone) const {
    return {{bytes.data(), size}, subfield, alone};
  }
  std::size_t size;
  std::string bytes;
};

/// Mostly plain diploid calls; `odd` of a thousand are haploid, half missing or longer.
std::string random_call(RandomSequence& random, int odd) {
  const char* plain[] = {"0|0", "0|1", "1|0", "1|1", "0/0", "0/1", "1/1", "./."};
  const char* rare[] = {"0", "1", ".", "./1", "0|.", "1/.", "|0|1", "./././.", "0/0/0", "01/0"};
  if (static_cast<int>(random.word() % 1000) < odd) return rare[random.word() % 10];
  return plain[random.word() % 8];
}

std::string random_columns(
    RandomSequence& random, std::int64_t samples, std::int64_t subfield, bool alone, int odd) {
  std::string text;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    if (sample > 0) text += '\t';
    for (std::int64_t i = 0; i < subfield; ++i)
      text.append(std::to_string(random.word() % 300)).append(":");
    text += random_call(random, odd);
    if (!alone) text.append(":").append(random.word() % 40, '7');
  }
  return text;
}

struct Form {
  std::int64_t subfield;
  bool alone;
};
const std::vector<Form> forms = {{0, true}, {0, false}, {2, false}};

TEST(VcfGenotypes, TextEqualsTheReferenceOnEveryTarget) {
  on_each_instruction_set([] {
    RandomSequence random(1);
    for (const Form form : forms) {
      for (const std::int64_t samples : sizes) {
        for (const CallRules& rules : all_rules) {
          for (const int odd : {0, 0, 20, 300}) {
            const Text text(random_columns(random, samples, form.subfield, form.alone, odd));
            agree(text.genotypes(form.subfield, form.alone), samples, rules);
          }
        }
      }
    }
  });
}

// A last line without its end is followed by what the buffer held before.
TEST(VcfGenotypes, CallsAtTheEndTakeNothingOfWhatFollows) {
  on_each_instruction_set([] {
    for (const std::string columns :
         {"0", "1", ".", "0|", "0/1", "0|1\t0", "0|1:7\t1", "0|1:7\t1/", "0/0\t"}) {
      const auto samples = std::ranges::count(columns, '\t') + 1;
      for (const std::string_view after :
           {"/1:8\t0|1", "|1\t1|1", "1:", ":0", "\t0/1", "/1", "0"}) {
        for (const Form& form : {Form{0, true}, Form{0, false}}) {
          if (form.alone && columns.find(':') != columns.npos) continue;
          SCOPED_TRACE(columns + " before " + std::string(after));
          const Text text(columns, after);
          agree(text.genotypes(form.subfield, form.alone), samples, all_rules[0]);
        }
      }
    }
  });
}

TEST(VcfGenotypes, EveryChangedByteOfTextIsJudgedAsTheReferenceDoes) {
  on_each_instruction_set([] {
    RandomSequence random(2);
    const std::int64_t samples = 37;
    const char bytes[] = "./|01:2\t x";
    for (const Form form : forms) {
      std::string text = random_columns(random, samples, form.subfield, form.alone, 0);
      for (std::size_t i = 0; i < text.size(); ++i) {
        const char before = text[i];
        for (const char byte : std::string_view(bytes)) {
          text[i] = byte;
          agree(Text(text).genotypes(form.subfield, form.alone), samples, all_rules[0]);
        }
        text[i] = before;
      }
    }
  });
}

TEST(VcfGenotypes, TextCutAnywhereIsAFaultUnlessTheLastCallIsWhole) {
  on_each_instruction_set([] {
    std::string text;
    for (int i = 0; i < 40; ++i) text += i == 0 ? "0|1" : "\t0|1";
    for (std::size_t size = 0; size < text.size(); ++size) {
      const Text cut(text.substr(0, size));
      // "0" in place of "0|1" is a haploid call: nothing can tell.
      const bool whole = size == text.size() - 2;
      EXPECT_EQ(agree(cut.genotypes(0, true), 40, all_rules[0]), whole) << size;
      EXPECT_EQ(agree(cut.genotypes(0, false), 40, all_rules[0]), whole) << size;
    }
    EXPECT_TRUE(agree(Text(text).genotypes(0, true), 40, all_rules[0]));
    EXPECT_FALSE(agree(Text(text + "\t").genotypes(0, true), 40, all_rules[0]));
    EXPECT_FALSE(agree(Text(text).genotypes(0, true), 39, all_rules[0]));
    EXPECT_FALSE(agree(Text(text).genotypes(0, false), 39, all_rules[0]));
  });
}

/// An array of GT values of BCF, and the room behind it that the decoder may read.
std::vector<std::uint8_t> random_values(
    RandomSequence& random, std::int64_t samples, std::int64_t ploidy, int width, int odd) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(samples * ploidy * width + 64));
  const std::uint32_t smallest = std::uint32_t{1} << (8 * width - 1);
  for (std::int64_t i = 0; i < samples * ploidy; ++i) {
    std::uint32_t value = 2 + random.word() % 4;             // REF or ALT, phased or not
    if (random.word() % 50 == 0) value = random.word() % 2;  // missing
    if (static_cast<int>(random.word() % 1000) < odd) {
      value = smallest + (random.word() % 8 > 0 ? 1 : 0);  // end of the call, or a missing entry
    }
    for (int k = 0; k < width; ++k) {
      bytes[static_cast<std::size_t>(i * width + k)] = static_cast<std::uint8_t>(value >> (8 * k));
    }
  }
  return bytes;
}

TEST(VcfGenotypes, BinaryEqualsTheReferenceOnEveryTarget) {
  on_each_instruction_set([] {
    RandomSequence random(3);
    for (const int width : {1, 2, 4}) {
      for (const std::int64_t ploidy : {0, 1, 2, 3}) {
        for (const std::int64_t samples : sizes) {
          for (const CallRules& rules : all_rules) {
            for (const int odd : {0, 20, 300}) {
              const auto bytes = random_values(random, samples, ploidy, width, odd);
              agree(BinaryGenotypes{bytes.data(), ploidy, width}, samples, rules);
            }
          }
        }
      }
    }
  });
}

TEST(VcfGenotypes, EveryByteOfABinaryCallIsJudgedAsTheReferenceDoes) {
  on_each_instruction_set([] {
    const std::int64_t samples = 35;
    for (const std::size_t at : {0, 1, 62, 63, 64, 69}) {
      for (int byte = 0; byte < 256; ++byte) {
        std::vector<std::uint8_t> bytes(2 * samples + 64, 2);
        bytes[at] = static_cast<std::uint8_t>(byte);
        for (const CallRules& rules : all_rules) {
          const bool good = agree(BinaryGenotypes{bytes.data(), 2, 1}, samples, rules);
          if (byte > 5 && byte < 0x80) {
            EXPECT_FALSE(good) << byte;
          }
        }
      }
    }
  });
}

TEST(VcfGenotypes, BytesAreCountedOnEveryTarget) {
  on_each_instruction_set([] {
    for (const std::size_t size : {0, 1, 63, 64, 65, 127, 128, 1000}) {
      std::string text(size, '\t');
      for (std::size_t i = 0; i < size; i += 3) text[i] = 'x';
      EXPECT_EQ(cpu::count_bytes(text, 'x'), static_cast<std::int64_t>((size + 2) / 3));
      EXPECT_EQ(cpu::count_bytes(text, '\t'), static_cast<std::int64_t>(size - (size + 2) / 3));
    }
  });
}

TEST(VcfGenotypes, ReferenceReadsTheCallsOfTheSpecification) {
  const auto code = [](std::string_view text, const CallRules& rules = {}) {
    genotype::Code result;
    const CallFault fault = parse_call(text, rules, result);
    return fault == CallFault::none ? static_cast<int>(result) : -static_cast<int>(fault);
  };
  EXPECT_EQ(code("0/0"), 3);
  EXPECT_EQ(code("0|1"), 2);
  EXPECT_EQ(code("1/1"), 0);
  EXPECT_EQ(code("./."), 1);
  EXPECT_EQ(code("."), 1);
  EXPECT_EQ(code("0"), 3);
  EXPECT_EQ(code("1"), 0);
  EXPECT_EQ(code("/0|1"), 2);  // VCF 4.4: a phase mark in front
  EXPECT_EQ(code("|1"), 0);
  EXPECT_EQ(code("|./."), 1);
  EXPECT_EQ(code("./1"), 1);
  EXPECT_EQ(code("./1", {HalfCall::haploid, Polyploid::error}), 0);
  EXPECT_EQ(code("0/.", {HalfCall::haploid, Polyploid::error}), 3);
  EXPECT_EQ(code("1/.", {HalfCall::reference, Polyploid::error}), 2);
  EXPECT_EQ(code("1/.", {HalfCall::error, Polyploid::error}), -static_cast<int>(CallFault::half));
  EXPECT_EQ(code("0/2"), -static_cast<int>(CallFault::allele));
  EXPECT_EQ(code("99999999999999999999/0"), -static_cast<int>(CallFault::allele));
  EXPECT_EQ(code("0/0/1"), -static_cast<int>(CallFault::polyploid));
  EXPECT_EQ(code("0/0/1", {HalfCall::missing, Polyploid::missing}), 1);
  for (const char* text : {"", "/", "0/", "//0", "0//1", "a", "0-1", "-1", "0 1", "0/1 ", "+1"}) {
    EXPECT_EQ(code(text), -static_cast<int>(CallFault::syntax)) << text;
  }
}

}  // namespace
}  // namespace yupana::io
