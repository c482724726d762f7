#include "yupana/io/substitution_file.hpp"

#include <array>
#include <iterator>
#include <string_view>
#include <vector>

#include "yupana/core/counted.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/number_field.hpp"
#include "yupana/splice/candidates.hpp"

namespace yupana::io {

splice::Substitution read_substitution(const std::string& path) {
  std::string letters;
  std::vector<int> scores;
  std::size_t rows = 0;
  LineReader reader(path);
  const auto fault = [&](const std::string& what) { return reader.fault(what); };
  for (std::string_view line; reader.next(line);) {
    std::array<std::string_view, 64> words;
    const std::size_t count = split_fields(line, words.data(), words.size());
    if (count == 0 || words[0].starts_with('#')) continue;
    if (letters.empty()) {
      for (std::size_t i = 0; i < count; ++i) {
        if (words[i].size() != 1) {
          throw fault(fmt::format(
              "expected a line of single letters, then their rows, as in NCBI's matrices, got '{}'",
              words[i]));
        }
        letters += words[i];
      }
      continue;
    }
    if (rows == letters.size() || words[0] != std::string_view(letters).substr(rows, 1)) {
      throw fault(fmt::format(
          "'{}' begins this row; the letters above say {}",
          words[0],
          rows == letters.size() ? "there is none left" : fmt::format("'{}'", letters[rows])));
    }
    if (count != letters.size() + 1) {
      throw fault(fmt::format("{} scores for {} letters", count - 1, letters.size()));
    }
    for (std::size_t i = 1; i < count; ++i) {
      constexpr int most = splice::max_unscaled_score;
      const auto score = number_of<int>(words[i]);
      if (!score || *score < -most || *score > most) {
        throw fault(
            fmt::format("expected a whole number from {} to {}, got '{}'", -most, most, words[i]));
      }
      scores.push_back(*score);
    }
    ++rows;
  }
  if (letters.empty() || rows != letters.size()) {
    throw bad_file(path,
                   "expected a line of letters and a row of scores for each, got {} for {}",
                   counted(static_cast<std::int64_t>(rows), "row"),
                   counted(std::ssize(letters), "letter"));
  }
  return splice::Substitution::matrix(letters, std::move(scores));
}

}  // namespace yupana::io
