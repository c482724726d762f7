#include "yupana/io/sample_lists.hpp"

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/plink_line.hpp"

namespace yupana::io {

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

}  // namespace yupana::io
