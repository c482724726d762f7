#include "yupana/splice/substitution.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "yupana/core/messages.hpp"

namespace yupana::splice {

int Substitution::highest() const {
  return scores.empty() ? 0 : *std::max_element(scores.begin(), scores.end());
}

Substitution Substitution::matrix(std::string_view letters, std::vector<int> scores) {
  if (letters.empty() || scores.size() != letters.size() * letters.size()) {
    throw input_error("substitution matrix: expected {} scores for {}, got {}",
                      letters.size() * letters.size(),
                      counted(std::ssize(letters), "letter"),
                      scores.size());
  }
  Substitution result;
  result.code.fill(no_letter);
  result.letters = static_cast<int>(letters.size());
  result.scores = std::move(scores);
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const auto letter = static_cast<unsigned char>(letters[i]);
    const auto upper = static_cast<unsigned char>(std::toupper(letter));
    const auto lower = static_cast<unsigned char>(std::tolower(letter));
    if (result.code[upper] != no_letter) {
      throw input_error("substitution matrix: letter '{}' stands there twice", letters[i]);
    }
    result.code[upper] = result.code[lower] = static_cast<std::uint8_t>(i);
  }
  return result;
}

Substitution Substitution::dna(int match, int mismatch) {
  // The bases each letter stands for: A 1, C 2, G 4, T 8.
  static constexpr std::pair<char, int> sets[] = {{'A', 1},
                                                  {'C', 2},
                                                  {'G', 4},
                                                  {'T', 8},
                                                  {'R', 5},
                                                  {'Y', 10},
                                                  {'S', 6},
                                                  {'W', 9},
                                                  {'K', 12},
                                                  {'M', 3},
                                                  {'B', 14},
                                                  {'D', 13},
                                                  {'H', 11},
                                                  {'V', 7},
                                                  {'N', 15}};
  std::string letters;
  std::vector<int> scores;
  for (const auto& [letter, bases] : sets) {
    letters += letter;
    for (const auto& [other, others] : sets) {
      const bool single = (bases & (bases - 1)) == 0 && (others & (others - 1)) == 0;
      scores.push_back((bases & others) == 0 ? mismatch : single ? match : 0);
    }
  }
  Substitution result = matrix(letters, std::move(scores));
  result.code['U'] = result.code['u'] = result.code['T'];
  return result;
}

Substitution Substitution::blosum62() {
  static constexpr std::string_view letters = "ARNDCQEGHILKMFPSTWYVBZX*";
  // clang-format off
  static constexpr signed char rows[] = {
      4, -1, -2, -2, 0, -1, -1, 0, -2, -1, -1, -1, -1, -2, -1, 1, 0, -3, -2, 0, -2, -1, 0, -4,
      -1, 5, 0, -2, -3, 1, 0, -2, 0, -3, -2, 2, -1, -3, -2, -1, -1, -3, -2, -3, -1, 0, -1, -4,
      -2, 0, 6, 1, -3, 0, 0, 0, 1, -3, -3, 0, -2, -3, -2, 1, 0, -4, -2, -3, 3, 0, -1, -4,
      -2, -2, 1, 6, -3, 0, 2, -1, -1, -3, -4, -1, -3, -3, -1, 0, -1, -4, -3, -3, 4, 1, -1, -4,
      0, -3, -3, -3, 9, -3, -4, -3, -3, -1, -1, -3, -1, -2, -3, -1, -1, -2, -2, -1, -3, -3, -2, -4,
      -1, 1, 0, 0, -3, 5, 2, -2, 0, -3, -2, 1, 0, -3, -1, 0, -1, -2, -1, -2, 0, 3, -1, -4,
      -1, 0, 0, 2, -4, 2, 5, -2, 0, -3, -3, 1, -2, -3, -1, 0, -1, -3, -2, -2, 1, 4, -1, -4,
      0, -2, 0, -1, -3, -2, -2, 6, -2, -4, -4, -2, -3, -3, -2, 0, -2, -2, -3, -3, -1, -2, -1, -4,
      -2, 0, 1, -1, -3, 0, 0, -2, 8, -3, -3, -1, -2, -1, -2, -1, -2, -2, 2, -3, 0, 0, -1, -4,
      -1, -3, -3, -3, -1, -3, -3, -4, -3, 4, 2, -3, 1, 0, -3, -2, -1, -3, -1, 3, -3, -3, -1, -4,
      -1, -2, -3, -4, -1, -2, -3, -4, -3, 2, 4, -2, 2, 0, -3, -2, -1, -2, -1, 1, -4, -3, -1, -4,
      -1, 2, 0, -1, -3, 1, 1, -2, -1, -3, -2, 5, -1, -3, -1, 0, -1, -3, -2, -2, 0, 1, -1, -4,
      -1, -1, -2, -3, -1, 0, -2, -3, -2, 1, 2, -1, 5, 0, -2, -1, -1, -1, -1, 1, -3, -1, -1, -4,
      -2, -3, -3, -3, -2, -3, -3, -3, -1, 0, 0, -3, 0, 6, -4, -2, -2, 1, 3, -1, -3, -3, -1, -4,
      -1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7, -1, -1, -4, -3, -2, -2, -1, -2, -4,
      1, -1, 1, 0, -1, 0, 0, 0, -1, -2, -2, 0, -1, -2, -1, 4, 1, -3, -2, -2, 0, 0, 0, -4,
      0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1, 5, -2, -2, 0, -1, -1, 0, -4,
      -3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1, -4, -3, -2, 11, 2, -3, -4, -3, -2, -4,
      -2, -2, -2, -3, -2, -1, -2, -3, 2, -1, -1, -2, -1, 3, -3, -2, -2, 2, 7, -1, -3, -2, -1, -4,
      0, -3, -3, -3, -1, -2, -2, -3, -3, 3, 1, -2, 1, -1, -2, -2, 0, -3, -1, 4, -3, -2, -1, -4,
      -2, -1, 3, 4, -3, 0, 1, -1, 0, -3, -4, 0, -3, -3, -2, 0, -1, -4, -3, -3, 4, 1, -1, -4,
      -1, 0, 0, 1, -3, 3, 4, -2, 0, -3, -3, 1, -1, -3, -1, 0, -1, -3, -2, -2, 1, 4, -1, -4,
      0, -1, -1, -1, -2, -1, -1, -1, -1, -1, -1, -1, -1, -1, -2, 0, 0, -2, -1, -1, -1, -1, -1, -4,
      -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, 1};
  // clang-format on
  Substitution result = matrix(letters, {std::begin(rows), std::end(rows)});
  for (const char letter : {'J', 'O', 'U', 'j', 'o', 'u'}) {
    result.code[static_cast<unsigned char>(letter)] = result.code['X'];
  }
  return result;
}

}  // namespace yupana::splice
