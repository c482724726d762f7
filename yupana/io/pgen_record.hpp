#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

}  // namespace yupana::io
