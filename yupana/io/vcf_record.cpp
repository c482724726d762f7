// Records of text VCF: where lines and columns are. The genotypes are decoded elsewhere.
#include "yupana/io/vcf_record.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <span>
#include <utility>

#include "yupana/core/error.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/genotype/site_block.hpp"

namespace yupana::io {
namespace {

/// Subfield `index` of a column; empty where the column ends before it.
std::string_view subfield(std::string_view column, std::int64_t index) {
  for (; index > 0; --index) {
    const std::size_t colon = column.find(':');
    if (colon == column.npos) return {};
    column.remove_prefix(colon + 1);
  }
  return column.substr(0, column.find(':'));
}

/// Replaces the dosages of samples that have a DS, which is subfield `field` of a text record's
/// columns, by it; '.' and a DS left out change nothing.
DosagesRead text_dosages(const TextGenotypes& genotypes,
                         std::int64_t field,
                         std::uint16_t* dosages) {
  std::string_view rest = genotypes.columns;
  for (std::int64_t sample = 0;; ++sample) {
    const std::size_t tab = rest.find('\t');
    const std::string_view column = rest.substr(0, tab);
    const std::string_view text = subfield(column, field);
    if (!text.empty() && text != ".") {
      double ds = 0;
      const char* const end = text.data() + text.size();
      const auto [parsed, error] = std::from_chars(text.data(), end, ds);
      const std::string_view call = subfield(column, genotypes.subfield);
      const bool haploid = call.find_first_of("/|") == call.npos;
      if (error != std::errc() || parsed != end || !dosage_of(ds, haploid, dosages[sample])) {
        return {true, sample, std::string(text)};
      }
    }
    if (tab == rest.npos) return {.found = true};
    rest.remove_prefix(tab + 1);
  }
}

constexpr std::int64_t fixed_columns = 9;  // CHROM POS ID REF ALT QUAL FILTER INFO FORMAT

const char* find(const char* begin, const char* end, char byte) {
  return static_cast<const char*>(std::memchr(begin, byte, end - begin));
}

/// Decimal digits only, at most 18 of them.
bool parse_position(std::string_view text, std::int64_t& position) {
  if (text.empty() || text.size() > 18) return false;
  position = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return false;
    position = 10 * position + (digit - '0');
  }
  return true;
}

/// Which subfield of FORMAT is this key; -1 if none.
std::int64_t find_key(std::string_view format, std::string_view key) {
  for (std::int64_t index = 0;; ++index) {
    const std::size_t colon = format.find(':');
    if (format.substr(0, colon) == key) return index;
    if (colon == std::string_view::npos) return -1;
    format.remove_prefix(colon + 1);
  }
}

/// What a record's columns may not hold, and where they do.
struct SiteFault {
  const char* what = nullptr;
  std::string_view text = {};
};

/// Of CHROM to ALT: alleles that cannot be counted, and spaces, which would end a name in the files
/// written.
SiteFault site_fault(std::span<const std::string_view> columns) {
  for (const std::string_view column : columns) {
    if (column.find(' ') == column.npos) continue;
    return {"CHROM, POS, ID, REF or ALT has a space; columns are separated by tabs", column};
  }
  const std::string_view ref = columns[3], alt = columns[4];
  if (ref.empty() || alt.empty()) return {"REF or ALT is empty"};
  if (ref.find(',') != ref.npos) return {"REF has several alleles; expected one", ref};
  if (alt.front() == ',' || alt.back() == ',' || alt.find(",,") != alt.npos) {
    return {"ALT has an empty allele; expected alleles separated by commas, or '.'", alt};
  }
  return {};
}

VcfRecord parse_line(const char* begin, const char* end, const RecordRules& rules) {
  if (end != begin && end[-1] == '\r') --end;
  VcfRecord record;
  record.begin = begin;
  record.end = end;
  std::array<std::string_view, fixed_columns> columns;
  const char* at = begin;
  for (std::string_view& column : columns) {
    const char* tab = find(at, end, '\t');
    if (tab == nullptr) return record;  // malformed: column_fault() says how many there are
    column = {at, static_cast<std::size_t>(tab - at)};
    at = tab + 1;
  }
  const auto& [contig, pos, id, ref, alt, qual, filter, info, format] = columns;
  record.contig = contig;
  record.name = id;
  const auto set_fault = [&](const char* what, std::string_view text) {
    record.fault = what;
    record.faulty = text;
  };
  if (contig.empty()) {
    record.fault = "CHROM is empty";
  } else if (!parse_position(pos, record.position)) {
    set_fault("POS: expected a whole number from 0 on, of 18 digits at most", pos);
  } else if (const SiteFault fault = site_fault(std::span(columns).first(5)); fault.what) {
    set_fault(fault.what, fault.text);
  } else {
    record.alts = alts_of(alt);
    TextGenotypes genotypes;
    genotypes.subfield = find_key(format, "GT");
    genotypes.alone = format.size() == 2;
    genotypes.columns = {at, static_cast<std::size_t>(end - at)};
    record.has_genotypes = genotypes.subfield >= 0;
    record.genotypes = genotypes;
    record.verdict = verdict_of(rules, {ref, alt, qual, filter}, record.has_genotypes);
    if (record.verdict == Verdict::malformed) set_fault("QUAL: expected a number or '.'", qual);
  }
  return record;
}

/// The lines that begin in [begin, end) of the text; empty lines are counted and left out.
struct Piece {
  std::vector<VcfRecord> records;
  std::int64_t lines = 0;
};

Piece scan_piece(std::string_view text,
                 const RecordRules& rules,
                 std::int64_t begin,
                 std::int64_t end) {
  Piece piece;
  const char* at = text.data() + begin;
  const char* last = text.data() + text.size();
  const char* stop = text.data() + end;
  if (begin > 0 && at[-1] != '\n') {
    const char* newline = find(at, last, '\n');
    at = newline == nullptr ? last : newline + 1;
  }
  while (at < stop) {
    const char* newline = find(at, last, '\n');
    const bool empty = newline == at || (newline == at + 1 && *at == '\r');
    if (!empty) {
      piece.records.push_back(parse_line(at, newline, rules));
      piece.records.back().line = piece.lines;
    }
    ++piece.lines;
    at = newline + 1;
  }
  return piece;
}

class TextFormat : public VcfFormat {
 public:
  using VcfFormat::VcfFormat;

  std::int64_t whole_records(std::string_view data) const override {
    return static_cast<std::int64_t>(data.rfind('\n') + 1);  // npos + 1 is 0
  }

  void scan(Context& context, VcfBatch& batch) const override {
    constexpr std::int64_t piece_bytes = 256 << 10;
    const std::string_view text(batch.bytes.data(), batch.size);
    std::vector<Piece> pieces(divide_up(batch.size, piece_bytes));
    const auto count = static_cast<std::int64_t>(pieces.size());
    context.parallel_for(count, 1, [&](std::int64_t i) {
      pieces[i] = scan_piece(text,
                             records_,
                             i * piece_bytes,
                             std::min<std::int64_t>(batch.size, (i + 1) * piece_bytes));
    });
    batch.records.clear();
    batch.lines = 0;
    for (Piece& piece : pieces) {
      for (VcfRecord& record : piece.records) {
        record.line = batch.first_line == 0 ? 0 : batch.first_line + batch.lines + record.line;
        batch.records.push_back(record);
      }
      batch.lines += piece.lines;
    }
  }

  bool complete(const VcfRecord& record) const override {
    return cpu::count_bytes(std::get<TextGenotypes>(record.genotypes).columns, '\t') ==
           samples_ - 1;
  }
  DosagesRead read_dosages(const VcfRecord& record, std::uint16_t* dosages) const override {
    const auto& genotypes = std::get<TextGenotypes>(record.genotypes);
    std::string_view format(record.begin, genotypes.columns.data() - 1 - record.begin);
    format.remove_prefix(format.rfind('\t') + 1);
    const std::int64_t field = find_key(format, "DS");
    return field < 0 ? DosagesRead{} : text_dosages(genotypes, field, dosages);
  }
  Alleles alleles(const VcfRecord& record) const override {
    const char* at = record.begin;
    for (int skipped = 0; skipped < 3; ++skipped) at = find(at, record.end, '\t') + 1;
    const char* const ref_end = find(at, record.end, '\t');
    return {{at, ref_end}, {ref_end + 1, find(ref_end + 1, record.end, '\t')}};
  }
  std::string column_fault(const VcfRecord& record) const override {
    const std::string_view line(record.begin, record.end - record.begin);
    const std::int64_t columns = cpu::count_bytes(line, '\t') + 1;
    const std::int64_t expected = fixed_columns + samples_;
    if (columns == expected) return {};
    return fmt::format("expected {} columns, {} and one for each of {}, got {}",
                       expected,
                       fixed_columns,
                       counted(samples_, "sample"),
                       columns);
  }
};

bool is_haploid(const BinaryGenotypes& genotypes, std::int64_t sample) {
  if (genotypes.ploidy < 2) return true;
  // The second value of a haploid call is the end of a vector: 0x81, 0x8001, 0x80000001.
  const std::uint8_t* const second =
      genotypes.values + (sample * genotypes.ploidy + 1) * genotypes.width;
  for (int k = 0; k < genotypes.width; ++k) {
    const bool is_first = k == 0, is_last = k + 1 == genotypes.width;
    if (second[k] != ((is_first ? 0x01 : 0) | (is_last ? 0x80 : 0))) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<VcfFormat> make_text_format(std::int64_t samples,
                                            const CallRules& calls,
                                            const RecordRules& records) {
  return std::make_unique<TextFormat>(samples, calls, records);
}

void VcfBatch::reserve(std::int64_t capacity) {
  if (bytes.size() >= capacity + padding) return;
  Array<char> larger(capacity + padding);
  if (size > 0) std::memcpy(larger.data(), bytes.data(), size);
  bytes = std::move(larger);
}

/// As in PLINK 2, allele 1 of a site without ALT is an ALT that the file does not spell out.
CallRow VcfFormat::row_of(const VcfRecord& record,
                          std::int64_t counted,
                          std::uint8_t* row,
                          std::int64_t stride) const {
  CallRules rules = calls_;
  rules.alts = std::max<std::int64_t>(record.alts, 1);
  rules.counted = counted;
  return {samples_, rules, row, stride};
}

bool VcfFormat::decode(const VcfRecord& record,
                       std::int64_t counted,
                       std::uint8_t* row,
                       std::int64_t stride) const {
  const CallRow to = row_of(record, counted, row, stride);
  return std::visit([&](const auto& own) { return cpu::decode_genotypes(own, to); },
                    record.genotypes);
}

GenotypeFault VcfFormat::reference_decode(const VcfRecord& record,
                                          std::int64_t counted,
                                          std::uint8_t* row,
                                          std::int64_t stride) const {
  const CallRow to = row_of(record, counted, row, stride);
  return std::visit([&](const auto& own) { return reference::decode_genotypes(own, to); },
                    record.genotypes);
}

std::uint32_t load32(const char* at) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word |= std::uint32_t{static_cast<unsigned char>(at[i])} << (8 * i);
  return word;
}

bool dosage_of(double ds, bool is_haploid, std::uint16_t& dosage) {
  const double alleles = is_haploid ? 2 * ds : ds;
  if (!(alleles >= 0 && alleles <= 2)) return false;
  dosage = static_cast<std::uint16_t>(alleles * genotype::dosage_unit + 0.5);
  return true;
}

DosagesRead binary_dosages(const BinaryGenotypes& genotypes,
                           std::int64_t samples,
                           const char* values,
                           std::int64_t count,
                           std::uint16_t* dosages) {
  constexpr std::uint32_t missing = 0x7f800001, end_of_vector = 0x7f800002;
  for (std::int64_t sample = 0; sample < samples && count > 0; ++sample) {
    const std::uint32_t word = load32(values + 4 * sample * count);
    if (word == missing || word == end_of_vector) continue;
    const float ds = std::bit_cast<float>(word);
    if (dosage_of(ds, is_haploid(genotypes, sample), dosages[sample])) continue;
    return {true, sample, fmt::format("{}", ds)};
  }
  return {.found = true};
}

}  // namespace yupana::io
