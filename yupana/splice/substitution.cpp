#include "yupana/splice/substitution.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "yupana/core/counted.hpp"
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

}  // namespace yupana::splice
