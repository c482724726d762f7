#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yupana::io {

/// What a reader of genotypes needs of a VCF header.
struct VcfHeader {
  std::string text;  ///< all of it, as in the file
  std::int64_t lines = 0;
  std::vector<std::string> samples;
  std::vector<std::string> contigs;  ///< declared by ##contig lines
};

/// Takes a header apart; its last line is the one of the column names. Throws bad_input, naming
/// the line, for wrong column names, no samples, an identifier that is empty or there twice.
VcfHeader parse_vcf_header(std::string_view path, std::string text);

}  // namespace yupana::io
