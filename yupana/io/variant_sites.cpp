#include "yupana/io/variant_sites.hpp"

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/io/number_field.hpp"
#include "yupana/io/plink_line.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {

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

}  // namespace yupana::io
