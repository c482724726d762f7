#include "yupana/io/variant_lists.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

bool is_header(std::string_view line) {
  return line.starts_with('#') || line.starts_with("track") || line.starts_with("browser");
}

std::int64_t place_of(const LineReader& reader, std::string_view text, int column) {
  const auto place = number_of<std::int64_t>(text);
  constexpr std::int64_t most = std::int64_t{1} << 62;
  if (place && *place >= 0 && *place < most) return *place;
  throw reader.fault(
      "column {}: expected a place on the contig, got '{}'", column, printable(text));
}

/// Calls each(part) for the parts between separators; false as soon as one call is.
template <class Each>
bool all_parts(std::string_view text, char separator, const Each& each) {
  while (true) {
    const std::size_t at = text.find(separator);
    if (!each(text.substr(0, at))) return false;
    if (at == std::string_view::npos) return true;
    text.remove_prefix(at + 1);
  }
}

bool is_snp(const RecordRules& rules, std::string_view ref, std::string_view alt) {
  const auto passing = [&](std::string_view allele) { return passes(rules.snps_only, allele); };
  return passing(ref) && all_parts(alt, ',', passing);
}

/// False in `valid` where QUAL is neither a number nor '.'.
bool passes_qual(const RecordRules& rules, std::string_view text, bool& valid) {
  valid = true;
  if (!rules.min_qual) return true;
  if (text == ".") return false;
  double qual = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), qual);
  valid = error != std::errc::invalid_argument && end == text.data() + text.size();
  if (error == std::errc::result_out_of_range && text.find('-') == text.npos) return true;
  return static_cast<float>(qual) >= *rules.min_qual;  // rounded twice, as in a BCF
}

}  // namespace

VariantLines variant_lines_from_name(std::string_view option, std::string_view name) {
  if (name == "bed0") return VariantLines::bed0;
  if (name == "bed1" || name == "range") return VariantLines::bed1;
  throw usage_error(
      "{}: expected a file, or bed0, bed1 or range and a file, got '{}' first; name the input "
      "before the option",
      option,
      name);
}

VariantSet::VariantSet(const VariantListParams& params, std::int64_t autosomes)
    : autosomes_(autosomes), by_name_(params.lines == VariantLines::ids) {
  if (by_name_) {
    read_names(params.path);
  } else {
    read_intervals(params.path, params.lines);
    merge_intervals();
  }
  if (names_.empty() && intervals_.empty()) {
    throw bad_file(params.path,
                   by_name_
                       ? "names no variant; expected names of variants between blanks or lines"
                       : "holds no interval; expected contig, start and end, one interval a line");
  }
}

void VariantSet::read_names(const std::string& path) {
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    refuse_null_bytes(reader, line);
    for (std::string_view name; split_fields(line, &name, 1) == 1;) {
      names_.try_emplace(std::string(name));
      line.remove_prefix(static_cast<std::size_t>(name.data() + name.size() - line.data()));
    }
  }
}

void VariantSet::read_intervals(const std::string& path, VariantLines lines) {
  LineReader reader(path);
  std::string_view fields[3];
  for (std::string_view line; reader.next(line);) {
    refuse_null_bytes(reader, line);
    const std::size_t count = split_fields(line, fields, 3);
    if (count == 0 || is_header(line)) continue;
    if (count < 3) {
      throw reader.fault("expected contig, start and end, got {}",
                         counted(static_cast<std::int64_t>(count), "column"));
    }
    const std::int64_t start = place_of(reader, fields[1], 2), end = place_of(reader, fields[2], 3);
    const Range places{lines == VariantLines::bed0 ? start + 1 : start, end + 1};
    if (end < start) {
      throw reader.fault("the interval ends at {}, before its start {}", end, start);
    }
    intervals_[genotype::chromosome_key(fields[0], autosomes_)].push_back(places);
  }
}

void VariantSet::merge_intervals() {
  for (auto& [contig, ranges] : intervals_) {
    std::ranges::sort(ranges, {}, &Range::begin);
    std::size_t last = 0;
    for (const Range range : ranges) {
      if (range.begin <= ranges[last].end) {
        ranges[last].end = std::max(ranges[last].end, range.end);
      } else {
        ranges[++last] = range;
      }
    }
    ranges.resize(last + 1);
  }
}

bool VariantSet::contains(std::string_view contig,
                          std::int64_t position,
                          std::string_view name) const {
  if (by_name_) {
    const auto named = names_.find(name);
    if (named == names_.end()) return false;
    named->second.found.store(true, std::memory_order_relaxed);
    return true;
  }
  const auto found = intervals_.find(genotype::chromosome_key(contig, autosomes_));
  if (found == intervals_.end()) return false;
  const std::vector<Range>& ranges = found->second;
  const auto after = std::ranges::upper_bound(ranges, position, {}, &Range::begin);
  return after != ranges.begin() && position < std::prev(after)->end;
}

std::string_view reason_of_lists(const VariantLists& lists,
                                 std::string_view contig,
                                 std::int64_t position,
                                 std::string_view name) {
  // Both are asked: a name of either is one that a site has.
  const bool extracted = !lists.extract || lists.extract->contains(contig, position, name);
  const bool excluded = lists.exclude && lists.exclude->contains(contig, position, name);
  if (!extracted) return "not in --extract";
  return excluded ? "in --exclude" : std::string_view();
}

std::string VariantSet::unused_note(std::string_view option) const {
  std::int64_t unused = 0;
  std::string_view first;
  for (const auto& [name, use] : names_) {
    if (use.found.load(std::memory_order_relaxed)) continue;
    if (unused++ == 0 || name < first) first = name;
  }
  if (unused == 0) return {};
  return fmt::format(
      "{}: names of no variant on the chromosomes that are read are ignored: {} of {}, one is '{}'",
      option,
      unused,
      names_.size(),
      printable(first));
}

void add_unused_notes(const VariantLists& lists, std::vector<std::string>& notes) {
  const auto add = [&](std::string_view option, const VariantSet* list) {
    const std::string note = list == nullptr ? std::string() : list->unused_note(option);
    if (!note.empty()) notes.push_back(note);
  };
  add("--extract", lists.extract.get());
  add("--exclude", lists.exclude.get());
}

VariantLists read_variant_lists(const VariantListParams& extract,
                                const VariantListParams& exclude,
                                std::int64_t autosomes) {
  const auto read = [&](const VariantListParams& params) {
    return params.path.empty() ? nullptr : std::make_shared<const VariantSet>(params, autosomes);
  };
  return {read(extract), read(exclude)};
}

std::string_view reason_of(Verdict verdict) {
  constexpr std::string_view reasons[] = {"kept",
                                          "multiallelic (several ALT alleles)",
                                          no_snp_reason,
                                          "QUAL below --var-min-qual or missing",
                                          "FILTER not passed (--var-filter)",
                                          "no GT in FORMAT",
                                          "malformed"};  // by Verdict
  return reasons[static_cast<std::size_t>(verdict)];
}

bool RecordRules::allows(std::string_view filter) const {
  if (!var_filter || filter == "PASS" || filter == ".") return true;
  return std::find(var_filter->begin(), var_filter->end(), filter) != var_filter->end();
}

Verdict verdict_of(const RecordRules& rules,
                   std::int64_t alts,
                   bool snp,
                   bool qual_passes,
                   bool filters_pass,
                   bool has_genotypes) {
  if (!qual_passes) return Verdict::low_qual;
  if (!filters_pass) return Verdict::filtered;
  if (!snp) return Verdict::not_a_snp;
  if (alts > 1 && rules.multiallelic == Multiallelic::skip) return Verdict::multiallelic;
  return has_genotypes ? Verdict::kept : Verdict::no_genotypes;
}

std::int64_t alts_of(std::string_view alt) {
  return alt == "." ? 0 : 1 + std::count(alt.begin(), alt.end(), ',');
}

std::string_view allele_at(std::string_view alt, std::int64_t number) {
  for (; number > 1; --number) alt.remove_prefix(alt.find(',') + 1);
  return alt.substr(0, alt.find(','));
}

Verdict verdict_of(const RecordRules& rules, const RecordColumns& columns, bool has_genotypes) {
  bool valid_qual = true;
  const bool qual_passes = passes_qual(rules, columns.qual, valid_qual);
  if (!valid_qual) return Verdict::malformed;
  const bool filters_pass = !rules.var_filter || all_parts(columns.filter, ';', [&](auto name) {
    return rules.allows(name);
  });
  return verdict_of(rules,
                    alts_of(columns.alt),
                    is_snp(rules, columns.ref, columns.alt),
                    qual_passes,
                    filters_pass,
                    has_genotypes);
}

}  // namespace yupana::io
