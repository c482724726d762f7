#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/io/variant_lists.hpp"
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

/// The same of BCF: `values`, `count` float32 a sample.
DosagesRead binary_dosages(const BinaryGenotypes& genotypes,
                           std::int64_t samples,
                           const char* values,
                           std::int64_t count,
                           std::uint16_t* dosages);

/// One record of a batch. Views point into the batch's bytes.
struct VcfRecord {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::string_view contig;
  std::int64_t position = 0;  ///< from 1, as in a VCF
  std::string_view name;      ///< ID
  std::int64_t line = 0;      ///< in the file or, for BCF, number of the record; 0 in a region
  std::variant<TextGenotypes, BinaryGenotypes> genotypes;
  Verdict verdict = Verdict::malformed;
  bool has_genotypes = false;  ///< GT in FORMAT, whatever the verdict
  std::int64_t alts = 0;       ///< ALT alleles; 0 where ALT is '.'
  const char* fault = "";      ///< what is malformed
  std::string_view faulty;     ///< the text that is; empty where the fault has none
};

/// Bytes of a file that hold whole records, and these records in file order.
struct VcfBatch {
  static constexpr std::int64_t padding = 64;  ///< readable bytes after the data

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
  VcfFormat(std::int64_t samples, const CallRules& calls, const RecordRules& records)
      : samples_(samples), calls_(calls), records_(records) {}
  virtual ~VcfFormat() = default;
  /// Bytes of the whole records that `data` begins with.
  virtual std::int64_t whole_records(std::string_view data) const = 0;
  /// Fills batch.records and batch.lines, in parallel, in file order.
  virtual void scan(Context& context, VcfBatch& batch) const = 0;
  /// True if a record that is not decoded has the columns it should.
  virtual bool complete(const VcfRecord&) const { return true; }
  /// The alleles of a record, ALT in the order of their numbers and separated by commas.
  struct Alleles {
    std::string ref;
    std::string alt;
  };
  virtual Alleles alleles(const VcfRecord& record) const = 0;
  /// "" or, where a text record has the wrong number of columns, how many it has and should have.
  virtual std::string column_fault(const VcfRecord&) const { return {}; }

  /// Replaces the dosages of a record that is decoded by its DS, of the samples that have one.
  virtual DosagesRead read_dosages(const VcfRecord& record, std::uint16_t* dosages) const = 0;

  /// Decodes a kept record into a row whose x counts an allele (CallRules::counted); false where
  /// reference_decode() names a fault.
  bool decode(const VcfRecord& record,
              std::int64_t counted,
              std::uint8_t* row,
              std::int64_t stride) const;
  /// The same, call by call.
  GenotypeFault reference_decode(const VcfRecord& record,
                                 std::int64_t counted,
                                 std::uint8_t* row,
                                 std::int64_t stride) const;

 protected:
  std::int64_t samples_;
  CallRules calls_;
  RecordRules records_;

 private:
  /// A row for one site of a record: its alleles, and the one that x counts.
  CallRow row_of(const VcfRecord& record,
                 std::int64_t counted,
                 std::uint8_t* row,
                 std::int64_t stride) const;
};

/// A little-endian word of BCF.
std::uint32_t load32(const char* at);

/// Lines of text with `samples` sample columns.
std::unique_ptr<VcfFormat> make_text_format(std::int64_t samples,
                                            const CallRules& calls,
                                            const RecordRules& records);
/// The dictionaries of a BCF header: names by their numbers.
struct BinaryNames {
  std::vector<std::string> contigs;
  std::vector<std::string> strings;  ///< FILTER, INFO and FORMAT identifiers
};
/// BCF 2 records.
std::unique_ptr<VcfFormat> make_binary_format(std::int64_t samples,
                                              const CallRules& calls,
                                              const RecordRules& records,
                                              BinaryNames names);

}  // namespace yupana::io
