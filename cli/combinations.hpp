#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <string>

#include "yupana/core/error.hpp"

namespace yupana::cli {

/// True where the command line has the option; a positional argument goes by its name.
inline bool given(const CLI::App& app, const std::string& option) {
  return app.get_option(option)->count() > 0;
}

/// An option as a message names it.
inline std::string shown(const std::string& option) {
  return option.starts_with('-') ? option : "the input without an option";
}

/// Usage error where `option` is given without any of its `partners`, without which it has no
/// effect.
inline void require_partner(const CLI::App& app,
                            const std::string& option,
                            std::initializer_list<const char*> partners) {
  if (!given(app, option)) return;
  std::string names;
  for (const char* partner : partners) {
    if (given(app, partner)) return;
    names += (names.empty() ? "" : " or ") + std::string(partner);
  }
  throw Error(
      ErrorCode::usage,
      fmt::format("{} has no effect without {}; add it or leave {} out", option, names, option));
}

/// Usage error where one of `options` is given together with `other`, under which it has no effect.
inline void refuse_together(const CLI::App& app,
                            std::initializer_list<const char*> options,
                            const std::string& other,
                            const std::string& why = "") {
  if (!given(app, other)) return;
  for (const char* option : options) {
    if (!given(app, option)) continue;
    throw Error(ErrorCode::usage,
                fmt::format("{} has no effect together with {}{}{}; leave one of them out",
                            option,
                            other,
                            why.empty() ? "" : ": ",
                            why));
  }
}

/// Usage error where two of the options are given, of which only one can hold.
inline void allow_one(const CLI::App& app, std::initializer_list<const char*> options) {
  const char* first = nullptr;
  for (const char* option : options) {
    if (!given(app, option)) continue;
    if (first != nullptr) {
      throw Error(
          ErrorCode::usage,
          fmt::format(
              "{} and {} do not go together; leave one of them out", shown(first), shown(option)));
    }
    first = option;
  }
}

}  // namespace yupana::cli
