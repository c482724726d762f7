#include "yupana/io/sample_lists.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/io/line_reader.hpp"

namespace yupana::io {
namespace {

const std::vector<std::string> fam_columns = {"FID", "IID", "PAT", "MAT", "SEX", "PHENO1"};

/// The place of a column; -1 for none.
int place_of(const SampleTable& table, std::string_view name) {
  const auto at = std::find(table.columns.begin(), table.columns.end(), name);
  return at == table.columns.end() ? -1 : static_cast<int>(at - table.columns.begin());
}

/// The first column that is no name, parent or sex.
int phenotype_of(const SampleTable& table) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string& name = table.columns[i];
    const bool is_known =
        name == "SID" ||
        std::find(fam_columns.begin(), fam_columns.end() - 1, name) != fam_columns.end() - 1;
    if (!is_known) return static_cast<int>(i);
  }
  return -1;
}

/// PLINK 1's code of a .psam's sex.
std::string_view sex_code(std::string_view sex) {
  constexpr std::string_view codes[] = {"0", "1", "2"};
  return codes[static_cast<int>(sex_of(sex))];
}

void check_name(std::string_view name) {
  if (name.size() > max_plink_name) {
    throw input_error(
        "sample '{:.20}...' has a name of {} bytes, and PLINK reads names of up to {}; write VCF, "
        "or "
        "shorten it",
        name,
        name.size(),
        max_plink_name);
  }
  if (name.find(' ') == name.npos) return;
  throw input_error(
      "sample '{}': PLINK's files cannot hold a name with a blank; write VCF, or rename it", name);
}

/// Fields of a line, one after the other.
std::vector<std::string> oxford_fields(const LineReader& reader, std::string_view line) {
  refuse_null_bytes(reader, line);
  const std::vector<std::string_view> words = words_of(line);
  return {words.begin(), words.end()};
}

/// Where the columns that are read are in a line, from 0; -1: nowhere.
struct OxfordPlaces {
  int family = -1;
  std::size_t individual = 0;
  int sex = -1;
  std::size_t columns = 0;
};

/// The two lines of the header.
OxfordPlaces read_oxford_header(LineReader& reader) {
  std::string_view line;
  const std::vector<std::string> names =
      reader.next(line) ? oxford_fields(reader, line) : std::vector<std::string>();
  const bool pairs =
      names.size() >= 2 && lower_case(names[0]) == "id_1" && lower_case(names[1]) == "id_2";
  if (!pairs && (names.empty() || lower_case(names[0]) != "id")) {
    throw bad_line(reader.path(),
                   1,
                   "expected the header of a .sample, ID_1 ID_2 missing or ID, got '{}'",
                   joined(names, " "));
  }
  const std::vector<std::string> types =
      reader.next(line) ? oxford_fields(reader, line) : std::vector<std::string>();
  if (types.size() != names.size() || types[0] != "0") {
    throw bad_line(reader.path(),
                   2,
                   "expected the types of {} columns, as 0 0 0 D, got '{}'",
                   names.size(),
                   joined(types, " "));
  }
  OxfordPlaces places{pairs ? 0 : -1, pairs ? std::size_t{1} : 0, -1, names.size()};
  for (std::size_t i = places.individual + 1; i < names.size(); ++i) {
    if (lower_case(names[i]) == "sex") places.sex = static_cast<int>(i);
  }
  return places;
}

}  // namespace

std::vector<std::string> read_ids(const std::string& path) {
  std::vector<std::string> ids;
  std::unordered_map<std::string, std::int64_t> lines;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    if (line.find_first_not_of(" \t") == line.npos) continue;
    refuse_null_bytes(reader, line);
    const auto [first, is_new] = lines.emplace(line, reader.number());
    if (!is_new) {
      throw reader.fault("sample '{}' appears in line {} already", line, first->second);
    }
    ids.emplace_back(line);
  }
  return ids;
}

std::unordered_set<std::string> read_first_column(const std::string& path) {
  std::unordered_set<std::string> names;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    refuse_null_bytes(reader, line);
    std::string_view name;
    if (split_fields(line, &name, 1) == 1) names.emplace(name);
  }
  return names;
}

SampleList read_sample_list(const std::string& path, const SampleNames& samples) {
  const SampleIndex index(samples);
  SampleList result;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    refuse_null_bytes(reader, line);
    std::string_view fields[3];
    const std::size_t count = split_fields(line, fields, 3);
    if (count == 0 || fields[0].starts_with('#')) continue;
    std::int64_t place = index.find(line);  // names may have blanks in them
    if (place < 0 && count == 3) place = index.find_row(joined(fields, "\t"));
    if (place < 0 && count >= 2) place = index.find(fields[0], fields[1]);
    if (place == SampleIndex::none && count == 1) place = index.find(fields[0]);
    if (place == SampleIndex::several) {
      throw reader.fault(
          "several samples are '{}'; write {}", trimmed(line), joined(id_columns(samples), ", "));
    }
    if (place != SampleIndex::none) {
      result.ids.push_back(samples.ids[place]);
    } else if (result.unknown++ == 0) {
      result.first_unknown = fmt::format("'{}{}{}' in line {}",
                                         fields[0],
                                         count >= 2 ? " " : "",
                                         count >= 2 ? fields[1] : std::string_view(),
                                         reader.number());
    }
  }
  return result;
}

SampleTable read_sample_table(const std::string& path) {
  LineReader reader(path);
  SampleTable table{fam_columns, {}};
  bool has_header = false;
  for (std::string_view line; reader.next(line);) {
    if (line.starts_with('#')) {
      if (!line.starts_with("#FID") && !line.starts_with("#IID")) continue;
      const auto names = words_of(line.substr(1));
      table.columns.assign(names.begin(), names.end());
      has_header = true;
      continue;
    }
    std::vector<std::string_view> fields = words_of(line);
    if (fields.empty()) continue;
    // A .fam may have more columns than are known, or no phenotype.
    if (!has_header && fields.size() < fam_columns.size()) fields.resize(fam_columns.size(), "-9");
    fields.resize(table.columns.size(), "NA");
    table.rows.push_back(joined(fields, "\t"));
  }
  return table;
}

std::string fam_text(const SampleTable& table) {
  const bool has_sources = place_of(table, "SID") >= 0;
  std::unordered_set<std::string> names;  // where several samples may be of one individual
  const int individual = place_of(table, "IID"), given = place_of(table, "FID");
  const int family = given < 0 ? individual : given;
  const int father = place_of(table, "PAT"), mother = place_of(table, "MAT");
  const int sex = place_of(table, "SEX"), phenotype = phenotype_of(table);
  std::string text;
  for (const std::string& row : table.rows) {
    const std::vector<std::string_view> fields = cut(row, '\t');
    check_name(fields[individual]);
    if (has_sources &&
        !names.insert(fmt::format("{}\t{}", fields[family], fields[individual])).second) {
      throw input_error(
          "several samples have family {} and individual {}: a .fam has no SID to tell them apart; "
          "write .pgen or VCF, or rename them",
          fields[family],
          fields[individual]);
    }
    const auto field = [&](int place, std::string_view missing) {
      const std::string_view value = place < 0 ? missing : fields[place];
      return value == "NA" ? missing : value;
    };
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n",
                        fields[family],
                        fields[individual],
                        field(father, "0"),
                        field(mother, "0"),
                        sex_code(field(sex, "0")),
                        field(phenotype, "-9"));
  }
  return text;
}

std::string psam_text(const SampleTable& table) {
  const bool is_bare = table.columns.size() == 1;
  std::string text = fmt::format("#{}{}\n", joined(table.columns, "\t"), is_bare ? "\tSEX" : "");
  for (const std::string& row : table.rows) {
    if (is_bare) check_name(row);
    text += row + (is_bare ? "\tNA\n" : "\n");
  }
  return text;
}

SampleTable read_oxford_table(const std::string& path) {
  LineReader reader(path);
  const OxfordPlaces places = read_oxford_header(reader);
  SampleTable table;
  std::vector<std::vector<std::string>> samples;
  bool has_families = false;
  for (std::string_view line; reader.next(line);) {
    samples.push_back(oxford_fields(reader, line));
    if (samples.back().empty()) {
      samples.pop_back();
    } else if (samples.back().size() != places.columns) {
      throw reader.fault(
          "expected {} columns, as the header has, got {}", places.columns, samples.back().size());
    } else if (places.family >= 0 && samples.back()[0] != "0") {
      has_families = true;
    }
  }
  if (has_families) table.columns.emplace_back("FID");
  table.columns.emplace_back("IID");
  if (places.sex >= 0) table.columns.emplace_back("SEX");
  for (const std::vector<std::string>& sample : samples) {
    table.rows.push_back((has_families ? sample[0] + '\t' : "") + sample[places.individual] +
                         (places.sex < 0 ? "" : '\t' + sample[places.sex]));
  }
  return table;
}

SampleNames read_oxford_samples(const std::string& path) {
  const SampleTable table = read_oxford_table(path);
  const bool has_families = table.columns[0] == "FID", has_sexes = table.columns.back() == "SEX";
  SampleNames names;
  std::vector<std::int64_t> lines;
  for (const std::string& row : table.rows) {
    const std::vector<std::string_view> fields = cut(row, '\t');
    if (has_families) names.families.emplace_back(fields[0]);
    names.individuals.emplace_back(fields[has_families ? 1 : 0]);
    if (has_sexes) names.sexes.push_back(sex_of(fields.back()));
    lines.push_back(std::ssize(lines) + 3);  // where no line is blank
  }
  set_ids(path, names, lines);
  if (names.families.empty()) names.individuals.clear();
  return names;
}

}  // namespace yupana::io
