#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace yupana::cli {

/// Words an option takes and their values, in the order of --help; the program lists them where
/// another word is given.
template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

/// "pairwise, mode or error"
inline std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

inline CLI::ValidationError not_a_choice(const std::string& option,
                                         const std::vector<std::string>& words,
                                         const std::string& given) {
  return CLI::ValidationError(option, "expected " + listed(words) + ", got '" + given + "'");
}

/// A check that a word is one of `words`; for options that keep the word, or take several.
inline CLI::Validator one_of(std::vector<std::string> words) {
  return CLI::Validator(
      [words](std::string& given) {
        if (std::find(words.begin(), words.end(), given) != words.end()) return std::string();
        return "expected " + listed(words) + ", got '" + given + "'";
      },
      "");
}

/// A check of a number that refuses nan too, which CLI::Range lets pass.
inline CLI::Validator number_in(double least, double most) {
  const std::string range = fmt::format("{:g} to {:g}", least, most);
  return CLI::Validator(
      [least, most, range](std::string& given) {
        double value = 0;
        const bool number = CLI::detail::lexical_cast(given, value);
        if (number && value >= least && value <= most) return std::string();
        return "expected a number from " + range + ", got '" + given + "'";
      },
      range);
}

/// Adds an option whose words name the values of an enumeration. --help ends with the words,
/// and with the default, which is what `value` holds now.
template <class T>
CLI::Option* add_choice(CLI::App& app,
                        const std::string& name,
                        T& value,
                        const Choices<T>& choices,
                        const std::string& help) {
  std::vector<std::string> words;
  std::string chosen;
  for (const auto& [word, meaning] : choices) {
    words.push_back(word);
    if (meaning == value) chosen = word;
  }
  return app
      .add_option_function<std::string>(
          name,
          [name, words, choices, &value](const std::string& given) {
            for (const auto& [word, meaning] : choices) {
              if (word != given) continue;
              value = meaning;
              return;
            }
            throw not_a_choice(name, words, given);
          },
          help + ": " + listed(words))
      ->default_str(chosen);
}

}  // namespace yupana::cli
