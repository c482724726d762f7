#include <algorithm>
#include <unordered_map>

#include "yupana/core/messages.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/sample_lists.hpp"

namespace yupana::io {
namespace {

bool all_differ(const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (const std::string& name : names) {
    if (!seen.emplace(name, 0).second) return false;
  }
  return true;
}

void check_unique(const std::string& path,
                  const SampleNames& names,
                  const std::vector<std::int64_t>& lines) {
  std::unordered_map<std::string_view, std::size_t> first;
  for (std::size_t i = 0; i < names.ids.size(); ++i) {
    const auto [place, is_new] = first.emplace(names.ids[i], i);
    if (is_new) continue;
    throw bad_line(path,
                   lines[i],
                   "sample '{}' appears in line {} already; give every sample a name of its own",
                   names.ids[i],
                   lines[place->second]);
  }
}

constexpr int nowhere = -1;

/// Where the columns that are read are in a line, from 0.
struct PsamPlaces {
  int family = nowhere;
  int individual = nowhere;
  int source = nowhere;
  int father = nowhere;
  int mother = nowhere;
  int sex = nowhere;
  int columns = 0;
  int last() const { return std::max({family, individual, source, father, mother, sex}); }
};
constexpr PsamPlaces fam_places = {0, 1, nowhere, 2, 3, 4, 5};
constexpr std::size_t least_fam_columns = 5;

bool is_header(std::string_view line) { return line.starts_with('#'); }

/// The line of #FID or #IID; nothing in `places` for another line of the header.
bool take_header(const LineReader& reader, std::string_view line, PsamPlaces& places) {
  if (!line.starts_with("#FID") && !line.starts_with("#IID")) return false;
  line.remove_prefix(1);
  places = {};
  int count = 0;
  for (const std::string_view name : words_of(line)) {
    int* const place = name == "FID"   ? &places.family
                       : name == "IID" ? &places.individual
                       : name == "SID" ? &places.source
                       : name == "PAT" ? &places.father
                       : name == "MAT" ? &places.mother
                       : name == "SEX" ? &places.sex
                                       : nullptr;
    const int at = count++;
    if (place == nullptr) continue;
    if (*place != nowhere) {
      throw reader.fault("column {} is there twice; name each once", name);
    }
    *place = at;
  }
  places.columns = count;
  const int individual = places.family == nowhere ? 0 : 1;
  if (places.family > 0 || places.individual != individual) {
    throw reader.fault(
        "expected a header that begins with #FID IID or #IID; put these columns first");
  }
  if ((places.father == nowhere) != (places.mother == nowhere)) {
    throw reader.fault("expected both columns PAT and MAT or neither, got one");
  }
  return true;
}

/// The samples of the lines after the header.
class Samples {
 public:
  Samples(const LineReader& reader, const PsamPlaces& places)
      : reader_(reader), places_(places), fields_(static_cast<std::size_t>(places.last()) + 1) {}

  void add(std::string_view line) {
    const std::size_t count = split_fields(line, fields_.data(), fields_.size());
    if (count < fields_.size()) {
      throw reader_.fault("expected at least {} columns, got {}", fields_.size(), count);
    }
    refuse_inner_blank(reader_,
                       line,
                       fields_.back(),
                       static_cast<std::size_t>(places_.columns),
                       fields_.size() - 1);
    const auto field = [&](int place) { return fields_[static_cast<std::size_t>(place)]; };
    if (places_.family != nowhere) names_.families.emplace_back(field(places_.family));
    names_.individuals.emplace_back(field(places_.individual));
    if (places_.source != nowhere) names_.sources.emplace_back(field(places_.source));
    if (places_.father != nowhere) {
      names_.nonfounders.push_back(field(places_.father) != "0" || field(places_.mother) != "0");
    }
    if (places_.sex != nowhere) names_.sexes.push_back(sex_of(field(places_.sex)));
    lines_.push_back(reader_.number());
  }
  SampleNames finish() {
    set_ids(reader_.path(), names_, lines_);
    // Without families and SIDs the input is as a VCF: a sample has one name.
    if (id_columns(names_).size() == 1) names_.individuals.clear();
    return std::move(names_);
  }

 private:
  const LineReader& reader_;
  PsamPlaces places_;
  std::vector<std::string_view> fields_;
  SampleNames names_;
  std::vector<std::int64_t> lines_;
};

/// The columns of a file without a header.
PsamPlaces places_without_header(const LineReader& reader, std::string_view line) {
  std::string_view fields[least_fam_columns];
  const std::size_t count = split_fields(line, fields, least_fam_columns);
  if (count == least_fam_columns) return fam_places;
  throw reader.fault(
      "expected a header (#FID IID or #IID) or the columns of a .fam (family, "
      "individual, father, mother, sex), got {}",
      counted(static_cast<std::int64_t>(count), "column"));
}

}  // namespace

genotype::Sex sex_of(std::string_view text) {
  if (text == "1" || text == "M" || text == "m") return genotype::Sex::male;
  const bool female = text == "2" || text == "F" || text == "f";
  return female ? genotype::Sex::female : genotype::Sex::unknown;
}

SampleNames read_fam(const std::string& path) {
  SampleNames names;
  std::vector<std::int64_t> lines;
  LineReader reader(path);
  std::string_view fields[6];
  while (next_plink_line(reader, fields, "family, individual, father, mother, sex, phenotype")) {
    names.families.emplace_back(fields[0]);
    names.individuals.emplace_back(fields[1]);
    names.nonfounders.push_back(fields[2] != "0" || fields[3] != "0");
    names.sexes.push_back(sex_of(fields[4]));
    lines.push_back(reader.number());
  }
  set_ids(path, names, lines);
  return names;
}

void set_ids(const std::string& path, SampleNames& names, const std::vector<std::int64_t>& lines) {
  if (lines.empty()) throw bad_file(path, "holds no samples");
  names.ids = names.individuals;
  if (all_differ(names.ids)) return;
  const auto append = [&](const std::vector<std::string>& parts, bool first) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      names.ids[i] = first ? parts[i] + '_' + names.ids[i] : names.ids[i] + '_' + parts[i];
    }
  };
  append(names.families, true);
  if (!names.sources.empty() && !all_differ(names.ids)) append(names.sources, false);
  check_unique(path, names, lines);
}

std::vector<std::string> id_columns(const SampleNames& names) {
  std::vector<std::string> columns;
  if (!names.families.empty()) columns.emplace_back("FID");
  columns.emplace_back("IID");
  if (!names.sources.empty()) columns.emplace_back("SID");
  return columns;
}

std::vector<std::string> id_rows(const SampleNames& names) {
  std::vector<std::string> rows = names.individuals.empty() ? names.ids : names.individuals;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!names.families.empty()) rows[i] = names.families[i] + '\t' + rows[i];
    if (!names.sources.empty()) rows[i] += '\t' + names.sources[i];
  }
  return rows;
}

std::vector<std::string> id_pairs(const SampleNames& names) {
  if (names.families.empty()) return names.ids;
  std::vector<std::string> pairs = id_rows({names.ids, names.families, names.individuals});
  if (all_differ(pairs)) return pairs;
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] += '_' + names.sources[i];
  return pairs;
}

void check_sample_names(const std::string& path, const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, std::size_t> first;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) throw bad_file(path, "sample {} has no name; give it one", i + 1);
    const auto [place, is_new] = first.emplace(names[i], i);
    if (is_new) continue;
    throw bad_file(path,
                   "sample '{}' appears twice (samples {} and {}); give every sample a name of its "
                   "own",
                   names[i],
                   place->second + 1,
                   i + 1);
  }
}

SampleNames read_psam(const std::string& path) {
  LineReader reader(path);
  PsamPlaces places;
  bool known = false;
  std::string_view line;
  bool more = reader.next(line);
  for (; more && (is_header(line) || trimmed(line).empty()); more = reader.next(line)) {
    refuse_null_bytes(reader, line);
    if (!is_header(line) || !take_header(reader, line, places)) continue;
    if (known) throw reader.fault("expected one header, got another");
    known = true;
  }
  if (!more) throw bad_file(path, "holds no samples");
  if (!known) places = places_without_header(reader, line);
  Samples samples(reader, places);
  for (; more; more = reader.next(line)) {
    refuse_null_bytes(reader, line);
    if (!trimmed(line).empty()) samples.add(line);
  }
  return samples.finish();
}

}  // namespace yupana::io
