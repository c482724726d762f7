#include "cli/table_options.hpp"

#include <fmt/format.h>

#include <map>

namespace yupana::cli {
namespace {

const char* const group = "Table";

char character_of(const std::string& name, const std::string& text) {
  static const std::map<std::string, char> words{
      {"tab", '\t'}, {"\\t", '\t'}, {"comma", ','}, {"space", ' '}, {"none", '\0'}, {"auto", '\0'}};
  const auto word = words.find(text);
  if (word != words.end()) return word->second;
  if (text.size() == 1) return text[0];
  throw CLI::ValidationError(fmt::format("{} {}: one character was wanted, or tab", name, text));
}

}  // namespace

std::vector<CLI::Option*> add_reading_options(CLI::App& app, io::TableParams& reading) {
  const std::map<std::string, io::TableHeader> headers{{"auto", io::TableHeader::automatic},
                                                       {"yes", io::TableHeader::present},
                                                       {"no", io::TableHeader::absent}};
  std::vector<CLI::Option*> options;
  options.push_back(
      app.add_option_function<std::string>(
             "--header",
             [&reading, headers](const std::string& word) { reading.header = headers.at(word); },
             "the first line holds names: auto, yes or no")
          ->check(CLI::IsMember({"auto", "yes", "no"}).description(""))
          ->default_str("auto"));
  options.push_back(app.add_option_function<std::string>(
                           "--delimiter",
                           [&reading](const std::string& text) {
                             reading.delimiter = character_of("--delimiter", text);
                           },
                           "between cells: a character, tab, space (any run of blanks) or auto")
                        ->default_str("auto"));
  options.push_back(app.add_option_function<std::string>(
                           "--comment",
                           [&reading](const std::string& text) {
                             reading.comment = character_of("--comment", text);
                           },
                           "lines that begin with it are left out; none: keep all")
                        ->default_str(std::string(1, reading.comment)));
  options.push_back(
      app.add_flag("--zero-based", reading.zero_based, "indices of a libsvm file begin at 0"));
  for (CLI::Option* option : options) option->group(group);
  return options;
}

void add_column_options(CLI::App& app, io::TableParams& reading) {
  app.add_option("--label",
                 reading.label,
                 "the column of classes, by name or number from 1; of a libsvm file: label")
      ->group(group);
  CLI::Option* columns =
      app.add_option("--columns", reading.columns, "the features; default: all other columns")
          ->group(group);
  app.add_option("--ignore", reading.ignored, "columns to leave out")
      ->group(group)
      ->excludes(columns);
}

}  // namespace yupana::cli
