#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/io/input_file.hpp"
#include "yupana/io/unpack.hpp"

namespace yupana::io {

/// The header of a BGEN 1.2 or 1.3 file.
struct BgenHeader {
  std::int64_t variants = 0;
  std::int64_t samples = 0;
  Packing packing = Packing::none;
  std::vector<std::string> names;  ///< of samples; empty where the file has none
  std::int64_t first = 0;          ///< where variants begin
};
///   errors: bad_input for what is no BGEN, is of layout 1 (BGEN 1.1), or whose header contradicts
///   itself or the file's size
BgenHeader read_bgen_header(const InputFile& file);

/// A variant without its probabilities.
struct BgenVariant {
  std::string name;  ///< its rsID
  std::string contig;
  std::int64_t position = 0;
  std::vector<std::string> alleles;  ///< in file order
  std::int64_t data = 0;             ///< where its probabilities are
  std::int64_t bytes = 0;            ///< that they take in the file
  std::int64_t unpacked = 0;         ///< and in memory
  std::int64_t end() const { return data + bytes; }
};

/// The variants of a file, read without their probabilities, a piece of the file at a time.
class BgenVariants {
 public:
  BgenVariants(const InputFile& file, const BgenHeader& header)
      : file_(file), packing_(header.packing) {}

  /// The variant at a place of the file, which is its number `variant`; valid until the next call.
  ///   errors: bad_input for one that is not inside the file, has less than two alleles, or no name
  ///   of a chromosome
  const BgenVariant& read(std::int64_t place, std::int64_t variant);

 private:
  const std::uint8_t* take(std::int64_t bytes);
  std::uint32_t take_number(int bytes);
  void take_text(int length_bytes, std::string& text);
  [[noreturn]] void refuse(std::string_view what) const;

  const InputFile& file_;
  Packing packing_;
  BgenVariant variant_;
  std::int64_t number_ = 0;  ///< of the variant being read
  std::int64_t start_ = 0;   ///< where it begins
  std::int64_t place_ = 0;   ///< of the next byte in the file
  std::int64_t begin_ = 0;   ///< of the piece in the file
  std::vector<std::uint8_t> piece_;
};

/// Where hard calls are made of dosages, as PLINK 2 makes them: a dosage is a multiple of 1/16384
/// of an allele, the nearest one but for what dosage() says; a call is that of the nearest whole
/// numbers x_k of each allele k, and missing where half the sum of |dosage_k - x_k| is larger than
/// --hard-call-threshold.
class HardCalls {
 public:
  static constexpr std::int64_t unit = 16384;  ///< a whole allele
  /// `threshold`: from 0 to below 0.5.
  explicit HardCalls(double threshold);
  /// The most that a dosage may be away, in units.
  std::int64_t most() const { return most_; }
  /// The dosage in units of `part` of `whole` alleles, where `whole` is odd. As PLINK 2 rounds the
  /// dosage of a variant's second allele, the fraction next above one half goes down.
  static std::int64_t dosage(std::uint64_t part, std::uint64_t whole) {
    const std::uint64_t product = unit * part;
    return static_cast<std::int64_t>(product / whole + (product % whole > (whole + 1) / 2));
  }

 private:
  std::int64_t most_;
};

/// The rows that one variant gives: x counts ALT allele counted, counted + 1, ...
struct BgenRows {
  std::uint8_t* first = nullptr;  ///< each of `stride` bytes, as in a SiteBlock
  std::int64_t stride = 0;
  std::int64_t count = 0;
  std::int64_t counted = 1;          ///< 0: every ALT allele alike
  bool ref_last = false;             ///< REF is the last allele, not the first
  std::uint16_t* dosages = nullptr;  ///< of two alleles: as in a SiteBlock; null: not wanted
};

/// Makes hard calls of a variant's unpacked probabilities of layout 2: unphased or phased, of one
/// or two alleles a sample; a haploid call counts twice. `bytes`: `size` of them, followed by eight
/// that may be read. Returns what is wrong with them, null where nothing is; rows are undefined
/// then.
///   work: a pass over the probabilities, once
const char* hard_calls(const HardCalls& rule,
                       const std::uint8_t* bytes,
                       std::int64_t size,
                       std::int64_t samples,
                       std::int64_t alleles,
                       const BgenRows& rows);

}  // namespace yupana::io
