#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "yupana/core/text.hpp"

namespace yupana::io {

/// Bytes of a file as a message may show them: escaped, the first 40 of them or the characters that
/// begin there.
inline std::string printable(std::string_view bytes) {
  constexpr std::size_t most = 40;
  std::size_t size = 0;
  while (size < std::min(most, bytes.size())) {
    size += std::max<std::size_t>(1, shown_character(bytes.substr(size)));
  }
  const std::string text = yupana::escaped(bytes.substr(0, size));
  return size < bytes.size() ? text + "..." : text;
}

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

/// Numbers for texts, in order of appearance.
class Names {
 public:
  std::int32_t number(std::string_view text) {
    // Runs of one text are usual.
    if (last_ >= 0 && texts_[last_] == text) return last_;
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return last_ = found->second;
    last_ = static_cast<std::int32_t>(texts_.size());
    texts_.emplace_back(text);
    numbers_.emplace(texts_.back(), last_);
    return last_;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
  std::int32_t last_ = -1;
};

/// All texts of several lists once: in order of value if every one is a number (equal values in
/// order of bytes), else in order of bytes.
std::vector<std::string> ordered_names(const std::vector<Names>& lists);
/// For each text its place in `known`; -1: none.
std::vector<std::int32_t> places_of(const std::vector<std::string>& texts,
                                    const std::vector<std::string>& known);

/// A text in UTF-8 of at most `letters` characters: the middle of a longer one is an ellipsis.
inline std::string without_middle(const std::string& text, std::size_t letters) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) begins.push_back(i);
  }
  if (begins.size() <= letters) return text;
  const std::size_t last = letters / 2, first = letters - 1 - last;
  return text.substr(0, begins[first]) + "…" + text.substr(begins[begins.size() - last]);
}

}  // namespace yupana::io
