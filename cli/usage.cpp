#include "cli/usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <vector>

namespace yupana::cli {
namespace {

using CLI::ExitCodes;
using Words = std::vector<std::string>;

int code(ExitCodes exit) { return static_cast<int>(exit); }

/// Insertions, deletions and replacements that turn one word into the other (Levenshtein).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j] ? 1 : 0);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// "; did you mean 'X'?" for the nearest of `known`, or nothing where none is near.
std::string suggestion(const std::string& word, const Words& known) {
  const auto nearer = [&](const std::string& a, const std::string& b) {
    return edits(word, a) < edits(word, b);
  };
  const auto nearest = std::min_element(known.begin(), known.end(), nearer);
  if (nearest == known.end() || 3 * edits(word, *nearest) > word.size()) return {};
  return fmt::format("; did you mean '{}'?", *nearest);
}

/// The innermost command that was named.
const CLI::App& command_of(const CLI::App& program) {
  const CLI::App* app = &program;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return *app;
}

/// "yupana som fit"
std::string name_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : name_of(*app.get_parent()) + " " + app.get_name();
}

std::string see_help(const CLI::App& app) { return fmt::format("see '{} --help'", name_of(app)); }

std::string command_text(const CLI::App& app) {
  Words known;
  for (const CLI::App* part : app.get_subcommands({})) known.push_back(part->get_name());
  const std::string list = fmt::format("{}", fmt::join(known, ", "));
  const Words rest = app.remaining(true);
  if (rest.empty()) {
    return fmt::format("expected a command after '{}', got none; one of: {}", name_of(app), list);
  }
  return fmt::format("unknown {} '{}'{}; {} has: {}",
                     rest.front().starts_with("-") ? "option" : "command",
                     rest.front(),
                     suggestion(rest.front(), known),
                     name_of(app),
                     list);
}

std::string extras_text(const CLI::App& app) {
  const Words rest = app.remaining(true);
  const std::string word = rest.empty() ? "" : rest.front();
  Words options, places;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    if (option->get_positional()) places.push_back(option->get_name(true));
  }
  if (word.starts_with("-")) {
    return fmt::format("unknown option '{}'{}; {}", word, suggestion(word, options), see_help(app));
  }
  return fmt::format("unexpected argument '{}'; '{}' takes {}; {}",
                     word,
                     name_of(app),
                     places.empty() ? "options only" : fmt::format("{}", fmt::join(places, ", ")),
                     see_help(app));
}

/// Returns the text between two marks; empty where a mark is missing.
std::string between(const std::string& text, std::string_view begin, std::string_view end) {
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return {};
  const std::size_t first = at + begin.size(), last = text.find(end, first);
  return last == std::string::npos ? std::string() : text.substr(first, last - first);
}

/// "a->1,b->2" as "a, b"
std::string words_of(const std::string& map) {
  Words words;
  for (std::size_t at = 0; at <= map.size();) {
    const std::size_t comma = std::min(map.find(',', at), map.size());
    const std::string item = map.substr(at, comma - at);
    words.push_back(item.substr(0, item.find("->")));
    at = comma + 1;
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string number_kind(const CLI::Option* option) {
  const std::string type = option == nullptr ? "" : option->get_type_name();
  return type.starts_with("INT") || type.starts_with("UINT") ? "a whole number" : "a number";
}

/// "a whole number from 0 to 4096"
std::string range_of(const CLI::Option* option, const std::string& low, const std::string& high) {
  const double from = std::strtod(low.c_str(), nullptr), to = std::strtod(high.c_str(), nullptr);
  const std::string kind = number_kind(option);
  const bool positive = option != nullptr && option->get_type_name().ends_with("POSITIVE");
  if (positive) return kind + " above 0";
  if (to > 1e300) return fmt::format("{} of at least {:g}", kind, from);
  return fmt::format("{} from {:g} to {:g}", kind, from, to);
}

/// A value that the parser's own checks refused: "NAME: Value V not in range A to B",
/// "NAME: V not in {a,b}" or "NAME: Check V value in {a->0,b->1} OR {0,1} FAILED".
std::string value_text(const CLI::App& app, const std::string& text) {
  const std::size_t colon = text.find(": ");
  if (colon == std::string::npos) return text;
  const std::string name = text.substr(0, colon), fault = text.substr(colon);
  const CLI::Option* option = app.get_option_no_throw(name);
  std::string value, expected;
  if (fault.find(" not in range ") != std::string::npos) {
    value = between(fault, ": Value ", " not in range ");
    const std::string range = fault.substr(fault.rfind(" not in range ") + 14);
    expected =
        range_of(option, range.substr(0, range.find(' ')), range.substr(range.rfind(' ') + 1));
  } else if (fault.find(" not in {") != std::string::npos) {
    value = between(fault, ": ", " not in {");
    expected = "one of " + words_of(between(fault, " not in {", "}"));
  } else if (fault.ends_with(" FAILED")) {
    value = between(fault, ": Check ", " value in {");
    expected = "one of " + words_of(between(fault, " value in {", "}"));
  } else {
    return text;
  }
  return fmt::format("{}: expected {}, got '{}'", name, expected, value);
}

/// "Could not convert: NAME = VALUE"
std::string conversion_text(const CLI::App& app, const std::string& text) {
  const std::string name = between(text, "Could not convert: ", " = ");
  if (name.empty()) return text;
  const CLI::Option* option = app.get_option_no_throw(name);
  return fmt::format(
      "{}: expected {}, got '{}'", name, number_kind(option), text.substr(text.find(" = ") + 3));
}

/// "A excludes B", "A requires B", "A is required", "A: 1 required TEXT missing"
std::string combination_text(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  const int kind = error.get_exit_code();
  const auto joined = [&](std::string_view word, const std::string& form) {
    const std::size_t at = text.find(word);
    return fmt::format(fmt::runtime(form),
                       text.substr(0, at),
                       text.substr(std::min(text.size(), at + word.size())));
  };
  if (kind == code(ExitCodes::ExcludesError))
    return joined(" excludes ", "{} and {} exclude each other; give one");
  if (kind == code(ExitCodes::RequiresError))
    return joined(" requires ", "{} has no effect without {}; give both");
  if (kind == code(ExitCodes::RequiredError))
    return joined(" is required", "{} is missing; " + see_help(app));
  if (text.ends_with(" missing")) return joined(": ", "{}: expected a value, got none");
  return text;
}

}  // namespace

std::string usage_text(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& app = command_of(program);
  const std::string text = error.what();
  const int kind = error.get_exit_code();
  const bool parent = !app.get_subcommands({}).empty();
  if (parent && (kind == code(ExitCodes::RequiredError) || kind == code(ExitCodes::ExtrasError)))
    return command_text(app);
  if (kind == code(ExitCodes::ExtrasError)) return extras_text(app);
  if (kind == code(ExitCodes::ValidationError)) return value_text(app, text);
  if (kind == code(ExitCodes::ConversionError)) return conversion_text(app, text);
  return combination_text(app, error);
}

}  // namespace yupana::cli
