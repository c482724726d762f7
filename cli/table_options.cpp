#include "cli/table_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "yupana/core/messages.hpp"
#include "yupana/io/printable.hpp"

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

using analysis::ClassMeasures;
using analysis::Measures;
using Json = nlohmann::ordered_json;

Json class_json(const ClassMeasures& own) {
  Json calibration = Json::array();
  for (const analysis::Bin& bin : own.calibration) {
    calibration.push_back({{"share", bin.share}, {"observed", bin.observed}, {"rows", bin.rows}});
  }
  return {{"rows", own.rows},
          {"predicted", own.predicted},
          {"precision", own.precision()},
          {"recall", own.recall()},
          {"f1", own.f1()},
          {"roc_auc", own.roc_auc},
          {"pr_auc", own.pr_auc},
          {"calibration", calibration}};
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

Json measures_json(const std::vector<std::string>& classes, const Measures& measures) {
  Json json = {{"rows", measures.rows}};
  for (const auto& [name, value] : measures.values) json[name] = value;
  if (classes.empty()) {
    auto& quantiles = json["error_quantiles"] = Json::array();
    for (const auto& [p, value] : measures.error_quantiles) {
      quantiles.push_back({{"probability", p}, {"error", value}});
    }
    return json;
  }
  json["unknown_class_rows"] = measures.unknown;
  auto& list = json["classes"] = Json::array();
  for (std::size_t c = 0; c < measures.classes.size(); ++c) {
    Json own = {{"class", classes[c]}};
    own.update(class_json(measures.classes[c]));
    list.push_back(std::move(own));
  }
  if (measures.confusion.rows() > 0) {
    auto& rows = json["confusion"] = Json::array();
    for (std::int64_t i = 0; i < measures.confusion.rows(); ++i) {
      const std::int64_t* const row = measures.confusion.row(i);
      rows.push_back(std::vector<std::int64_t>(row, row + measures.confusion.cols()));
    }
  }
  return json;
}

Json spread_json(const std::vector<Measures>& folds) {
  Json json = {{"mean", Json::object()}, {"std", Json::object()}};
  for (std::size_t m = 0; m < folds.front().values.size(); ++m) {
    const std::string& name = folds.front().values[m].first;
    const auto [mean, deviation] = analysis::spread(folds, m);
    json["mean"][name] = mean;
    json["std"][name] = deviation;
  }
  return json;
}

std::string measures_text(const std::vector<std::string>& classes, const Measures& measures) {
  std::string text;
  for (std::size_t m = 1; m < measures.values.size(); ++m) {
    const auto& [name, value] = measures.values[m];
    // A note says why areas of many classes are none.
    const bool many = std::ssize(measures.classes) > analysis::max_classes;
    if (many && std::isnan(value) && name.ends_with("_auc")) continue;
    text += fmt::format("{}{} {:.4g}", m > 1 ? ", " : "", name, value);
  }
  text += '\n';
  for (const auto& [p, error] : measures.error_quantiles) {
    text += fmt::format("{}{:g} % {:.4g}", p > 0 ? ", " : "errors: ", 100 * p, error);
  }
  if (!measures.error_quantiles.empty()) text += '\n';
  constexpr std::size_t most = 20;
  if (measures.classes.empty() || measures.classes.size() > most) return text;
  text += "      rows precision  recall      F1 ROC AUC  PR AUC  class\n";
  for (std::size_t c = 0; c < measures.classes.size(); ++c) {
    const ClassMeasures& own = measures.classes[c];
    text += fmt::format("{:10} {:9.4f} {:7.4f} {:7.4f} {:7.4f} {:7.4f}  {}\n",
                        own.rows,
                        own.precision(),
                        own.recall(),
                        own.f1(),
                        own.roc_auc,
                        own.pr_auc,
                        io::printable(classes[c]));
  }
  return text;
}

}  // namespace yupana::cli
