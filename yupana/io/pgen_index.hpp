#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/io/input_file.hpp"

namespace yupana::io {

/// Where the record of a variant is, and how its calls are stored.
struct PgenRecord {
  std::int64_t offset = 0;  ///< in the file
  std::int64_t bytes = 0;
  std::uint8_t type = 0;
};

/// Bits of a record's type.
enum PgenType : std::uint8_t {
  pgen_main = 0x07,  ///< the form of the main track, as PgenForm
  pgen_multiallelic = 0x08,
  pgen_phase = 0x10,
  pgen_dosage = 0x60,
  pgen_phased_dosage = 0x80,
};

/// Variants whose types and lengths the header keeps together: 2^16.
constexpr std::int64_t pgen_block_variants = std::int64_t{1} << 16;

/// The header of a .pgen, or its index file where that is separate (.pgen.pgi): of which size the
/// data set is and where each record is. One block of 2^16 variants is in memory at a time.
///   errors: bad_input for what is no .pgen, is of a storage mode that is not defined, has other
///   sizes than .psam and .pvar, is cut short, or whose records are not inside the file
class PgenIndex {
 public:
  /// The sizes of the .psam and the .pvar, which the messages name.
  PgenIndex(const InputFile& file,
            std::int64_t samples,
            const std::string& psam,
            std::int64_t variants,
            const std::string& pvar);

  /// True where the rows are those of a .bed.
  bool is_bed() const { return mode_ == 0x01; }
  /// True where all records are of one size.
  bool is_fixed() const { return mode_ < 0x10; }
  PgenRecord record(std::int64_t variant);
  /// The variant that a record in LD form is compared with, the last before it in another form.
  std::int64_t base_of(std::int64_t variant);

 private:
  const InputFile& index() const { return separate_ ? *separate_ : file_; }
  void read_mode();
  void read_sizes(const std::string& psam, const std::string& pvar);
  void check_size(const std::string& about,
                  std::int64_t got,
                  std::int64_t wanted,
                  const std::string& companion) const;
  void lay_out_fixed();
  void lay_out_variable();
  void check_offsets(std::int64_t header_end) const;
  std::int64_t block_bytes(std::int64_t variants) const;
  void load(std::int64_t block);
  void take_types(const std::uint8_t* bytes, std::int64_t variants);
  void take_lengths(const std::uint8_t* bytes, std::int64_t variants, std::int64_t block);

  const InputFile& file_;
  std::unique_ptr<InputFile> separate_;  ///< .pgen.pgi
  std::int64_t samples_;
  std::int64_t variants_;
  int mode_ = 0;
  int control_ = 0;                   ///< how the header is laid out: its 12th byte
  PgenRecord first_;                  ///< is_fixed(): record 0
  std::int64_t body_ = 0;             ///< where the blocks of the header begin
  std::vector<std::int64_t> blocks_;  ///< where the records of each block begin
  std::int64_t loaded_ = -1;          ///< the block in memory
  std::vector<std::uint8_t> types_;
  std::vector<std::int64_t> offsets_;  ///< one more than variants
  std::vector<std::int32_t> bases_;    ///< within the block
};

}  // namespace yupana::io
