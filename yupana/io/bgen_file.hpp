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

}  // namespace yupana::io
