#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string_view>

#include "yupana/core/text.hpp"

namespace yupana::cli {
namespace {

[[noreturn]] void refuse_value(const std::string& names,
                               const std::string& expected,
                               const std::string& text) {
  throw usage_error("{}: expected {}, got '{}'", names, expected, text);
}

/// A number with a suffix k, M, G, T or P of powers of 1000; of bytes also "MB", and "MiB" of
/// powers of 1024.
std::optional<double> scaled(const std::string& text, bool bytes) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value)) return {};
  std::string_view suffix(stop, static_cast<std::size_t>(end - stop));
  double step = 1000;
  if (bytes && (suffix.ends_with('B') || suffix.ends_with('b'))) {
    suffix.remove_suffix(1);
    if (suffix.size() == 2 && suffix.ends_with('i')) {
      step = 1024;
      suffix.remove_suffix(1);
    }
  }
  if (suffix.empty()) return value;
  const std::size_t power = std::string_view("kMGTPE").find(suffix == "K" ? "k" : suffix);
  if (suffix.size() != 1 || power == std::string_view::npos) return {};
  return value * std::pow(step, static_cast<double>(power + 1));
}

/// From 1 to 9e18.
std::int64_t at_least_one(const std::string& names,
                          const std::string& text,
                          bool bytes,
                          const char* expected) {
  const std::optional<double> value = scaled(text, bytes);
  const bool whole = bytes || (value && *value == std::floor(*value));
  if (value && *value > 9e18) refuse_value(names, "at most 9e18", text);
  if (value && *value >= 1 && whole) return std::llround(*value);
  refuse_value(names, expected, text);
}

[[noreturn]] void refuse_both(const std::string& one, const std::string& other) {
  throw usage_error("{} and {} exclude each other; leave one of them out", one, other);
}

/// The parser takes --flag=7 for the flag, and --flag=false for one that was given. `is_pair`: the
/// flag has an opposite, whose value is "false".
void refuse_values(CLI::Option& flag, bool is_pair) {
  flag.check([&flag, is_pair](const std::string& text) {
    if (text != "true" && !(is_pair && text == "false")) {
      refuse_value(flag.get_name(), "no value", text);
    }
    return std::string();
  });
}

/// The input of a command, where no option names it instead; none if there is one already.
CLI::Option* missing_input(CLI::App& app) {
  for (const char* other : {"--bfile",
                            "--bed",
                            "--file",
                            "--tfile",
                            "--pfile",
                            "--pgen",
                            "--bgen",
                            "--vcf",
                            "--from-distances",
                            "input"}) {
    const CLI::Option* const option = app.get_option_no_throw(other);
    if (option != nullptr && option->count() > 0) return nullptr;
  }
  return app.get_option_no_throw("input");
}

bool may_be_input(const std::string& word) {
  std::error_code none;
  const auto exists = [&](const std::string& name) { return std::filesystem::exists(name, none); };
  return exists(word) || exists(word + ".bed") || exists(word + ".pgen") ||
         word.starts_with("simulate:");
}

/// A positional argument as a message names it.
std::string shown(const std::string& option) {
  return option.starts_with('-') ? option : "'" + option + "'";
}

}  // namespace

std::string listed(const Names& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

Option Option::required() const { return Option(option_->required()); }
Option Option::group(const std::string& name) const { return Option(option_->group(name)); }
Option Option::shows(const std::string& text) const { return Option(option_->default_str(text)); }
Option Option::of_type(const std::string& name) const { return Option(option_->type_name(name)); }
Option Option::takes(int min_words, int max_words) const {
  // Words beyond them are arguments: the input may follow.
  return Option(option_->expected(min_words, max_words)->allow_extra_args(false));
}

struct Command::Inputs {
  std::vector<std::string*> single;
  std::vector<std::vector<std::string>*> several;
};

Command::Command(CLI::App& app)
    : app_(&app), rules_(std::make_shared<Rules>()), inputs_(std::make_shared<Inputs>()) {}

Command Command::add(const std::string& name,
                     const std::string& purpose,
                     const std::string& example) {
  CLI::App* app = app_->add_subcommand(name, purpose);
  app->footer("Example:\n  " + example);
  return Command(*app);
}

Command Command::add_group(const std::string& name,
                           const std::string& purpose,
                           const std::string& example) {
  Command group = add(name, purpose, example);
  group.app_->require_subcommand(1);
  return group;
}

void Command::under(const std::string& heading, const std::function<void()>& add) {
  CLI::OptionDefaults& options = *app_->option_defaults();
  const std::string usual = options.get_group();
  options.group(heading);
  add();
  options.group(usual);
}

void Command::on_run(std::function<void()> body) {
  app_->callback([self = *this, body = std::move(body)] {
    for (const auto& rule : *self.rules_) rule(self);
    body();
  });
}

std::string Command::name() const {
  const CLI::App* parent = app_->get_parent();
  const bool nested = parent != nullptr && parent->get_parent() != nullptr;
  return (nested ? parent->get_name() + " " : "") + app_->get_name();
}

Option Command::text(const std::string& names, std::string& value, const std::string& help) {
  CLI::Option* option = app_->add_option(names, value, help);
  // Else it would be taken for an option that was not given.
  option->check([names](const std::string& text) {
    if (text.empty()) refuse_value(shown(names), "a value that is not empty", text);
    return std::string();
  });
  refuse_options(names, *option);
  return Option(value.empty() ? option : option->capture_default_str());
}

Option Command::input(const std::string& name, std::string& value, const std::string& help) {
  inputs_->single.push_back(&value);
  return text(name, value, help);
}

Option Command::inputs(const std::string& name,
                       std::vector<std::string>& values,
                       const std::string& help) {
  inputs_->several.push_back(&values);
  CLI::Option* option = app_->add_option(name, values, help);
  refuse_options(name, *option);
  return Option(option);
}

void Command::each_input(const std::function<void(std::string&)>& visit) const {
  for (std::string* const name : inputs_->single) {
    if (!name->empty()) visit(*name);
  }
  for (auto* const names : inputs_->several) {
    for (std::string& name : *names) visit(name);
  }
}

Option Command::list(const std::string& names,
                     std::vector<std::string>& values,
                     const std::string& help) {
  const auto take = [&values](const Names& words) { values = cut_at_commas(words); };
  CLI::Option* option = app_->add_option_function<Names>(names, take, help);
  refuse_options(names, *option);
  return Option(option);
}

/// The parser takes the word after an option that needs one for its value, another option too.
void Command::refuse_options(const std::string& names, CLI::Option& option) const {
  option.check([names, app = app_](const std::string& text) {
    const bool is_option = text.starts_with('-') && app->get_option_no_throw(text) != nullptr;
    if (is_option) refuse_value(shown(names), "a value", text);
    return std::string();
  });
}

Option Command::flag(const std::string& names, bool& value, const std::string& help) {
  CLI::Option* option = app_->add_flag(names, value, help);
  const std::size_t no = names.find(",!");
  refuse_values(*option, no != names.npos);
  if (no != names.npos) {
    rules_->push_back(
        [option, yes = names.substr(0, no), no = names.substr(no + 2)](const Command&) {
          const Names given = option->results();  // "true" or "false", each time
          if (std::set<std::string>(given.begin(), given.end()).size() > 1) refuse_both(yes, no);
        });
  }
  return Option(option);
}

Option Command::flag(const std::string& names, std::function<void()> act, const std::string& help) {
  CLI::Option* option = app_->add_flag_callback(names, std::move(act), help);
  refuse_values(*option, false);
  return Option(option);
}

Option Command::add_word(const std::string& names,
                         Take take,
                         const std::string& help,
                         const std::string& type) {
  return Option(
      app_->add_option_function<std::string>(names, std::move(take), help)->type_name(type));
}

Option Command::word(const std::string& names, Take take, const std::string& help) {
  return add_word(names, std::move(take), help, "TEXT");
}

Option Command::words(const std::string& names,
                      std::function<void(std::vector<std::string>)> take,
                      const std::string& help) {
  const auto take_words = [names, app = app_, take = std::move(take)](Names words) {
    const bool may_be_none = app->get_option(names)->get_expected_min() == 0;
    if (may_be_none && words == Names{""}) words.clear();  // the parser's word for none
    try {
      take(words);
    } catch (const Error&) {
      // An option that takes several words takes the input after it, too.
      CLI::Option* const input = missing_input(*app);
      const int least = app->get_option(names)->get_expected_min();
      if (input == nullptr || std::ssize(words) <= least || !may_be_input(words.back())) throw;
      input->add_result(words.back());
      words.pop_back();
      take(words);
      input->run_callback();
    }
  };
  return Option(app_->add_option_function<Names>(names, take_words, help));
}

Command::Take Command::chosen(const std::string& names,
                              const Names& words,
                              std::function<void(std::size_t)> take) {
  return [names, words, take = std::move(take)](const std::string& text) {
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end()) refuse_value(names, listed(words), text);
    take(static_cast<std::size_t>(found - words.begin()));
  };
}

Option Command::choice(const std::string& names,
                       std::string& value,
                       const Names& words,
                       const std::string& help) {
  const Option option =
      word(names, chosen(names, words, [&value, words](std::size_t i) { value = words[i]; }), help);
  return value.empty() ? option : option.shows(value);
}

Option Command::count(const std::string& names, std::int64_t& value, const std::string& help) {
  return word(
      names,
      [names, &value](const std::string& text) {
        value =
            at_least_one(names, text, false, "a whole number of at least 1, as 30000, 30k or 600M");
      },
      help);
}

Option Command::bytes(const std::string& names, std::uint64_t& value, const std::string& help) {
  return word(
      names,
      [names, &value](const std::string& text) {
        constexpr const char* expected = "a size of at least 1 byte, as 16G, 500M or 1000000";
        value = static_cast<std::uint64_t>(at_least_one(names, text, true, expected));
      },
      help);
}

Option Command::folder(const std::string& names, Take take, const std::string& help) {
  const auto check = [names, take = std::move(take)](const std::string& folder) {
    std::error_code none;
    if (!std::filesystem::is_directory(folder, none)) {
      throw input_error("{}: expected a folder, got '{}', which is none", names, folder);
    }
    take(folder);
  };
  return Option(app_->add_option_function<std::string>(names, check, help));
}

bool Command::given(const std::string& option) const {
  return app_->get_option(option)->count() > 0;
}

bool Command::takes(const std::string& option) const {
  return app_->get_option_no_throw(option) != nullptr;
}

void Command::append_help(const Names& options, const std::string& note) {
  for (const std::string& name : options) {
    CLI::Option* option = app_->get_option(name);
    option->description(fmt::format("{} [{}]", option->get_description(), note));
  }
}

void Command::needs(const Names& options, const Names& partners) {
  append_help(options, "with " + listed(partners));
  rules_->push_back([options, partners](const Command& self) {
    Names names;
    for (const std::string& partner : partners) {
      if (self.given(partner)) return;
      names.push_back(shown(partner));
    }
    self.refuse(options, fmt::format("without {}", listed(names)));
  });
}

void Command::excludes(const Names& options, const std::string& other, const std::string& why) {
  append_help(options, "not with " + other);
  rules_->push_back([options, other, why](const Command& self) {
    if (!self.given(other)) return;
    self.refuse(options, fmt::format("with {}{}{}", shown(other), why.empty() ? "" : ": ", why));
  });
}

void Command::only_one(const Names& options) {
  rules_->push_back([options](const Command& self) {
    const std::string* first = nullptr;
    for (const std::string& option : options) {
      if (!self.given(option)) continue;
      if (first != nullptr) refuse_both(shown(*first), shown(option));
      first = &option;
    }
  });
}

void Command::excludes_groups(const Names& groups,
                              const std::string& other,
                              const std::string& why) {
  rules_->push_back([groups, other, why](const Command& self) {
    if (!self.given(other)) return;
    for (const CLI::Option* option : self.app_->get_options()) {
      if (std::find(groups.begin(), groups.end(), option->get_group()) == groups.end()) continue;
      self.refuse({option->get_name()}, fmt::format("with {}: {}", other, why));
    }
  });
}

void Command::refuse(const Names& options, const std::string& why) const {
  for (const std::string& name : options) {
    if (!given(name)) continue;
    const Names& names = app_->get_option(name)->get_lnames();
    const std::string option =
        names.empty() ? shown(name) : fmt::format("--{}", joined(names, "/--"));
    throw usage_error("{} has no effect {}; leave {} out", option, why, option);
  }
}

void Command::refuse_all_but(const Names& options, const std::string& why) const {
  for (const CLI::Option* option : app_->get_options()) {
    const std::string name = option->get_name();
    if (option->get_group() == "Everywhere" ||
        std::find(options.begin(), options.end(), name) != options.end()) {
      continue;
    }
    refuse({name}, why);
  }
}

}  // namespace yupana::cli
