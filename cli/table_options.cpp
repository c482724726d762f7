#include "cli/table_options.hpp"

#include <map>

#include "yupana/core/messages.hpp"

namespace yupana::cli {
namespace {

const char* const group = "Table";

/// One character of ASCII, by name or as such; `zero`: the word for '\0'.
char character_of(const std::string& name, const std::string& text, const std::string& zero) {
  static const std::map<std::string, char> words{
      {"tab", '\t'}, {"\\t", '\t'}, {"comma", ','}, {"space", ' '}};
  const auto word = words.find(text);
  if (word != words.end()) return word->second;
  if (text == zero) return '\0';
  if (text.size() == 1 && text[0] > 0) return text[0];
  throw usage_error(
      "{}: expected one character of ASCII, tab, space or {}, got '{}'", name, zero, text);
}

}  // namespace

Names add_reading_options(Command& command, io::TableParams& reading) {
  const auto character =
      [&](const std::string& name, char& value, const std::string& zero, const char* help) {
        const auto take = [name, &value, zero](const std::string& text) {
          value = character_of(name, text, zero);
        };
        return command.word(name, take, help);
      };
  command.under(group, [&] {
    command.choice("--header",
                   reading.header,
                   {{"auto", io::TableHeader::automatic},
                    {"yes", io::TableHeader::present},
                    {"no", io::TableHeader::absent}},
                   "the first line holds names");
    character("--delimiter",
              reading.delimiter,
              "auto",
              "between cells: a character, tab, space (any run of blanks) or auto")
        .shows("auto");
    character(
        "--comment",
        reading.comment,
        "none",
        "lines that begin with it are left out, but for names right before the rows; none: keep "
        "all")
        .shows(std::string(1, reading.comment));
    command.flag("--zero-based",
                 reading.zero_based,
                 "indices of a libsvm file begin at 0, which is column 1; a model keeps it");
  });
  return {"--header", "--delimiter", "--comment", "--zero-based"};
}

void add_column_options(Command& command, io::TableParams& reading) {
  command.under(group, [&] {
    command.text("--label",
                 reading.label,
                 "the column of classes, by name or number from 1; of a libsvm file: label");
  });
  add_feature_options(command, reading, "all other columns");
}

Names add_feature_options(Command& command, io::TableParams& reading, const std::string& standard) {
  command.under(group, [&] {
    command.list("--columns", reading.columns, "the features; default: " + standard);
    command.list("--ignore", reading.ignored, "columns to leave out");
  });
  command.only_one({"--ignore", "--columns"});
  return {"--columns", "--ignore"};
}

void add_ids(Command& command, io::TableParams& reading) {
  command.list(
      "--id",
      reading.ids,
      "columns of a text that name rows: no features, and copied to what is written of rows");
}

}  // namespace yupana::cli
