#pragma once

#include <fmt/core.h>

#include <charconv>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "yupana/core/messages.hpp"

// The command line of a program, on top of CLI11: the parser's header takes longer to compile than
// any command, so that only options.cpp, usage.cpp and documentation.cpp include it.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace yupana::cli {

using Names = std::vector<std::string>;

/// Words of an option and their values, in the order of --help.
template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

template <class T>
struct OptionValue {
  using type = T;
};
template <class T>
struct OptionValue<std::optional<T>> {
  using type = T;
};
template <class T>
using option_value = typename OptionValue<T>::type;

template <class T>
inline constexpr T lowest = std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T greatest = std::numeric_limits<T>::max();

/// An option of a command; every call returns the same option.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required() const;
  /// The heading of --help under which the option appears; empty: hidden.
  Option group(const std::string& name) const;
  /// The default that --help shows.
  Option shows(const std::string& text) const;
  /// What --help calls the value: "PREFIX".
  Option of_type(const std::string& name) const;
  /// Number of words that the option takes.
  Option takes(int min_words, int max_words) const;

 private:
  CLI::Option* option_;
};

/// A command of the program, or the program itself. Copies refer to the same command. References to
/// values must live as long as the command. --help shows a value's default where it is one.
///   errors: usage, one line that names the option, what it takes and what it got
class Command {
 public:
  using Take = std::function<void(const std::string&)>;

  explicit Command(CLI::App& app);

  /// A command below this one.
  Command add(const std::string& name, const std::string& purpose, const std::string& example);
  /// One that only holds commands: one of them is required.
  Command add_group(const std::string& name,
                    const std::string& purpose,
                    const std::string& example);
  /// The options that `add` adds appear under this heading of --help.
  void under(const std::string& heading, const std::function<void()>& add);
  /// Runs `body` when the command was given and its options agree.
  void on_run(std::function<void()> body);
  /// "som fit"
  std::string name() const;
  CLI::App& app() const { return *app_; }

  Option text(const std::string& names, std::string& value, const std::string& help);
  /// A file to read, which may be a pipe: its name is readable() when the command runs.
  Option input(const std::string& name, std::string& value, const std::string& help);
  Option inputs(const std::string& name, std::vector<std::string>& values, const std::string& help);
  /// Calls `visit` with the names of the files to read that were given.
  void each_input(const std::function<void(std::string&)>& visit) const;
  /// Names between blanks or commas, see cut_at_commas.
  Option list(const std::string& names, std::vector<std::string>& values, const std::string& help);
  Option flag(const std::string& names, bool& value, const std::string& help);
  Option flag(const std::string& names, std::function<void()> act, const std::string& help);
  /// A word that `take` reads.
  Option word(const std::string& names, Take take, const std::string& help);
  /// The words given, which `take` reads together. A last word that it refuses and that is a file
  /// is the command's input, where nothing else is.
  Option words(const std::string& names,
               std::function<void(std::vector<std::string>)> take,
               const std::string& help);
  /// One of a few words.
  Option choice(const std::string& names,
                std::string& value,
                const Names& words,
                const std::string& help);
  /// One of a few words, each the name of a value. Words are listed after `help`.
  template <class T>
  Option choice(const std::string& names,
                T& value,
                const Choices<option_value<T>>& choices,
                const std::string& help);
  /// A number from `low` to `high`; NaN is none. T: an integer, double or an optional of one.
  template <class T>
  Option number(const std::string& names,
                T& value,
                const std::string& help,
                option_value<T> low = lowest<option_value<T>>,
                option_value<T> high = greatest<option_value<T>>);
  /// A whole number of at least 1 with an optional metric suffix ("600M", "30k").
  Option count(const std::string& names, std::int64_t& value, const std::string& help);
  /// Bytes, at least 1, with an optional suffix, metric ("16G", "500MB") or binary ("15GiB").
  Option bytes(const std::string& names, std::uint64_t& value, const std::string& help);
  /// A folder that exists.
  Option folder(const std::string& names, Take take, const std::string& help);
  /// --seed
  Option seed(std::uint64_t& value, const std::string& help) {
    return number("--seed", value, help);
  }

  // Options that have an effect only with, or without, others. Checked before the command runs, in
  // the order in which the rules were added.

  /// True where the command line has the option; a positional argument goes by its name.
  bool given(const std::string& option) const;
  /// True where the command takes the option.
  bool takes(const std::string& option) const;
  /// None of `options` has an effect without one of `partners`.
  void needs(const Names& options, const Names& partners);
  /// None of `options` has an effect with `other`.
  void excludes(const Names& options, const std::string& other, const std::string& why = "");
  /// No option under one of these headings of --help has an effect with `other`.
  void excludes_groups(const Names& groups, const std::string& other, const std::string& why);
  /// At most one of them.
  void only_one(const Names& options);
  /// Throws if one of `options` was given: "OPTION has no effect WHY".
  void refuse(const Names& options, const std::string& why) const;
  /// The same of all options but these and those of every command.
  void refuse_all_but(const Names& options, const std::string& why) const;

 private:
  Option add_word(const std::string& names,
                  Take take,
                  const std::string& help,
                  const std::string& type);
  void refuse_options(const std::string& names, CLI::Option& option) const;
  /// Adds to what --help says of some options.
  void append_help(const Names& options, const std::string& note);
  Take chosen(const std::string& names, const Names& words, std::function<void(std::size_t)> take);

  CLI::App* app_;
  using Rules = std::vector<std::function<void(const Command&)>>;
  std::shared_ptr<Rules> rules_;
  struct Inputs;
  std::shared_ptr<Inputs> inputs_;
};

/// The words and what commas part in them; nothing between two commas is an empty word. What begins
/// with a quote ends with one, as in CSV, and may hold commas: 'a,"b,c"' is a and b,c.
Names cut_at_commas(const Names& words);

/// "pairwise, mode or error"
std::string listed(const Names& words);

/// The number that a whole text is, with an optional plus; none for NaN. `beyond`, where given, is
/// set if the type cannot hold it.
template <class T>
std::optional<T> number_of(const std::string& text, bool* beyond = nullptr) {
  T value{};
  const char* const end = text.data() + text.size();
  const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (beyond != nullptr) *beyond = error == std::errc::result_out_of_range;
  if (error != std::errc() || stop != end || value != value) return {};
  return value;
}

/// "a whole number from 0 to 4096", "a finite number of at least 0"
template <class T>
std::string number_text(T low, T high) {
  const std::string kind = std::is_integral_v<T> ? "a whole number"
                           : high == greatest<T> ? "a finite number"
                                                 : "a number";
  const auto shown = [](T value) {
    return std::is_integral_v<T> ? fmt::format("{}", value) : fmt::format("{:g}", double(value));
  };
  if (high < greatest<T>) {
    return fmt::format("{} from {} to {}", kind, shown(low), shown(high));
  }
  return low <= lowest<T> && low < 0 ? kind : kind + " of at least " + shown(low);
}

template <class T>
std::string range_text() {
  return std::is_integral_v<T> ? fmt::format("a whole number within {} bits", 8 * sizeof(T))
                               : "a number within the range of a double";
}

template <class T>
Option Command::number(const std::string& names,
                       T& value,
                       const std::string& help,
                       option_value<T> low,
                       option_value<T> high) {
  using V = option_value<T>;
  const char* const kind = !std::is_integral_v<V> ? "FLOAT" : std::is_signed_v<V> ? "INT" : "UINT";
  const std::string type =
      high >= greatest<V> ? kind : fmt::format("{}:{:g} to {:g}", kind, double(low), double(high));
  const Option option = add_word(
      names,
      [names, &value, low, high](const std::string& text) {
        bool beyond = false;
        const std::optional<V> number = number_of<V>(text, &beyond);
        if (!number || *number < low || *number > high) {
          throw usage_error("{}: expected {}, got '{}'",
                            names,
                            beyond ? range_text<V>() : number_text(low, high),
                            text);
        }
        value = *number;
      },
      help,
      type);
  if constexpr (std::is_same_v<T, V>) {
    if (value >= low && value <= high) return option.shows(fmt::format("{}", value));
  }
  return option;
}

template <class T>
Option Command::choice(const std::string& names,
                       T& value,
                       const Choices<option_value<T>>& choices,
                       const std::string& help) {
  Names words;
  std::string standard;
  for (const auto& [word, meaning] : choices) {
    words.push_back(word);
    if (meaning == value) standard = word;
  }
  const Option option = add_word(
      names,
      chosen(names, words, [&value, choices](std::size_t i) { value = choices[i].second; }),
      help + ": " + listed(words),
      "TEXT");
  return standard.empty() ? option : option.shows(standard);
}

}  // namespace yupana::cli
