// Records of BCF 2 (VCF specification, section 6.3), read from their bytes: two lengths, the shared
// part (site, alleles, FILTER, INFO) and the samples' part (one array per FORMAT key).
#include <algorithm>
#include <bit>
#include <utility>

#include "yupana/io/vcf_record.hpp"

namespace yupana::io {
namespace {

constexpr std::int64_t prefix_bytes = 8;  // the two lengths
constexpr std::int64_t site_bytes = 24;   // the fixed part of the shared part

/// Bytes of the record that begins at `at`, by its two lengths.
std::int64_t record_bytes(const char* at) {
  return prefix_bytes + std::int64_t{load32(at)} + std::int64_t{load32(at + 4)};
}

/// Reads typed values; goes bad, and stays so, at the end of its bytes or at an unknown type.
class Cursor {
 public:
  Cursor(const char* at, const char* end) : at_(at), end_(end) {}

  struct Values {
    const char* data = nullptr;
    std::int64_t count = 0;  ///< a sample's, for FORMAT
    int width = 0;
    bool integers = false;
  };

  bool good() const { return good_; }
  bool at_end() const { return !good_ || at_ == end_; }

  /// A descriptor and `times` times its values.
  Values values(std::int64_t times = 1) {
    Values v;
    const unsigned descriptor = byte();
    v.count = descriptor >> 4;
    const unsigned type = descriptor & 15;
    if (v.count == 15) {
      v.count = integer();
      if (v.count < 0) good_ = false;
    }
    v.width = type == 1 || type == 7 ? 1 : type == 2 ? 2 : type == 3 || type == 5 ? 4 : 0;
    v.integers = type >= 1 && type <= 3;
    if (v.width == 0 && (type != 0 || v.count != 0)) good_ = false;
    v.data = at_;
    skip(v.count * v.width, times);
    return v;
  }
  /// One typed integer.
  std::int64_t integer() {
    const unsigned descriptor = byte();
    const unsigned type = descriptor & 15;
    if (descriptor >> 4 != 1 || type < 1 || type > 3) {
      good_ = false;
      return 0;
    }
    const char* at = at_;
    skip(std::int64_t{1} << (type - 1), 1);
    if (!good_) return 0;
    if (type == 1) return static_cast<signed char>(at[0]);
    if (type == 2) {
      return static_cast<std::int16_t>(static_cast<unsigned char>(at[0]) |
                                       static_cast<unsigned char>(at[1]) << 8);
    }
    return static_cast<std::int32_t>(load32(at));
  }

 private:
  unsigned byte() {
    if (at_end()) {
      good_ = false;
      return 0;
    }
    return static_cast<unsigned char>(*at_++);
  }
  void skip(std::int64_t bytes, std::int64_t times) {
    if (!good_ || (bytes > 0 && times > (end_ - at_) / bytes)) {
      good_ = false;
    } else {
      at_ += bytes * times;
    }
  }

  const char* at_;
  const char* end_;
  bool good_ = true;
};

class BinaryFormat : public VcfFormat {
 public:
  BinaryFormat(std::int64_t samples,
               const CallRules& calls,
               const RecordRules& records,
               BinaryNames names)
      : VcfFormat(samples, calls, records), names_(std::move(names)) {
    const auto& strings = names_.strings;
    const auto find = [&](const char* key, std::int64_t& number) {
      const auto found = std::find(strings.begin(), strings.end(), key);
      if (found != strings.end()) number = found - strings.begin();
    };
    find("GT", gt_);
    find("DS", ds_);
  }

  std::int64_t whole_records(std::string_view data) const override {
    std::int64_t whole = 0;
    const auto size = static_cast<std::int64_t>(data.size());
    while (size - whole >= prefix_bytes) {
      const std::int64_t bytes = record_bytes(data.data() + whole);
      if (bytes > size - whole) break;
      whole += bytes;
    }
    return whole;
  }

  void scan(Context& context, VcfBatch& batch) const override {
    batch.records.clear();
    for (std::int64_t at = 0; at < batch.size;) {
      VcfRecord record;
      record.begin = batch.bytes.data() + at;
      at += record_bytes(record.begin);
      record.end = batch.bytes.data() + at;
      if (batch.first_line > 0) {
        record.line = batch.first_line + static_cast<std::int64_t>(batch.records.size());
      }
      batch.records.push_back(record);
    }
    batch.lines = static_cast<std::int64_t>(batch.records.size());
    context.parallel_for(batch.lines, 64, [&](std::int64_t i) { parse(batch.records[i]); });
  }

  Alleles alleles(const VcfRecord& record) const override {
    const char* const site = record.begin + prefix_bytes;
    Cursor shared(site + site_bytes, site + load32(record.begin));
    shared.values();  // ID
    const std::uint32_t count = load32(site + 16) >> 16;
    Alleles result{{}, "."};
    for (std::uint32_t i = 0; i < count; ++i) {
      const Cursor::Values v = shared.values();
      const std::string_view allele(v.data, static_cast<std::size_t>(v.count));
      if (i == 0) result.ref = allele;
      if (i == 1) result.alt = allele;
      if (i > 1) result.alt.append(",").append(allele);
    }
    return result;
  }

  DosagesRead read_dosages(const VcfRecord& record, std::uint16_t* dosages) const override {
    const char* const site = record.begin + prefix_bytes;
    const std::uint32_t keys = load32(site + 20) >> 24;
    Cursor cursor(site + load32(record.begin), record.end);
    for (std::uint32_t i = 0; i < keys; ++i) {
      const std::int64_t key = cursor.integer();
      const Cursor::Values v = cursor.values(samples_);
      if (key != ds_ || ds_ < 0) continue;
      if (v.integers || v.width != 4) return {true, 0, "of another type than Float"};
      const auto& genotypes = std::get<BinaryGenotypes>(record.genotypes);
      return binary_dosages(genotypes, samples_, v.data, v.count, dosages);
    }
    return {};
  }

 private:
  void parse(VcfRecord& record) const {
    const char* site = record.begin + prefix_bytes;
    const char* shared_end = site + load32(record.begin);
    record.fault = "the record's lengths do not fit its contents";
    if (shared_end - site < site_bytes) return;
    const auto contig = static_cast<std::int32_t>(load32(site));
    const std::uint32_t alleles = load32(site + 16) >> 16;
    const std::uint32_t keys = load32(site + 20) >> 24;
    const std::uint32_t samples = load32(site + 20) & 0xffffff;
    if (contig < 0 || contig >= static_cast<std::int64_t>(names_.contigs.size())) {
      record.fault = "the contig is not in the header";
      return;
    }
    record.contig = names_.contigs[contig];
    record.position = std::int64_t{static_cast<std::int32_t>(load32(site + 4))} + 1;
    // 24 bits hold the number of samples: larger cohorts wrap around, so compare those bits.
    if (samples != (samples_ & 0xffffff) && (keys > 0 || samples > 0)) {
      record.fault = "the number of samples is not the header's";
      return;
    }
    Cursor shared(site + site_bytes, shared_end);
    const Cursor::Values name = shared.values();
    if (shared.good()) record.name = {name.data, static_cast<std::size_t>(name.count)};
    const bool snp = parse_alleles(shared, alleles, record);
    const bool filters_pass = parse_filters(shared);
    if (!shared.good() || !parse_keys({shared_end, record.end}, keys, record)) return;
    record.verdict = verdict_of(records_,
                                record.alts,
                                snp,
                                passes_qual(load32(site + 12)),
                                filters_pass,
                                record.has_genotypes);
  }

  /// Counts the ALT alleles; true where every allele passes --snps-only.
  bool parse_alleles(Cursor& cursor, std::uint32_t alleles, VcfRecord& record) const {
    bool snp = true;
    for (std::uint32_t i = 0; i < alleles && cursor.good(); ++i) {
      const Cursor::Values v = cursor.values();
      if (!cursor.good()) break;
      const std::string_view allele(v.data, v.count);
      snp = snp && passes(records_.snps_only, allele);
      // An ALT of '.' is written by some programs instead of no ALT.
      record.alts += i > 0 && !(alleles == 2 && allele == ".");
    }
    return snp;
  }

  /// QUAL is a float32; NaN where it is missing, which passes no limit.
  bool passes_qual(std::uint32_t bits) const {
    return !records_.min_qual || std::bit_cast<float>(bits) >= *records_.min_qual;
  }

  bool parse_filters(Cursor& cursor) const {
    const Cursor::Values v = cursor.values();
    if (!cursor.good() || !records_.var_filter) return true;
    for (std::int64_t i = 0; i < v.count; ++i) {
      std::uint32_t number = 0;
      for (int k = 0; k < v.width; ++k) {
        number |= std::uint32_t{static_cast<unsigned char>(v.data[i * v.width + k])} << (8 * k);
      }
      if (number >= names_.strings.size() || !records_.allows(names_.strings[number])) return false;
    }
    return true;
  }

  /// Finds GT among the FORMAT keys; false if they do not fit the record.
  bool parse_keys(Cursor cursor, std::uint32_t keys, VcfRecord& record) const {
    for (std::uint32_t i = 0; i < keys; ++i) {
      const std::int64_t key = cursor.integer();
      const Cursor::Values v = cursor.values(samples_);
      if (!cursor.good()) return false;
      if (key != gt_ || gt_ < 0) continue;
      if (!v.integers && v.count > 0) {
        record.fault = "GT is not stored as integers";
        return false;
      }
      record.has_genotypes = true;
      record.genotypes =
          BinaryGenotypes{reinterpret_cast<const std::uint8_t*>(v.data), v.count, v.width};
    }
    return true;
  }

  BinaryNames names_;
  // Numbers among the strings; -1 where the key is not declared.
  std::int64_t gt_ = -1;
  std::int64_t ds_ = -1;
};

}  // namespace

std::unique_ptr<VcfFormat> make_binary_format(std::int64_t samples,
                                              const CallRules& calls,
                                              const RecordRules& records,
                                              BinaryNames names) {
  return std::make_unique<BinaryFormat>(samples, calls, records, std::move(names));
}

}  // namespace yupana::io
