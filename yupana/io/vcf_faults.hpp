#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "yupana/io/vcf_genotypes.hpp"

namespace yupana::io {

/// Part of a file as a message can show it.
std::string shown(std::string_view text);

/// What is wrong with the call of a sample, at a site of `alts` ALT alleles.
std::string explain(const GenotypeFault& fault, const std::string& sample, std::int64_t alts);

}  // namespace yupana::io
