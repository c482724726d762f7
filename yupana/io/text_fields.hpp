#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace yupana::io {

/// Cuts a line at blanks and tabs into at most `most` fields, the rest ignored; runs of blanks
/// count as one. Returns how many there are.
inline std::size_t split_fields(std::string_view line, std::string_view* fields, std::size_t most) {
  std::size_t count = 0;
  std::size_t at = 0;
  while (count < most) {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
    if (at == line.size()) break;
    const std::size_t begin = at;
    while (at < line.size() && line[at] != ' ' && line[at] != '\t') ++at;
    fields[count++] = line.substr(begin, at - begin);
  }
  return count;
}

/// All fields of a line, cut at blanks and tabs.
inline std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::string_view word; split_fields(line, &word, 1) == 1;) {
    words.push_back(word);
    line.remove_prefix(static_cast<std::size_t>(word.data() + word.size() - line.data()));
  }
  return words;
}

/// The fields between separators, empty ones too.
inline std::vector<std::string_view> cut(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t end = line.find(separator);
    fields.push_back(line.substr(0, end));
    if (end == line.npos) return fields;
    line.remove_prefix(end + 1);
  }
}

/// The lines of a text without their ends, \n or \r\n.
inline std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The text without blanks at its ends.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// ASCII letters in lower case.
inline std::string lower_case(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return low;
}

}  // namespace yupana::io
