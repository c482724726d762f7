#pragma once

#include <string>
#include <string_view>

namespace yupana::io {

/// A name as a cell of a table with tabs: in quotes, "" for a quote within, where a reader would
/// otherwise take it apart, trim it or leave its line out as a comment.
inline std::string tsv_cell(std::string_view name) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  const bool plain =
      name.find_first_of("\t\"") == name.npos &&
      (name.empty() || (name[0] != '#' && !is_blank(name[0]) && !is_blank(name.back())));
  if (plain) return std::string(name);
  std::string cell = "\"";
  for (const char c : name) cell.append(c == '"' ? 2 : 1, c);
  return cell + '"';
}

}  // namespace yupana::io
