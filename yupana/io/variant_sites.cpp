#include "yupana/io/variant_sites.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

/// The columns of a .pvar that are read, as its header names them.
enum Column { chromosome, position, identifier, ref, alt, qual, filter, morgans, column_count };
constexpr std::array<std::string_view, column_count> column_names = {
    "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "CM"};

/// Where the columns are in a line, from 0; -1: nowhere.
using Places = std::array<int, column_count>;
constexpr Places bim_places = {0, 3, 1, 5, 4, -1, -1, 2};
constexpr Places five_columns = {0, 2, 1, 4, 3, -1, -1, -1};

/// Fields are looked at up to the last that is read.
constexpr std::size_t most_fields = 16;

/// The places that the line of #CHROM gives; columns from FORMAT on are a VCF's samples.
Places places_of(const LineReader& reader, std::string_view line) {
  Places places;
  places.fill(-1);
  std::array<std::string_view, most_fields> names;
  const std::size_t count = split_fields(line, names.data(), most_fields);
  for (std::size_t i = 0; i < count && names[i] != "FORMAT"; ++i) {
    for (int column = 0; column < column_count; ++column) {
      if (names[i] != column_names[column]) continue;
      if (places[column] >= 0) {
        throw reader.fault("column {} is there twice; name each once", names[i]);
      }
      places[column] = static_cast<int>(i);
    }
  }
  for (const Column needed : {position, ref, alt}) {
    if (places[needed] >= 0) continue;
    throw reader.fault(
        "expected a column {} in the header (#CHROM POS ID REF ALT, as in a VCF), got none",
        column_names[needed]);
  }
  return places;
}

std::size_t last_of(const Places& places) {
  return static_cast<std::size_t>(*std::max_element(places.begin(), places.end()));
}

/// The variants of a .pvar, line by line.
class PvarLines {
 public:
  explicit PvarLines(LineReader& reader) : reader_(reader) {}

  /// Takes the next line that is a variant; false after the last.
  bool next() {
    for (std::string_view line; reader_.next(line);) {
      refuse_null_bytes(reader_, line);
      if (line.starts_with('#')) {
        take_header(line);
      } else if (take(line)) {
        return true;
      }
    }
    return false;
  }
  /// A column of it; '.' where the file has no such column.
  std::string_view operator[](Column column) const {
    return places_[column] < 0 ? std::string_view(".") : fields_[places_[column]];
  }
  /// The number of a column in the line, from 1.
  int number_of(Column column) const { return places_[column] + 1; }

 private:
  /// False for a blank line.
  bool take(std::string_view line) {
    const std::size_t count = split_fields(line, fields_.data(), known_ ? last_ + 1 : most_fields);
    if (count == 0) return false;
    if (!known_) take_places(count == 5 ? five_columns : bim_places);
    begun_ = true;
    if (count > last_) return true;
    throw reader_.fault("expected at least {} columns, got {}", last_ + 1, count);
  }
  void take_header(std::string_view line) {
    if (begun_) {
      throw reader_.fault(
          "expected a variant, got a line that begins with #; the header comes first");
    }
    if (line.starts_with("#CHROM")) take_places(places_of(reader_, line));
  }
  void take_places(const Places& places) {
    places_ = places;
    last_ = last_of(places);
    known_ = true;
  }

  LineReader& reader_;
  std::array<std::string_view, most_fields> fields_;
  Places places_{};
  std::size_t last_ = 0;
  bool known_ = false;
  bool begun_ = false;
};

}  // namespace

bool SiteJudge::take_contig(std::string_view name) {
  if (valid_ && contig_ == name) return false;
  const genotype::ChromosomeFilter& chromosomes = rules_->chromosomes;
  valid_ = true;
  contig_ = name;
  keeps_ = chromosomes.keeps(name);
  in_region_ = !rules_->region || rules_->region->is_on(name, chromosomes.autosomes());
  region_found_ = region_found_ || in_region_;
  const bool is_new = listed_.insert(contig_).second;
  if (is_new && in_region_ && chromosomes.keeps_as_unknown(name)) unknown_.push_back(contig_);
  return is_new;
}

std::string_view SiteJudge::reason_to_skip(std::int64_t position,
                                           std::string_view name,
                                           Verdict verdict) const {
  if (!keeps_) return rules_->chromosomes.reason();
  if (position < 0) return "negative position";
  if (!in_region_ || (rules_->region && !rules_->region->covers(position))) {
    return rules_->region->outside;
  }
  const std::string_view listed = reason_of_lists(rules_->variants, contig_, position, name);
  return !listed.empty() || verdict == Verdict::kept ? listed : reason_of(verdict);
}

void SiteJudge::add_notes(genotype::SiteAccount& account, bool all_contigs) const {
  if (!unknown_.empty()) {
    account.notes.push_back(genotype::unknown_note(unknown_, rules_->chromosomes.autosomes()));
  }
  const std::string absent = rules_->chromosomes.absent_note({listed_.begin(), listed_.end()});
  if (!absent.empty() && all_contigs) account.notes.push_back(absent);
  add_unused_notes(rules_->variants, account.notes);
  const auto skipped = account.skipped.find(std::string(reason_of(Verdict::multiallelic)));
  if (skipped == account.skipped.end()) return;
  account.notes.push_back(
      fmt::format("records with several ALT alleles are skipped, {} of {}; --multiallelic split "
                  "takes them, and so does --multiallelic collapse where no sites are written",
                  skipped->second,
                  account.read));
}

void SiteCollector::take_contig(std::string_view name) {
  if (!judge_.take_contig(name)) return;
  if (judge_.keeps_contig() && judge_.is_in_region()) result_.chromosomes.emplace_back(name);
  if (seen_.size() < 5) seen_.emplace_back(name);
}

void SiteCollector::keep(std::int64_t site, std::int64_t alts) {
  const bool split = rules_.records.multiallelic == Multiallelic::split && alts > 1;
  const std::int64_t sites = split ? alts : 1;
  result_.account.kept += sites;
  result_.account.read += sites;
  if (alts > 1) result_.multiallelic.push_back({site, alts});
  if (!result_.kept.empty() && result_.kept.back().end == site) {
    ++result_.kept.back().end;
  } else {
    result_.kept.push_back({site, site + 1});
  }
}

void SiteCollector::add(std::string_view contig,
                        std::string_view position,
                        int column,
                        std::string_view name,
                        Verdict verdict,
                        std::int64_t alts) {
  take_contig(contig);
  std::int64_t place = 0;
  if (judge_.keeps_contig()) {
    const auto number = number_of<std::int64_t>(position);
    if (!number) {
      throw reader_->fault("column {}: expected a position, got '{}'", column, printable(position));
    }
    place = *number;
  }
  add(contig, place, name, verdict, alts);
}

void SiteCollector::add(std::string_view contig,
                        std::int64_t position,
                        std::string_view name,
                        Verdict verdict,
                        std::int64_t alts) {
  take_contig(contig);
  const std::int64_t site = result_.sites++;
  const std::string_view reason = judge_.reason_to_skip(position, name, verdict);
  if (reason.empty()) return keep(site, alts);
  if (reason == reason_of(Verdict::malformed)) {
    throw reader_->fault("expected a number or '.' for QUAL");
  }
  ++result_.account.read;
  ++result_.account.skipped[std::string(reason)];
}

VariantSites SiteCollector::finish() {
  if (!judge_.found_region()) {
    throw bad_file(path_,
                   "{}: no contig '{}'; the file has {}{}",
                   rules_.region->option,
                   rules_.region->contig,
                   joined(seen_, ", "),
                   judge_.contigs() > seen_.size() ? ", ..." : "");
  }
  judge_.add_notes(result_.account, true);
  return std::move(result_);
}

SiteRow SiteCursor::row() const {
  const std::int64_t variant = sites_.kept[stretch_].begin + next_;
  return {variant, is_multiallelic(variant) ? sites_.multiallelic[several_].alts : 1, counted_};
}

void SiteCursor::next() {
  const SiteRow now = row();
  if (split_ && now.counted < now.alts) {
    ++counted_;
    return;
  }
  counted_ = 1;
  if (is_multiallelic(now.variant)) ++several_;
  if (++next_ < sites_.kept[stretch_].size()) return;
  ++stretch_;
  next_ = 0;
}

bool SiteCursor::is_multiallelic(std::int64_t variant) const {
  return several_ < sites_.multiallelic.size() && sites_.multiallelic[several_].site == variant;
}

bool ListedSource::skip(genotype::SiteBlock& block) {
  block.sites = 0;
  for (; wants_row(block); cursor_->next()) ++block.sites;
  return block.sites > 0;
}

void ListedSource::clear(genotype::SiteBlock& block) const {
  if (block.samples != sample_count()) {
    throw usage_error(
        "read: expected a block of {} samples, got one of {}", sample_count(), block.samples);
  }
  block.sites = block.dosage_sites = 0;
  block.names.clear();
}

VariantSites read_bim(const std::string& path, const SiteRules& rules) {
  LineReader reader(path);
  SiteCollector sites(reader, rules);
  std::string_view fields[6];
  while (next_plink_line(reader, fields, "chromosome, name, centimorgans, position, A1, A2")) {
    const SnpsOnly snps_only = rules.records.snps_only;
    const bool snp = passes(snps_only, fields[4]) && passes(snps_only, fields[5]);
    sites.add(fields[0], fields[3], 4, fields[1], snp ? Verdict::kept : Verdict::not_a_snp, 1);
  }
  return sites.finish();
}

VariantSites read_pvar(const std::string& path, const SiteRules& rules) {
  LineReader reader(path);
  PvarLines line(reader);
  SiteCollector sites(reader, rules);
  while (line.next()) {
    const RecordColumns columns{line[ref], line[alt], line[qual], line[filter]};
    sites.add(line[chromosome],
              line[position],
              line.number_of(position),
              line[identifier],
              verdict_of(rules.records, columns, true),
              alts_of(columns.alt));
  }
  return sites.finish();
}

struct VariantNames::State {
  explicit State(const std::string& path) : reader(path), line(reader) {}

  LineReader reader;
  PvarLines line;
  std::int64_t next = 0;  ///< site of the line that comes next
  genotype::SiteName name;
};

VariantNames::VariantNames(const std::string& path) : state_(std::make_unique<State>(path)) {}
VariantNames::~VariantNames() = default;

const genotype::SiteName& VariantNames::at(std::int64_t site) {
  State& state = *state_;
  for (; state.next <= site; ++state.next) {
    if (!state.line.next()) {
      throw bad_file(state.reader.path(), "has become shorter while it was read; run again");
    }
  }
  const PvarLines& line = state.line;
  genotype::SiteName& name = state.name;
  name.chromosome = line[chromosome];
  name.position = number_of<std::int64_t>(line[position]).value_or(0);
  name.name = line[identifier];
  name.a1 = line[alt];
  name.a2 = line[ref];
  name.centimorgans = line[morgans] == "." ? "0" : line[morgans];
  return name;
}

}  // namespace yupana::io
