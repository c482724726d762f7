#include "yupana/io/variant_sites.hpp"

#include <algorithm>

#include "yupana/core/messages.hpp"
#include "yupana/io/number_field.hpp"
#include "yupana/io/plink_line.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {

void SiteCollector::take_contig(std::string_view name) {
  if (contig_.valid && contig_.contig == name) return;
  const genotype::ChromosomeFilter& chromosomes = rules_.chromosomes;
  contig_ = {std::string(name), chromosomes.keeps(name), true, true};
  if (rules_.region) contig_.in_region = rules_.region->is_on(name, chromosomes.autosomes());
  region_found_ = region_found_ || contig_.in_region;
  const bool is_new = listed_.insert(contig_.contig).second;
  if (is_new && contig_.keeps && contig_.in_region) result_.chromosomes.push_back(contig_.contig);
  if (is_new && seen_.size() < 5) seen_.push_back(contig_.contig);
  if (is_new && contig_.in_region && chromosomes.keeps_as_unknown(name)) {
    unknown_.push_back(contig_.contig);
  }
}

/// The reason to skip a site; empty for one that is kept.
std::string_view SiteCollector::reason_to_skip(std::int64_t position,
                                               std::string_view name,
                                               Verdict verdict) const {
  if (!contig_.keeps) return rules_.chromosomes.reason();
  if (position < 0) return "negative position";
  if (!contig_.in_region || (rules_.region && !rules_.region->covers(position))) {
    return rules_.region->outside;
  }
  const std::string_view listed = reason_of_lists(rules_.variants, contig_.contig, position, name);
  if (!listed.empty()) return listed;
  if (verdict == Verdict::malformed) {
    throw bad_line(path_, reader_->number(), "expected a number or '.' for QUAL");
  }
  return verdict == Verdict::kept ? std::string_view() : reason_of(verdict);
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
  if (contig_.keeps) {
    const auto number = number_of<std::int64_t>(position);
    if (!number) {
      throw bad_line(path_,
                     reader_->number(),
                     "column {}: expected a position, got '{}'",
                     column,
                     printable(position));
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
  const std::string_view reason = reason_to_skip(position, name, verdict);
  if (reason.empty()) return keep(site, alts);
  ++result_.account.read;
  ++result_.account.skipped[std::string(reason)];
}

VariantSites SiteCollector::finish() {
  if (rules_.region && !region_found_) {
    throw bad_file(path_,
                   "{}: no contig '{}'; the file has {}{}",
                   rules_.region->option,
                   rules_.region->contig,
                   fmt::join(seen_, ", "),
                   listed_.size() > seen_.size() ? ", ..." : "");
  }
  genotype::SiteAccount& account = result_.account;
  if (!unknown_.empty()) {
    account.notes.push_back(genotype::unknown_note(unknown_, rules_.chromosomes.autosomes()));
  }
  const std::string absent = rules_.chromosomes.absent_note({listed_.begin(), listed_.end()});
  if (!absent.empty()) account.notes.push_back(absent);
  add_unused_notes(rules_.variants, account.notes);
  const auto skipped = account.skipped.find(std::string(reason_of(Verdict::multiallelic)));
  if (skipped != account.skipped.end()) {
    account.notes.push_back(multiallelic_note(skipped->second, account.read));
  }
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

std::string multiallelic_note(std::int64_t skipped, std::int64_t read) {
  return fmt::format(
      "records with several ALT alleles are skipped, {} of {}; --multiallelic split or collapse "
      "takes them",
      skipped,
      read);
}

}  // namespace yupana::io
