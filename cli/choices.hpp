#pragma once

#include <CLI/CLI.hpp>
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

/// Adds an option whose words stand for the values of an enumeration. --help ends with the words,
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
