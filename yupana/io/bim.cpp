#include "yupana/io/bim.hpp"

#include <charconv>
#include <string_view>
#include <unordered_set>

#include "yupana/core/error.hpp"
#include "yupana/io/plink_line.hpp"

namespace yupana::io {
namespace {

/// The rules' verdict on the contig of the last line: consecutive lines mostly share it.
struct Verdict {
  std::string contig;
  bool keeps = false;
  bool in_region = true;
  bool valid = false;
};

/// Contigs as the lines name them.
struct Contigs {
  std::vector<std::string> unknown;  ///< kept under the default rule, each once
  std::unordered_set<std::string> listed;
  std::vector<std::string> seen;  ///< the first few
  bool region_found = false;
};

std::int64_t position_of(const LineReader& reader, std::string_view text) {
  std::int64_t position = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), position);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw bad_line(reader.path(),
                   reader.number(),
                   fmt::format("column 4: a position wanted, '{}' found", text));
  }
  return position;
}

void take_contig(std::string_view name, const BimRules& rules, Verdict& last, Contigs& contigs) {
  if (last.valid && last.contig == name) return;
  last = {std::string(name), rules.chromosomes.keeps(name), true, true};
  if (rules.region) last.in_region = rules.region->is_on(name, rules.chromosomes.autosomes());
  contigs.region_found = contigs.region_found || last.in_region;
  const bool is_new = contigs.listed.insert(last.contig).second;
  if (is_new && contigs.seen.size() < 5) contigs.seen.push_back(last.contig);
  if (is_new && last.in_region && rules.chromosomes.keeps_as_unknown(name)) {
    contigs.unknown.push_back(last.contig);
  }
}

/// The reason to skip a site; empty for one that is kept.
std::string_view reason_to_skip(const BimRules& rules,
                                const Verdict& contig,
                                std::int64_t position,
                                std::string_view a1,
                                std::string_view a2) {
  if (!contig.keeps) return rules.chromosomes.reason();
  if (position < 0) return "negative position";
  if (!contig.in_region || (rules.region && !rules.region->covers(position))) {
    return "outside --region";
  }
  if (!passes(rules.snps_only, a1) || !passes(rules.snps_only, a2)) return no_snp_reason;
  return {};
}

}  // namespace

BimSites read_bim(const std::string& path, const BimRules& rules) {
  BimSites result;
  Verdict contig;
  Contigs contigs;
  LineReader reader(path);
  std::string_view fields[6];
  while (next_plink_line(reader, fields, "chromosome, name, centimorgans, position, A1, A2")) {
    take_contig(fields[0], rules, contig, contigs);
    const std::int64_t site = result.sites++;
    const std::int64_t position = contig.keeps ? position_of(reader, fields[3]) : 0;
    const std::string_view reason = reason_to_skip(rules, contig, position, fields[4], fields[5]);
    if (!reason.empty()) {
      ++result.account.skipped[std::string(reason)];
      continue;
    }
    ++result.account.kept;
    if (!result.kept.empty() && result.kept.back().end == site) {
      ++result.kept.back().end;
    } else {
      result.kept.push_back({site, site + 1});
    }
  }
  result.account.read = result.sites;
  if (rules.region && !contigs.region_found) {
    throw bad_file(path,
                   fmt::format("--region: no contig '{}'; the file has {}",
                               rules.region->contig,
                               fmt::join(contigs.seen, ", ")));
  }
  if (!contigs.unknown.empty()) {
    result.account.notes.push_back(
        genotype::unknown_note(contigs.unknown, rules.chromosomes.autosomes()));
  }
  return result;
}

}  // namespace yupana::io
