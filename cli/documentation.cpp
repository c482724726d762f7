#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "cli/command.hpp"
#include "cli/standard_streams.hpp"
#include "yupana/core/version.hpp"

namespace yupana::cli {
namespace {

std::string names_of(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // refused
    for (const std::string& name : option->get_lnames()) words += " --" + name;
    for (const std::string& name : option->get_snames()) words += " -" + name;
  }
  return words;
}

/// Completes command names first, then options of the command, then files. Of a command that has
/// commands of its own ("som fit"), those come second.
std::string bash_completion(const CLI::App& program) {
  std::string cases, commands, seconds;
  const auto add_case = [&](const std::string& pattern, const std::string& words) {
    cases += fmt::format("    {}) words=\"{}\" ;;\n", pattern, words);
  };
  for (const CLI::App* app : program.get_subcommands({})) {
    commands += " " + app->get_name();
    std::string parts;
    for (const CLI::App* part : app->get_subcommands({})) {
      parts += " " + part->get_name();
      add_case(fmt::format("\"{} {}\"", app->get_name(), part->get_name()), names_of(*part));
    }
    if (parts.empty()) {
      add_case(fmt::format("\"{} \"*", app->get_name()), names_of(*app));
    } else {
      seconds += fmt::format(
          "  if [ \"$COMP_CWORD ${{COMP_WORDS[1]}}\" = \"2 {}\" ]; then "
          "COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return; fi\n",
          app->get_name(),
          parts);
    }
  }
  return fmt::format(
      "# yupana completion bash > /etc/bash_completion.d/yupana\n"
      "_yupana() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" words=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return; "
      "fi\n{}"
      "  case \"${{COMP_WORDS[1]}} ${{COMP_WORDS[2]}}\" in\n{}  esac\n"
      "  case \"$word\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _yupana yupana\n",
      commands,
      seconds,
      cases);
}

/// Text as troff takes it: hyphens kept, no line that starts a request.
std::string troff(const std::string& text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '-') {
      out += "\\-";
    } else if (c == '\\') {
      out += "\\e";
    } else {
      out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

std::string man_page(const CLI::App& program) {
  std::string page = fmt::format(
      ".TH YUPANA 1 \"\" \"yupana {}\"\n.SH NAME\nyupana \\- exact parallel algorithms for genomes "
      "and big "
      "tables\n.SH SYNOPSIS\n.B yupana\n.I command\n[input] [options]\n.SH DESCRIPTION\n{}\n"
      ".SH EXIT STATUS\n{}\n",
      version,
      troff(program.get_description()),
      troff(program.get_footer()));
  page += ".SH COMMANDS\n";
  const auto add = [&](const std::string& name, const CLI::App& app) {
    page += fmt::format(".SS {}\n.nf\n{}\n.fi\n", troff(name), troff(app.help()));
  };
  for (const CLI::App* app : program.get_subcommands({})) {
    add(app->get_name(), *app);
    for (const CLI::App* part : app->get_subcommands({})) {
      add(app->get_name() + " " + part->get_name(), *part);
    }
  }
  return page;
}

/// "yupana help som fit" for "yupana som fit --help".
std::string help_of(const CLI::App& program, const Names& words) {
  const CLI::App* app = &program;
  for (const std::string& word : words) {
    const auto parts = app->get_subcommands({});
    const auto part = std::find_if(
        parts.begin(), parts.end(), [&](const CLI::App* one) { return one->get_name() == word; });
    if (part == parts.end()) {
      const bool is_first = app == &program;
      throw usage_error("help: unknown command '{}'{}; 'yupana {}--help' lists what there is",
                        word,
                        is_first ? "" : " of '" + app->get_name() + "'",
                        is_first ? "" : app->get_name() + " ");
    }
    app = *part;
  }
  // help() of the program would be that of this command, which was named.
  return app->get_formatter()->make_help(app, app->get_name(), CLI::AppFormatMode::Normal);
}

}  // namespace

void add_documentation(Command& program) {
  const CLI::App& app = program.app();
  auto words = std::make_shared<Names>();
  Command help = program.add("help", "Print the --help of a command.", "yupana help som fit");
  help.words(
      "command", [words](const Names& given) { *words = given; }, "its words; default: yupana");
  help.on_run([&app, words] { put_text(stdout, help_of(app, *words)); });
  auto shell = std::make_shared<std::string>("bash");
  Command completion = program.add(
      "completion", "Print the completion script of a shell.", "yupana completion bash");
  completion.choice("shell", *shell, {"bash"}, "bash");
  completion.on_run([&app, shell] { put_text(stdout, bash_completion(app)); });
  program.add("man", "Print the manual page (troff), made from --help.", "yupana man | man -l -")
      .on_run([&app] { put_text(stdout, man_page(app)); });
}

}  // namespace yupana::cli
