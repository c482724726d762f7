#include "yupana/io/substitution_file.hpp"

#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yupana/core/counted.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/number_field.hpp"
#include "yupana/splice/candidates.hpp"

namespace yupana::io {

namespace {

/// The line of letters, each of which heads a column.
std::string letters_of(const LineReader& reader, const std::vector<std::string_view>& words) {
  std::string letters, seen;
  for (const std::string_view word : words) {
    const std::string lower = lower_case(word);
    if (word.size() != 1) {
      throw reader.fault(
          "expected a line of single letters, then their rows, as in NCBI's matrices, got '{}'",
          word);
    }
    if (seen.find(lower) != seen.npos) {
      throw reader.fault(
          "expected each letter once, in either case, got '{}' again; keep one column and row of "
          "it",
          word);
    }
    seen += lower;
    letters += word;
  }
  return letters;
}

/// Appends the scores of row `row`.
void add_scores(const LineReader& reader,
                const std::vector<std::string_view>& words,
                std::string_view letters,
                std::size_t row,
                std::vector<int>& scores) {
  if (row == letters.size()) {
    throw reader.fault("expected {}, one for each letter, got one more, of '{}'; remove it",
                       counted(std::ssize(letters), "row"),
                       words[0]);
  }
  if (words[0] != letters.substr(row, 1)) {
    throw reader.fault(
        "expected the row of '{}', as letter {} of the first line, got '{}'; begin each row with "
        "its letter, in the order of that line",
        letters[row],
        row + 1,
        words[0]);
  }
  if (words.size() != letters.size() + 1) {
    throw reader.fault("expected {} after '{}', one for each letter of the first line, got {}",
                       counted(std::ssize(letters), "score"),
                       words[0],
                       words.size() - 1);
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    constexpr int most = splice::max_unscaled_score;
    const auto score = number_of<int>(words[i]);
    if (!score || *score < -most || *score > most) {
      throw reader.fault(
          "expected a whole number from {} to {} as the score of '{}' and '{}', got "
          "'{}'",
          -most,
          most,
          words[0],
          letters[i - 1],
          words[i]);
    }
    scores.push_back(*score);
  }
}

}  // namespace

splice::Substitution read_substitution(const std::string& path) {
  std::string letters;
  std::vector<int> scores;
  std::size_t rows = 0;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty() || words[0].starts_with('#')) continue;
    if (letters.empty()) {
      letters = letters_of(reader, words);
    } else {
      add_scores(reader, words, letters, rows++, scores);
    }
  }
  if (letters.empty() || rows != letters.size()) {
    throw bad_file(path,
                   "expected a line of letters, then a row of scores for each, as in NCBI's "
                   "matrices, got {} for {}{}",
                   counted(static_cast<std::int64_t>(rows), "row"),
                   counted(std::ssize(letters), "letter"),
                   letters.empty() ? "" : fmt::format("; that of '{}' is missing", letters[rows]));
  }
  return splice::Substitution::matrix(letters, std::move(scores));
}

}  // namespace yupana::io
