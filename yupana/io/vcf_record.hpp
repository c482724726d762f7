#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/io/vcf_genotypes.hpp"

namespace yupana::io {

/// What becomes of a record, as far as its own columns tell.
enum class Verdict : std::uint8_t {
  kept,
  no_alt,         ///< ALT is '.' or REF again
  multiallelic,   ///< several ALT alleles
  symbolic,       ///< <DEL>, *, breakends, anything but bases
  indel,          ///< REF and ALT of different lengths
  several_bases,  ///< one ALT of REF's length, more than one base
  no_genotypes,   ///< no GT in FORMAT
  malformed,      ///< the file is refused when this record's turn comes
};
/// The verdict in words, as they stand in SiteAccount::skipped.
std::string_view reason_of(Verdict verdict);
/// From the alleles alone; ALT as in a VCF, several separated by commas.
Verdict verdict_of(std::string_view ref, std::string_view alt);

/// One record of a batch. Views point into the batch's bytes.
struct VcfRecord {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::string_view contig;
  std::int64_t position = 0;  ///< from 1, as in a VCF
  std::int64_t line = 0;      ///< in the file or, for BCF, number of the record; 0 in a region
  TextGenotypes text;
  BinaryGenotypes binary;
  Verdict verdict = Verdict::malformed;
  bool has_genotypes = false;  ///< GT in FORMAT, whatever the verdict
  const char* fault = "";      ///< what is malformed
};

/// Bytes of a file that hold whole records, and these records in file order.
struct VcfBatch {
  static constexpr std::int64_t padding = 64;  ///< readable bytes behind the data

  Array<char> bytes;
  std::int64_t size = 0;
  std::int64_t first_line = 0;  ///< line or number of the first record; 0: unknown
  std::int64_t lines = 0;       ///< lines or records in it
  std::vector<VcfRecord> records;

  /// Makes room for `capacity` bytes and the padding; keeps the first `size`.
  void reserve(std::int64_t capacity);
};

/// One of the two file formats: where records end, and what they say before the genotypes.
class VcfFormat {
 public:
  virtual ~VcfFormat() = default;
  /// Bytes of the whole records that `data` begins with.
  virtual std::int64_t whole_records(std::string_view data) const = 0;
  /// Fills batch.records and batch.lines, in parallel, in file order.
  virtual void scan(Context& context, VcfBatch& batch) const = 0;
  /// Decodes a kept record into a row; false where reference_decode() names a fault.
  virtual bool decode(const VcfRecord& record, std::uint8_t* row, std::int64_t stride) const = 0;
  /// True if a record that is not decoded has the columns it should.
  virtual bool complete(const VcfRecord& record) const = 0;
  /// "" or, where a text record has the wrong number of columns, how many it has and should have.
  virtual std::string column_fault(const VcfRecord& record) const = 0;
  /// The same, call by call.
  virtual GenotypeFault reference_decode(const VcfRecord& record,
                                         std::uint8_t* row,
                                         std::int64_t stride) const = 0;
};

/// Lines of text with `samples` sample columns.
std::unique_ptr<VcfFormat> make_text_format(std::int64_t samples, const CallRules& rules);
/// BCF 2 records. `contigs` by their number in the header, `gt` the number of GT in its dictionary
/// of strings, negative where it is not declared.
std::unique_ptr<VcfFormat> make_binary_format(std::int64_t samples,
                                              const CallRules& rules,
                                              std::vector<std::string> contigs,
                                              std::int64_t gt);

}  // namespace yupana::io
