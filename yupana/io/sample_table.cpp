#include "yupana/io/sample_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "yupana/core/messages.hpp"
#include "yupana/io/fam.hpp"
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
  if (name.find(' ') == name.npos) return;
  throw input_error(
      "sample '{}': PLINK's files cannot hold a name with a blank; write VCF, or rename it", name);
}

}  // namespace

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
    table.rows.push_back(fmt::format("{}", fmt::join(fields, "\t")));
  }
  return table;
}

std::string fam_text(const SampleTable& table) {
  const int individual = place_of(table, "IID"), given = place_of(table, "FID");
  const int family = given < 0 ? individual : given;
  const int father = place_of(table, "PAT"), mother = place_of(table, "MAT");
  const int sex = place_of(table, "SEX"), phenotype = phenotype_of(table);
  std::string text;
  for (const std::string& row : table.rows) {
    const std::vector<std::string_view> fields = cut(row, '\t');
    check_name(fields[individual]);
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
  std::string text = fmt::format("#{}{}\n", fmt::join(table.columns, "\t"), is_bare ? "\tSEX" : "");
  for (const std::string& row : table.rows) {
    if (is_bare) check_name(row);
    text += row + (is_bare ? "\tNA\n" : "\n");
  }
  return text;
}

}  // namespace yupana::io
