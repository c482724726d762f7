#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "yupana/io/input_file.hpp"

namespace yupana::io {

/// What is left of a record.
using PgenBytes = std::span<const std::uint8_t>;

/// How a main track stores its calls: bits 0 to 2 of the record's type. Categories are 0 REF REF,
/// 1 REF ALT, 2 ALT ALT, 3 missing, whichever the ALT alleles are.
enum class PgenForm : std::uint8_t {
  plain = 0,           ///< 2 bits a sample
  one_bit = 1,         ///< the two most frequent categories as a bit a sample, and a list
  differences = 2,     ///< a list of differences from the calls of a variant before
  inverted = 3,        ///< the same; then categories 0 and 2 change places
  mostly_ref = 4,      ///< a list of samples outside category 0
  only_ref = 5,        ///< every sample is of category 0; nothing is stored
  mostly_alt = 6,      ///< a list of samples outside category 2
  mostly_missing = 7,  ///< a list of samples outside category 3
};

/// Samples whose places in a list are stored together.
constexpr std::int64_t pgen_list_group = 64;
/// Bytes of a sample's number, of which each group has its first.
constexpr std::int64_t pgen_sample_bytes(std::int64_t samples) {
  if (samples <= 1 << 8) return 1;
  if (samples <= 1 << 16) return 2;
  return samples <= 1 << 24 ? 3 : 4;
}

/// Decodes the main track, with which a record begins, into a row of a SiteBlock of `stride` bytes
/// (x = ALT alleles, whichever they are), and takes it off `bytes`. `base`: the row of the variant
/// that a list of differences is compared with. Returns what is wrong with the record, null where
/// nothing is; the row is undefined then.
///   work: a pass over the row and the list
const char* decode_main(PgenForm form,
                        PgenBytes& bytes,
                        const std::uint8_t* base,
                        std::int64_t samples,
                        std::uint8_t* row,
                        std::int64_t stride);

/// The same of a file whose rows are those of a .bed.
const char* copy_bed_row(PgenBytes bytes,
                         std::int64_t samples,
                         std::uint8_t* row,
                         std::int64_t stride);

/// A call with alleles other than REF and ALT 1.
struct PgenPatch {
  std::int64_t sample;
  std::uint32_t first, second;  ///< numbers of its alleles, the smaller first; 0 is REF
};
using PgenPatches = std::vector<PgenPatch>;

/// Reads the track after the main one of a record with pgen_multiallelic. `row`: its main track,
/// decoded. Returns as decode_main.
const char* decode_patches(PgenBytes& bytes,
                           std::int64_t alts,
                           std::int64_t samples,
                           const std::uint8_t* row,
                           PgenPatches& patches);

/// Reads the dosages after the main track of a record without pgen_multiallelic, whose type has
/// `form` in the place of pgen_dosage: a list of samples (1), one for each (2), a bit a sample (3).
/// `row`: the main track, decoded, whose calls are the dosages of samples without one; `phased`:
/// the track of pgen_phase precedes. Returns as decode_main.
const char* decode_dosages(int form,
                           bool phased,
                           PgenBytes& bytes,
                           std::int64_t samples,
                           const std::uint8_t* row,
                           std::uint16_t* dosages);

/// A row in which x is the number of alleles `counted` (from 1) of each call.
void count_allele(std::int64_t counted,
                  const PgenPatches& patches,
                  std::int64_t samples,
                  const std::uint8_t* main_row,
                  std::uint8_t* row,
                  std::int64_t stride);

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
