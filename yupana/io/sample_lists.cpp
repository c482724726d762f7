#include "yupana/io/sample_lists.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "yupana/core/error.hpp"
#include "yupana/io/line_reader.hpp"

namespace yupana::io {
namespace {

/// Finds the samples of an input by the names a file may give them.
class SampleIndex {
 public:
  static constexpr std::int64_t none = -1;
  static constexpr std::int64_t several = -2;

  explicit SampleIndex(const SampleNames& samples) : samples_(samples) {
    for (std::size_t i = 0; i < samples.ids.size(); ++i) {
      ids_.emplace(samples.ids[i], static_cast<std::int64_t>(i));
    }
    for (std::size_t i = 0; i < samples.individuals.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      const auto [entry, is_new] = individuals_.emplace(samples.individuals[i], place);
      if (!is_new) entry->second = several;
      pairs_.emplace(pair_of(samples.families[i], samples.individuals[i]), place);
    }
  }

  std::int64_t find(std::string_view name) const {
    const auto by_id = ids_.find(name);
    if (by_id != ids_.end()) return by_id->second;
    const auto by_individual = individuals_.find(name);
    return by_individual != individuals_.end() ? by_individual->second : none;
  }

  std::int64_t find(std::string_view family, std::string_view individual) const {
    if (samples_.families.empty()) return find(individual);
    const auto found = pairs_.find(pair_of(family, individual));
    return found != pairs_.end() ? found->second : none;
  }

 private:
  /// Names have no tab in them.
  static std::string pair_of(std::string_view family, std::string_view individual) {
    return fmt::format("{}\t{}", family, individual);
  }

  const SampleNames& samples_;
  std::unordered_map<std::string_view, std::int64_t> ids_;
  std::unordered_map<std::string_view, std::int64_t> individuals_;
  std::unordered_map<std::string, std::int64_t> pairs_;
};

/// Fields of a line cut at every tab, or at runs of blanks.
std::vector<std::string_view> fields_of(std::string_view line, bool tabs) {
  std::vector<std::string_view> fields;
  if (!tabs) {
    std::array<std::string_view, 64> words;
    const std::size_t count = split_fields(line, words.data(), words.size());
    return {words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t tab = std::min(line.find('\t', begin), line.size());
    fields.push_back(line.substr(begin, tab - begin));
    begin = tab + 1;
  }
  while (!fields.empty() && fields.back().empty()) fields.pop_back();
  return fields;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

/// A number from 1; nothing where the text is a name.
std::optional<std::size_t> column_number(const std::string& column) {
  if (column.empty()) return 2;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(column.data(), column.data() + column.size(), number);
  if (error != std::errc() || end != column.data() + column.size() || number == 0) return {};
  return number;
}

bool names_samples(std::string_view field) {
  std::string word(field);
  std::transform(word.begin(), word.end(), word.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (word.starts_with('#')) return true;
  static constexpr std::string_view words[] = {"sample",
                                               "samples",
                                               "id",
                                               "iid",
                                               "name",
                                               "individual",
                                               "sample_id",
                                               "sampleid",
                                               "sample_name"};
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

/// Where the labels stand, and whether the first line is a header.
struct LabelColumn {
  std::size_t index;  ///< from 0
  bool header;
};

LabelColumn label_column(const std::string& path,
                         const std::vector<std::string_view>& first,
                         const SampleIndex& index,
                         const std::string& column) {
  const bool header = index.find(first[0]) == SampleIndex::none && names_samples(first[0]);
  if (const auto number = column_number(column)) return {*number - 1, header};
  const auto found = std::find(first.begin(), first.end(), column);
  if (found == first.end()) {
    throw bad_line(path,
                   1,
                   fmt::format("the header has no column '{}'; name one of its columns or give a "
                               "number",
                               column));
  }
  return {static_cast<std::size_t>(found - first.begin()), true};
}

void set_label(const LineReader& reader,
               std::int64_t sample,
               std::string_view label,
               std::unordered_map<std::string, std::int64_t>& places,
               SampleLabels& labels) {
  const auto [place, is_new] = places.emplace(label, std::ssize(labels.names));
  if (is_new) labels.names.emplace_back(label);
  std::int64_t& current = labels.of[sample];
  if (current >= 0 && current != place->second) {
    throw bad_line(reader.path(),
                   reader.number(),
                   fmt::format("a second label, '{}', for a sample that has '{}' already",
                               label,
                               labels.names[current]));
  }
  current = place->second;
}

}  // namespace

std::vector<std::string> read_ids(const std::string& path) {
  std::vector<std::string> ids;
  std::unordered_map<std::string, std::int64_t> lines;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    if (is_blank(line)) continue;
    const auto [first, is_new] = lines.emplace(line, reader.number());
    if (!is_new) {
      throw bad_line(path,
                     reader.number(),
                     fmt::format("sample '{}' stands in line {} already", line, first->second));
    }
    ids.emplace_back(line);
  }
  return ids;
}

std::vector<std::string> read_sample_list(const std::string& path, const SampleNames& samples) {
  const SampleIndex index(samples);
  std::vector<std::string> result;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    std::string_view fields[2];
    const std::size_t count = split_fields(line, fields, 2);
    if (count == 0 || fields[0].starts_with('#')) continue;
    std::int64_t place = index.find(line);  // names may have blanks in them
    if (place < 0 && count == 2) place = index.find(fields[0], fields[1]);
    if (place == SampleIndex::none && count == 1) place = index.find(fields[0]);
    if (place == SampleIndex::several) {
      throw bad_line(path,
                     reader.number(),
                     fmt::format("several families have an individual '{}'; write family and "
                                 "individual",
                                 fields[0]));
    }
    if (place == SampleIndex::none) {
      throw bad_line(path,
                     reader.number(),
                     fmt::format("sample '{}' is not among the {} samples of the input",
                                 count == 1 ? std::string(fields[0])
                                            : fmt::format("{} {}", fields[0], fields[1]),
                                 samples.ids.size()));
    }
    result.push_back(samples.ids[place]);
  }
  return result;
}

SampleLabels read_labels(const std::string& path,
                         const SampleNames& samples,
                         const std::string& column) {
  const SampleIndex index(samples);
  SampleLabels labels;
  labels.of.assign(samples.ids.size(), -1);
  std::unordered_map<std::string, std::int64_t> places;
  std::optional<LabelColumn> where;
  bool tabs = false;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    if (is_blank(line)) continue;
    if (!where) tabs = line.find('\t') != std::string_view::npos;
    const std::vector<std::string_view> fields = fields_of(line, tabs);
    if (!where) {
      where = label_column(path, fields, index, column);
      if (where->header) continue;
    }
    if (fields.size() <= where->index) {
      throw bad_line(
          path,
          reader.number(),
          fmt::format(
              "a label in column {} wanted, {} columns found", where->index + 1, fields.size()));
    }
    const std::int64_t sample = index.find(fields[0]);
    if (sample < 0) {
      ++labels.unknown;
    } else if (!fields[where->index].empty()) {
      set_label(reader, sample, fields[where->index], places, labels);
    }
  }
  labels.unlabelled = std::count(labels.of.begin(), labels.of.end(), -1);
  if (labels.names.empty()) {
    throw bad_file(path,
                   fmt::format("labels none of the {} samples of the input ({} lines name others); "
                               "sample names stand in its first column",
                               samples.ids.size(),
                               labels.unknown));
  }
  return labels;
}

}  // namespace yupana::io
