#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "yupana/io/vcf_genotypes.hpp"

namespace yupana::io {

/// What a record's DS gave.
struct DosagesRead {
  bool found = false;        ///< DS is in FORMAT
  std::int64_t faulty = -1;  ///< the first sample whose DS is none
  std::string text = {};     ///< as written
};

/// The DS of a sample, as PLINK 2 reads it: copies of ALT from 0 to 2, of a haploid call from 0 to
/// 1, rounded to the nearest 1/16384. False for another number.
bool dosage_of(double ds, bool is_haploid, std::uint16_t& dosage);

/// Replaces the dosages of samples that have a DS, which is subfield `field` of a text record's
/// columns, by it; '.' and a DS left out change nothing.
DosagesRead text_dosages(const TextGenotypes& genotypes,
                         std::int64_t field,
                         std::uint16_t* dosages);

/// The same of BCF: `values`, `count` float32 a sample.
DosagesRead binary_dosages(const BinaryGenotypes& genotypes,
                           std::int64_t samples,
                           const char* values,
                           std::int64_t count,
                           std::uint16_t* dosages);

}  // namespace yupana::io
