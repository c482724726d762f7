#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "yupana/cluster/mpi.hpp"
#include "yupana/core/text.hpp"
#include "yupana/core/version.hpp"

namespace yupana::cli {
namespace {

using CLI::ExitCodes;

int code(ExitCodes exit) { return static_cast<int>(exit); }

/// Insertions, deletions, replacements and exchanges of neighbours that turn one word into the
/// other.
std::size_t edits(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> rows(3 * width);
  std::size_t *row = rows.data(), *above = row + width, *before = above + width;
  for (std::size_t j = 0; j < width; ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row = std::exchange(before, std::exchange(above, row));
    row[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({above[j - 1] + (same ? 0 : 1), above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

/// "; did you mean 'X'?" for what begins with the word, else for the nearest of `known`, or nothing
/// where none is near. Dashes before a word make it no longer.
std::string suggestion(const std::string& word, const Names& known) {
  const std::size_t letters = word.size() - std::min(word.size(), word.find_first_not_of('-'));
  Names begun;
  for (const std::string& name : known) {
    if (letters > 1 && name.starts_with(word)) begun.push_back(name);
  }
  if (!begun.empty()) return fmt::format("; did you mean '{}'?", joined(begun, "' or '"));
  const auto nearer = [&](const std::string& a, const std::string& b) {
    return edits(word, a) < edits(word, b);
  };
  const auto nearest = std::min_element(known.begin(), known.end(), nearer);
  if (nearest == known.end() || 3 * edits(word, *nearest) >= letters) return {};
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
  Names known;
  for (const CLI::App* part : app.get_subcommands({})) known.push_back(part->get_name());
  const std::string list = joined(known, ", ");
  const Names rest = app.remaining(true);
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
  Names rest = app.remaining(true);
  // After it all words are arguments.
  const bool marked = !rest.empty() && rest.front() == "--";
  if (marked) rest.erase(rest.begin());
  const std::string word = rest.empty() ? "" : rest.front();
  Names options, places;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    if (option->get_positional()) places.push_back(option->get_name(true));
  }
  // "simulate 60x500" for the word simulate:60x500, or for the options of the command.
  const bool sizes =
      word.find_first_not_of("0123456789xkKMG") == word.npos && word.find('x') != word.npos;
  if (sizes && app.get_name() == "simulate") {
    return fmt::format("unexpected argument '{0}'; write --samples {1} --sites {2}",
                       word,
                       word.substr(0, word.find('x')),
                       word.substr(word.find('x') + 1));
  }
  if (sizes && app.get_option_no_throw("--bfile") != nullptr) {
    return fmt::format("unexpected argument '{0}'; a cohort to simulate is one word: simulate:{0}",
                       word);
  }
  if (word.starts_with("-") && marked) {
    return fmt::format("'{}' after '--' is no option; name options before '--'", word);
  }
  if (word.starts_with("-")) {
    return fmt::format("unknown option '{}'{}; {}", word, suggestion(word, options), see_help(app));
  }
  return fmt::format("unexpected argument '{}'; '{}' takes {}; {}",
                     word,
                     name_of(app),
                     places.empty() ? "options only" : joined(places, ", "),
                     see_help(app));
}

/// "A is required", "A: 1 required TEXT missing", "A: At Most 2 required but received 3"
std::string combination_text(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  if (const std::size_t at = text.find(" is required"); at != text.npos) {
    const char* const quote = text.starts_with('-') ? "" : "'";
    return fmt::format("{0}{1}{0} is missing; {2}", quote, text.substr(0, at), see_help(app));
  }
  if (const std::size_t at = text.find(": At Most 1 "); at != text.npos)
    return fmt::format(
        "{} is given {} times; give it once", text.substr(0, at), text.substr(text.rfind(' ') + 1));
  constexpr std::string_view most = ": At Most ", got = " required but received ";
  if (const std::size_t at = text.find(most), end = text.find(got); end != text.npos) {
    return fmt::format("{}: expected at most {} words, got {}; give it once",
                       text.substr(0, at),
                       text.substr(at + most.size(), end - at - most.size()),
                       text.substr(end + got.size()));
  }
  if (text.ends_with(" missing"))
    return text.substr(0, text.find(": ")) + ": expected a value, got none";
  return text;
}

/// One line for a command line that the parser refused: the option, the value it got, and the
/// values it takes; or the unknown word, the nearest known one, and the known ones.
std::string usage_text(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& app = command_of(program);
  const int kind = error.get_exit_code();
  const bool parent = !app.get_subcommands({}).empty();
  if (parent && (kind == code(ExitCodes::RequiredError) || kind == code(ExitCodes::ExtrasError)))
    return command_text(app);
  // Named first: a mistyped option may be why something is missing.
  const Names unknown = app.remaining(true);
  const bool is_first = !unknown.empty() && unknown[0] != "--";
  if (kind == code(ExitCodes::RequiredError) && is_first) return extras_text(app);
  if (kind == code(ExitCodes::ExtrasError)) {
    const Names rest = program.remaining(true);
    if (!app.remaining(true).empty() || rest.empty()) return extras_text(app);
    return fmt::format("unexpected '{}'; options are written after '{}', and before '--'",
                       rest.front(),
                       app.get_name());
  }
  return combination_text(app, error);
}

/// The parts of --help that CLI11 does not write, or writes otherwise in each of its versions.
class HelpText : public CLI::Formatter {
 public:
  /// Its streams end where memory does, in silence: what is said twice alike is whole.
  std::string make_help(const CLI::App* app,
                        std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = Formatter::make_help(app, name, mode);
    if (text != Formatter::make_help(app, std::move(name), mode)) throw std::bad_alloc();
    return text;
  }

  /// "Usage: yupana simulate --samples TEXT --sites TEXT [OPTIONS] -o PREFIX": all that a command
  /// needs, in an order that it takes.
  std::string make_usage(const CLI::App* app, std::string /*name*/) const override {
    std::string line = "Usage: " + name_of(*app), places, out;
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_positional()) {
        places += " " + (is_input(*option) ? option->get_name(true) : make_option_usage(option));
      } else if (option->get_required()) {
        line += fmt::format(" {} {}", option->get_name(), option->get_type_name());
      } else if (option->check_lname("out") && option->get_type_name() != "TEXT") {
        out = " -o " + option->get_type_name();
      }
    }
    line += " [OPTIONS]" + places + out;
    if (!app->get_subcommands({}).empty()) line += " COMMAND";
    return line + "\n";
  }

  /// What follows the name of an option: " INT=5", " TEXT ... REQUIRED". From its version 2.2 on
  /// CLI11 itself puts defaults in brackets, as the notes " [with --label]" of options are.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return {};  // a flag
    std::string text;
    if (!option->get_type_name().empty()) text += " " + option->get_type_name();
    if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) {
      text += " ...";
    } else if (option->get_expected_min() > 1) {
      text += fmt::format(" x {}", option->get_expected());
    }
    return option->get_required() ? text + " REQUIRED" : text;
  }

 private:
  /// An option may name it instead, but something has to.
  static bool is_input(const CLI::Option& option) { return option.get_name(true) == "input"; }
};

/// What is in quotes from `at` on, which is then past it; nothing where no quote closes it.
std::string quoted_part(const std::string& word, std::size_t& at) {
  if (at >= word.size() || word[at] != '"') return {};
  std::string text;
  for (std::size_t i = at + 1; i < word.size(); ++i) {
    if (word[i] == '"') {
      if (i + 1 == word.size() || word[i + 1] != '"') {
        at = i + 1;
        return text;
      }
      ++i;
    }
    text += word[i];
  }
  return {};
}

}  // namespace

void run_program(int argc,
                 const char* const* argv,
                 const std::function<void(Command&)>& add_commands) {
  CLI::App program(
      "Exact parallel algorithms for genomes and big tables: genotype distances, Fermat distances "
      "and shortest paths, on every core.",
      "yupana");
  program.set_version_flag("--version", std::string("yupana ") + version);
  program.footer(
      "Exit status: 0 done, 2 usage, 3 bad input, 4 not enough memory or disk, 5 device failure, "
      "130 interrupted (Ctrl-C, SIGTERM, SIGHUP, or SIGXCPU of a limit on processor time).");
  program.require_subcommand(1);
  program.formatter(std::make_shared<HelpText>());  // that of its commands, too
  Command root(program);
  add_commands(root);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw Error(ErrorCode::usage, usage_text(program, error));
    const CLI::App& app = command_of(program);
    const bool is_group = !app.get_subcommands({}).empty();
    if (is_group && app.remaining_size() > 0) throw Error(ErrorCode::usage, command_text(app));
    if (cluster::rank_by_environment() == 0) program.exit(error);  // --help, --version
  }
}

Names cut_at_commas(const Names& words) {
  Names pieces;
  for (const std::string& word : words) {
    for (std::size_t at = 0, comma = 0; comma != word.npos; at = comma + 1) {
      pieces.push_back(quoted_part(word, at));
      comma = word.find(',', at);
      pieces.back() += word.substr(at, comma == word.npos ? comma : comma - at);
    }
  }
  return pieces;
}

}  // namespace yupana::cli
