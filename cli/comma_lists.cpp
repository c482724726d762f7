#include "cli/options.hpp"

namespace yupana::cli {
namespace {

/// What is in quotes from `at` on, which is then past it; nothing where no quote closes it.
std::string quoted_part(const std::string& word, std::size_t& at) {
  if (at >= word.size() || word[at] != '"') return {};
  std::string text;
  for (std::size_t i = at + 1; i < word.size(); ++i) {
    if (word[i] == '"') {
      if (i + 1 == word.size() || word[i + 1] != '"') {
        at = i + 1;
        return text;
      }
      ++i;
    }
    text += word[i];
  }
  return {};
}

}  // namespace

Names cut_at_commas(const Names& words) {
  Names pieces;
  for (const std::string& word : words) {
    for (std::size_t at = 0, comma = 0; comma != word.npos; at = comma + 1) {
      pieces.push_back(quoted_part(word, at));
      comma = word.find(',', at);
      pieces.back() += word.substr(at, comma == word.npos ? comma : comma - at);
    }
  }
  return pieces;
}

}  // namespace yupana::cli
