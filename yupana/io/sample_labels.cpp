// Labels of samples: which columns of the file hold them, and which label is none.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/sample_lists.hpp"

namespace yupana::io {
namespace {

using LabelFields = std::vector<std::string>;

template <std::size_t N>
bool is_one_of(const std::string& word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// True for an empty label and for one of missing_label_codes.
bool names_no_class(std::string_view label) {
  static constexpr std::array<std::string_view, 11> codes = {
      "", "na", "n/a", "nan", "null", "unknown", "missing", ".", "-", "?", "-9"};
  return is_one_of(lower_case(label), codes);
}

bool names_family(std::string_view field) {
  static constexpr std::array<std::string_view, 5> words = {
      "fid", "#fid", "family", "family_id", "familyid"};
  return is_one_of(lower_case(field), words);
}

bool names_samples(std::string_view field) {
  static constexpr std::array<std::string_view, 9> words = {"sample",
                                                            "samples",
                                                            "id",
                                                            "iid",
                                                            "name",
                                                            "individual",
                                                            "sample_id",
                                                            "sampleid",
                                                            "sample_name"};
  return field.starts_with('#') || names_family(field) || is_one_of(lower_case(field), words);
}

bool names_labels(std::string_view field) {
  static constexpr std::array<std::string_view, 14> words = {"pop",
                                                             "pops",
                                                             "population",
                                                             "populations",
                                                             "population_id",
                                                             "pop.group",
                                                             "pop_group",
                                                             "label",
                                                             "labels",
                                                             "group",
                                                             "cluster",
                                                             "class",
                                                             "ancestry",
                                                             "breed"};
  return is_one_of(lower_case(field), words);
}

/// Fields of a line cut at every tab, or at runs of blanks.
LabelFields fields_of(std::string_view line, bool tabs) {
  const auto columns = tabs ? cut(line, '\t') : words_of(line);
  return {columns.begin(), columns.end()};
}

struct Line {
  std::int64_t number = 0;
  LabelFields fields;
};

std::vector<Line> read_lines(const std::string& path) {
  std::vector<Line> lines;
  LineReader reader(path);
  std::optional<bool> tabs;
  for (std::string_view line; reader.next(line);) {
    if (line.find_first_not_of(" \t") == line.npos) continue;
    refuse_null_bytes(reader, line);
    if (!tabs) tabs = line.find('\t') != line.npos;
    lines.push_back({reader.number(), fields_of(line, *tabs)});
  }
  return lines;
}

/// The columns of a label file.
struct Layout {
  bool header = false;
  std::size_t id_columns = 1;
  bool families = false, sources = false;  ///< which of them there are next to the individual
  std::size_t label = 1;                   ///< from 0
};

/// True where the lines name family and individual rather than a sample in the first column. Where
/// the input has no families, PLINK writes 0 or the individual again for them.
bool has_families(const std::vector<Line>& lines,
                  std::size_t first,
                  const SampleNames& samples,
                  const SampleIndex& index) {
  std::size_t by_pair = 0, by_first = 0;
  for (std::size_t i = first; i < lines.size(); ++i) {
    const LabelFields& fields = lines[i].fields;
    if (fields.size() < 3) continue;
    const bool first_is_sample = index.find(fields[0]) >= 0;
    const bool stands_in = fields[0] == "0" || fields[0] == fields[1] || !first_is_sample;
    by_first += first_is_sample;
    by_pair += (!samples.families.empty() && index.find(fields[0], fields[1]) >= 0) ||
               (stands_in && index.find(fields[1]) >= 0);
  }
  return by_pair > 0 && by_pair >= by_first;
}

/// A number from 1; nothing where the text is a name.
std::optional<std::size_t> column_number(const std::string& column) {
  const auto number = number_of<std::size_t>(column);
  return number == 0u ? std::nullopt : number;
}

/// The column that --label-column names.
std::size_t chosen_column(const std::string& path, const Line& first, const std::string& column) {
  if (const auto number = column_number(column)) return *number - 1;
  const auto found = std::find(first.fields.begin(), first.fields.end(), column);
  if (found != first.fields.end()) {
    if (std::find(found + 1, first.fields.end(), column) == first.fields.end()) {
      return static_cast<std::size_t>(found - first.fields.begin());
    }
    throw usage_error(
        "--label-column: {} has several columns '{}'; choose one by number, from 1", path, column);
  }
  if (number_of<std::size_t>(column) == 0u) {
    throw usage_error("--label-column: expected a column's name or number from 1, got '0'");
  }
  throw bad_line(path,
                 first.number,
                 "the header has no column '{}'; name one of its columns or give a number",
                 column);
}

/// "2 'family', 3 'pop'": columns that may hold the label.
std::string listed(const LabelFields& first, const Layout& layout, std::size_t columns) {
  std::string text;
  for (std::size_t i = layout.id_columns; i < columns; ++i) {
    if (i > layout.id_columns) text += ", ";
    text += std::to_string(i + 1);
    if (layout.header && i < first.size()) text += fmt::format(" '{}'", first[i]);
  }
  return text;
}

/// The only column after the sample's, or the only one whose header names labels.
std::size_t default_column(const std::string& path,
                           const std::vector<Line>& lines,
                           const Layout& layout,
                           SampleLabels& labels) {
  std::size_t columns = 0;  // columns after the last are empty in every line
  for (const Line& line : lines) {
    for (std::size_t i = columns; i < line.fields.size(); ++i) {
      if (!line.fields[i].empty()) columns = i + 1;
    }
  }
  if (columns <= layout.id_columns + 1) return layout.id_columns;
  const LabelFields& first = lines.front().fields;
  std::vector<std::size_t> named;
  for (std::size_t i = layout.id_columns; layout.header && i < first.size(); ++i) {
    if (names_labels(first[i])) named.push_back(i);
  }
  if (named.size() == 1) {
    labels.notes.push_back(
        fmt::format("{}: labels are taken from column {} '{}'; --label-column "
                    "chooses another",
                    path,
                    named[0] + 1,
                    first[named[0]]));
    return named[0];
  }
  throw usage_error("{}: several columns may hold the labels ({}); choose one with --label-column",
                    path,
                    listed(first, layout, columns));
}

/// True where the first line names no sample, the next one does, and the last word of the first is
/// no label of another line: a header of other words than names_samples() knows.
bool is_unknown_header(const std::vector<Line>& lines, const SampleIndex& index) {
  const auto names_sample = [&](const LabelFields& fields) {
    return index.find(fields[0]) != SampleIndex::none ||
           (fields.size() > 2 && index.find(fields[1]) != SampleIndex::none);
  };
  const LabelFields& first = lines.front().fields;
  if (lines.size() < 2 || names_sample(first) || !names_sample(lines[1].fields)) return false;
  return std::none_of(lines.begin() + 1, lines.end(), [&](const Line& line) {
    return line.fields.back() == first.back();
  });
}

Layout layout_of(const std::string& path,
                 const std::vector<Line>& lines,
                 const SampleNames& samples,
                 const SampleIndex& index,
                 const std::string& column,
                 SampleLabels& labels) {
  const LabelFields& first = lines.front().fields;
  Layout layout;
  layout.header = (!column.empty() && !column_number(column)) ||
                  (index.find(first[0]) == SampleIndex::none && names_samples(first[0]));
  if (!layout.header && is_unknown_header(lines, index)) {
    layout.header = true;
    labels.notes.push_back(
        fmt::format("{}: its first line, '{}', names no sample and is taken for a header",
                    path,
                    printable(joined(first, " "))));
  }
  layout.families = layout.header && names_family(first[0]) && first.size() > 1 &&
                    names_samples(first[1]) && !names_family(first[1]);
  layout.families |= has_families(lines, layout.header ? 1 : 0, samples, index);
  layout.id_columns = layout.families ? 2 : 1;
  layout.sources = layout.header && first.size() > layout.id_columns &&
                   lower_case(first[layout.id_columns]) == "sid";
  layout.id_columns += layout.sources ? 1 : 0;
  layout.label = column.empty() ? default_column(path, lines, layout, labels)
                                : chosen_column(path, lines.front(), column);
  if (layout.label >= layout.id_columns) return layout;
  throw usage_error("{}: --label-column {}: this column names the samples", path, column);
}

void set_label(const std::string& path,
               const Line& line,
               std::int64_t sample,
               const std::string& label,
               std::unordered_map<std::string, std::int64_t>& places,
               SampleLabels& labels) {
  const auto [place, is_new] = places.emplace(label, std::ssize(labels.names));
  if (is_new) labels.names.push_back(label);
  std::int64_t& current = labels.of[sample];
  if (current >= 0 && current != place->second) {
    throw bad_line(path,
                   line.number,
                   "a second label, '{}', for a sample that has '{}' already",
                   label,
                   labels.names[current]);
  }
  current = place->second;
}

/// Reports the codes that left samples unlabelled, and how often.
void note_missing(const std::string& path,
                  const std::map<std::string, std::int64_t>& codes,
                  SampleLabels& labels) {
  if (codes.empty()) return;
  std::vector<std::string> names;
  for (const auto& [code, times] : codes) {
    labels.missing += times;
    names.push_back(code.empty() ? "empty" : "'" + code + "'");
  }
  labels.notes.push_back(fmt::format("{}: {} without label, where it is missing ({})",
                                     path,
                                     counted(labels.missing, "sample"),
                                     joined(names, ", ")));
}

/// Sets what the whole file says of the labels: ranks, and numbers where it has nothing else.
void compare_with_file(const std::map<std::string, std::int32_t>& ranks, SampleLabels& labels) {
  for (const std::string& name : labels.names) labels.ranks.push_back(ranks.at(name));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double low = infinity, high = -infinity;
  for (const auto& [name, rank] : ranks) {
    const auto number = number_of<double>(name);
    if (!number || !std::isfinite(*number) || ranks.size() <= max_number_classes) return;
    low = std::min(low, *number);
    high = std::max(high, *number);
  }
  for (const std::string& name : labels.names) {
    labels.numbers.push_back(*number_of<double>(name));
  }
  labels.low = low;
  labels.high = high;
}

/// The label of a line; a last column that is left out is an empty label.
std::string label_of(const std::string& path, const Line& line, const Layout& layout) {
  if (line.fields.size() > layout.label) return line.fields[layout.label];
  if (line.fields.size() == layout.label) return {};
  throw bad_line(path,
                 line.number,
                 "expected a label in column {}, got {}",
                 layout.label + 1,
                 counted(std::ssize(line.fields), "column"));
}

std::int64_t sample_of(const std::string& path,
                       const Line& line,
                       const Layout& layout,
                       const SampleNames& samples,
                       const SampleIndex& index) {
  const LabelFields& fields = line.fields;
  std::int64_t sample = SampleIndex::none;
  if (layout.sources && fields.size() >= layout.id_columns) {
    const auto end = fields.begin() + static_cast<std::ptrdiff_t>(layout.id_columns);
    sample = index.find_row(joined(std::span(fields.begin(), end), "\t"));
  }
  const bool pair = layout.families && fields.size() > 1;
  if (pair && sample < 0) sample = index.find(fields[0], fields[1]);
  if (sample == SampleIndex::none) sample = index.find(fields[pair ? 1 : 0]);
  if (sample != SampleIndex::several) return sample;
  throw bad_line(path,
                 line.number,
                 "names several samples; name one in columns {} of a header",
                 joined(id_columns(samples), ", "));
}

/// True where some line names a sample in its first or second column.
bool names_any_sample(const std::vector<Line>& lines, const SampleIndex& index) {
  return std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
    return index.find(line.fields[0]) != SampleIndex::none ||
           (line.fields.size() > 2 && index.find(line.fields[1]) != SampleIndex::none);
  });
}

/// Of a file none of whose lines names a sample.
Error no_samples(const std::string& path,
                 const std::vector<Line>& lines,
                 const SampleNames& samples) {
  const bool commas = std::all_of(lines.begin(), lines.end(), [](const Line& line) {
    return line.fields.size() == 1 && line.fields[0].find(',') != std::string::npos;
  });
  return bad_file(path,
                  "none of its lines names one of the {} of the input; expected sample names in "
                  "its first column, or family and individual in the first two{}",
                  counted(std::ssize(samples.ids), "sample"),
                  commas ? ", and tabs or blanks, not commas, between columns"
                  : lines.back().fields[0].find(' ') != std::string::npos
                      ? ", and tabs between all columns, as between two of them, not blanks"
                      : "");
}

/// Of a file that names samples and gives none of them a label.
Error no_labels(const std::string& path, const std::vector<Line>& lines, const Layout& layout) {
  const bool one_column = std::all_of(lines.begin(), lines.end(), [&](const Line& line) {
    return line.fields.size() <= layout.label;
  });
  return bad_file(path,
                  one_column ? fmt::format("expected a label in column {}, got lines without one",
                                           layout.label + 1)
                             : "every label is missing; give at least 2 classes, or leave the file "
                               "out");
}

}  // namespace

SampleLabels read_labels(const std::string& path,
                         const SampleNames& samples,
                         const std::string& column) {
  const SampleIndex index(samples);
  SampleLabels labels;
  labels.of.assign(samples.ids.size(), -1);
  const std::vector<Line> lines = read_lines(path);
  if (lines.empty()) throw bad_file(path, "expected labels of samples, got no line");
  if (!names_any_sample(lines, index)) throw no_samples(path, lines, samples);
  const Layout layout = layout_of(path, lines, samples, index, column, labels);
  std::unordered_map<std::string, std::int64_t> places;
  std::map<std::string, std::int64_t> missing;
  std::map<std::string, std::int32_t> ranks;
  for (std::size_t i = layout.header ? 1 : 0; i < lines.size(); ++i) {
    const std::string label = label_of(path, lines[i], layout);
    const std::int64_t sample = sample_of(path, lines[i], layout, samples, index);
    if (!names_no_class(label)) ranks.emplace(label, 0);
    if (sample < 0) {
      ++labels.unknown;
    } else if (names_no_class(label)) {
      ++missing[label];
    } else {
      set_label(path, lines[i], sample, label, places, labels);
    }
  }
  labels.unlabelled = std::count(labels.of.begin(), labels.of.end(), -1);
  if (labels.names.empty()) {
    throw missing.empty() ? no_samples(path, lines, samples) : no_labels(path, lines, layout);
  }
  note_missing(path, missing, labels);
  const LabelFields& first = lines.front().fields;
  const bool named = layout.header && layout.label < first.size();
  labels.column = named ? first[layout.label] : fmt::format("column {}", layout.label + 1);
  std::int32_t rank = 0;
  for (auto& [name, place] : ranks) place = rank++;
  compare_with_file(ranks, labels);
  return labels;
}

}  // namespace yupana::io
