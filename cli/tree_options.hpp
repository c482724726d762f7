#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "yupana/job/trees.hpp"

namespace yupana::cli {

/// How a table of the tree and forest commands is read. Returns the options, which mean nothing
/// where a command is given no table.
std::vector<CLI::Option*> add_tree_table(CLI::App& app, job::TreeTable& table);
/// tree fit and forest fit.
void add_fit(CLI::App& program, bool forest);

template <class E>
CLI::Option* add_choice(CLI::App& app,
                        const std::string& name,
                        E& value,
                        const std::map<std::string, E>& choices,
                        const std::string& help) {
  std::vector<std::string> names;
  std::string chosen;
  for (const auto& [word, choice] : choices) {
    names.push_back(word);
    if (choice == value) chosen = word;
  }
  return app
      .add_option_function<std::string>(
          name,
          [&value, choices](const std::string& word) { value = choices.at(word); },
          help + "; default: " + chosen)
      ->check(CLI::IsMember(names));
}

}  // namespace yupana::cli
