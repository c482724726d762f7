#pragma once

#include <cstdint>
#include <string_view>

#include "yupana/io/vcf_call.hpp"

namespace yupana::io {

/// The sample columns of a text record: everything behind the tab that follows FORMAT, without the
/// end of the line, which is '\n' or "\r\n". At least 64 readable bytes follow.
struct TextGenotypes {
  std::string_view columns;
  std::int64_t subfield = 0;  ///< which of FORMAT's subfields is GT, from 0
  bool alone = false;         ///< FORMAT is GT and nothing else
};

/// The GT array of a BCF record: `ploidy` values a sample of `width` bytes, little endian. At least
/// 64 readable bytes stand behind the end.
struct BinaryGenotypes {
  const std::uint8_t* values = nullptr;
  std::int64_t ploidy = 0;
  int width = 1;  ///< 1, 2 or 4
};

/// One BCF call as code.
CallFault decode_binary_call(const BinaryGenotypes& genotypes,
                             std::int64_t sample,
                             const CallRules& rules,
                             genotype::Code& code);

/// Decodes the calls of `samples` samples, call by call, into a row of a SiteBlock of `stride`
/// bytes (a multiple of 64), padding included, and names the first fault.
namespace reference {
GenotypeFault decode_genotypes(const TextGenotypes& genotypes,
                               std::int64_t samples,
                               const CallRules& rules,
                               std::uint8_t* row,
                               std::int64_t stride);
GenotypeFault decode_genotypes(const BinaryGenotypes& genotypes,
                               std::int64_t samples,
                               const CallRules& rules,
                               std::uint8_t* row,
                               std::int64_t stride);
}  // namespace reference

/// The same, 64 bytes of calls at a time; false, with the row undefined, where the record has a
/// fault: the reference version then says which.
namespace cpu {
bool decode_genotypes(const TextGenotypes& genotypes,
                      std::int64_t samples,
                      const CallRules& rules,
                      std::uint8_t* row,
                      std::int64_t stride);
bool decode_genotypes(const BinaryGenotypes& genotypes,
                      std::int64_t samples,
                      const CallRules& rules,
                      std::uint8_t* row,
                      std::int64_t stride);
/// How often `byte` stands in `text`.
std::int64_t count_bytes(std::string_view text, char byte);
}  // namespace cpu

}  // namespace yupana::io
