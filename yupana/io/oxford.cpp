#include <string_view>

#include "yupana/core/messages.hpp"
#include "yupana/io/plink_line.hpp"
#include "yupana/io/sample_table.hpp"

namespace yupana::io {
namespace {

/// Fields of a line, one after the other.
std::vector<std::string> oxford_fields(const LineReader& reader, std::string_view line) {
  refuse_null_bytes(reader, line);
  const std::vector<std::string_view> words = words_of(line);
  return {words.begin(), words.end()};
}

/// Where the columns that are read stand in a line, from 0; -1: nowhere.
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
                   fmt::join(names, " "));
  }
  const std::vector<std::string> types =
      reader.next(line) ? oxford_fields(reader, line) : std::vector<std::string>();
  if (types.size() != names.size() || types[0] != "0") {
    throw bad_line(reader.path(),
                   2,
                   "expected the types of {} columns, as 0 0 0 D, got '{}'",
                   names.size(),
                   fmt::join(types, " "));
  }
  OxfordPlaces places{pairs ? 0 : -1, pairs ? std::size_t{1} : 0, -1, names.size()};
  for (std::size_t i = places.individual + 1; i < names.size(); ++i) {
    if (lower_case(names[i]) == "sex") places.sex = static_cast<int>(i);
  }
  return places;
}

}  // namespace

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
  set_ids(path, names, {}, lines);
  if (names.families.empty()) names.individuals.clear();
  return names;
}

}  // namespace yupana::io
