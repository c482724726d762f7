#include "cli/measures.hpp"

#include <fmt/core.h>

#include <cmath>

#include "yupana/io/printable.hpp"

namespace yupana::cli {
namespace {

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
