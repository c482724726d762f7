#include "yupana/io/model_columns.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/table.hpp"

namespace yupana::io {
namespace {

/// The number that is a column's name where there is no header; 0: another name.
std::int64_t column_number(const std::string& name) {
  const std::int64_t number = number_of<std::int64_t>(name).value_or(0);
  return number > 0 && std::to_string(number) == name ? number : 0;
}

/// Whether the features are columns by number, in order: the training table had no names.
bool is_nameless(const ModelColumns& model) {
  std::int64_t last = 0;
  for (const std::string& name : model.features) {
    const std::int64_t number = column_number(name);
    if (number <= last) return false;
    last = number;
  }
  // Numbers as names of a header, years for one, do not begin at the first columns.
  return last <= 2 * std::ssize(model.features) + 16;
}

/// Columns that the table of the training has at least.
std::int64_t columns_of_training(const ModelColumns& model) {
  return std::max(column_number(model.features.back()), column_number(model.label));
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Names to be looked up many times: a table may have a million.
using NameSet = std::unordered_set<std::string_view>;
NameSet set_of(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

/// Features of text under the names that they have in the table.
std::vector<std::string> text_features(const ModelColumns& model,
                                       const std::vector<std::string>& names) {
  std::vector<std::string> text;
  const NameSet categorical = set_of(model.categorical);
  for (std::size_t f = 0; f < names.size(); ++f) {
    if (categorical.contains(model.features[f])) text.push_back(names[f]);
  }
  return text;
}

Error other_columns(const std::string& path,
                    const ModelColumns& model,
                    std::size_t left,
                    bool header) {
  return bad_file(path,
                  "the model has {}, the table {} {}; give the columns of the "
                  "training, --ignore those that are none, or name the features with --columns",
                  counted(std::ssize(model.features), "feature"),
                  counted(static_cast<std::int64_t>(left), "column"),
                  header ? "under other names" : "without names");
}

/// bad_input for --columns that give a feature of the model the column of another one of them.
void refuse_swapped(const std::string& path,
                    const std::vector<std::string>& given,
                    const ModelColumns& model,
                    const std::vector<std::string>& names) {
  const NameSet there = set_of(names), features = set_of(model.features);
  for (std::size_t f = 0; f < given.size(); ++f) {
    const std::int64_t number = there.contains(given[f]) ? 0 : column_number(given[f]);
    const bool is_place = number > 0 && number <= std::ssize(names);
    const std::string& name = is_place ? names[static_cast<std::size_t>(number - 1)] : given[f];
    if (name == model.features[f] || !features.contains(name)) continue;
    throw bad_file(path,
                   "--columns has '{}' for the model's feature '{}', and the model has a feature "
                   "'{}' too; leave --columns out, for features are found by their names",
                   printable(name),
                   printable(model.features[f]),
                   printable(name));
  }
}

/// By name; bad_input for the first feature that is not there.
TableParams by_name(const std::string& path,
                    TableParams reading,
                    const ModelColumns& model,
                    const std::vector<std::string>& names) {
  const NameSet there = set_of(names);
  for (const std::string& name : model.features) {
    if (there.contains(name)) continue;
    throw bad_file(
        path,
        "has no column '{}', a feature of the model; its {} '{}': give the "
        "names of the training, or the features in the model's order with --columns",
        printable(name),
        names.size() == 1 ? "only one is" : fmt::format("{} columns begin with", names.size()),
        printable(names.front()));
  }
  reading.columns = model.features;
  reading.categorical = model.categorical;
  return reading;
}

/// In order or by number, for a model or a table without names.
TableParams by_place(Context& context,
                     const std::string& path,
                     TableParams reading,
                     const ModelColumns& model,
                     TableColumns columns) {
  const bool as_trained = is_nameless(model) && !columns.header &&
                          std::ssize(columns.names) == columns_of_training(model);
  if (as_trained && !has(model.features, reading.label)) {
    if (columns.names.size() > model.features.size() && reading.label.empty() &&
        reading.ignored.empty() && reading.notes) {
      context.note(
          fmt::format("{}: the model's columns had no names, so its features are the "
                      "table's columns by number, the first {}, the last {} of {}",
                      path,
                      model.features.front(),
                      model.features.back(),
                      columns.names.size()));
    }
    return by_name(path, std::move(reading), model, columns.names);
  }
  use_columns(path, reading, columns);
  if (columns.features.size() != model.features.size()) {
    throw other_columns(path, model, columns.features.size(), columns.header);
  }
  if ((columns.header || as_trained) && reading.notes) {
    context.note(
        fmt::format("{}: the model's columns had no names: the table's {} columns are its "
                    "features in order, '{}' the first",
                    path,
                    columns.features.size(),
                    printable(columns.features.front())));
  }
  reading.columns = columns.features;
  reading.categorical = text_features(model, columns.features);
  return reading;
}

}  // namespace

TableParams reading_for_model(Context& context,
                              const std::string& path,
                              const TableParams& given,
                              const ModelColumns& model) {
  TableParams reading = given;
  reading.for_model = true;
  if (is_libsvm(path)) {
    if (model.takes_label && model.label == "label") reading.label = "label";
    if (reading.columns.empty()) {
      reading.columns = model.features;
      reading.known = model.features;
    }
    reading.refuses_unknown = model.refuses_more;
    reading.zero_based = reading.zero_based || model.zero_based;
    return reading;
  }
  const bool nameless = is_nameless(model);
  if (!nameless) reading.known = model.features;
  const TableColumns columns = first_columns(path, reading);
  const bool numbered = !columns.header && nameless;
  if (model.takes_label && !model.label.empty() && has(columns.names, model.label) &&
      (!numbered || std::ssize(columns.names) == columns_of_training(model))) {
    reading.label = model.label;
  }
  if (!reading.columns.empty()) {
    if (reading.columns.size() != model.features.size()) {
      throw bad_file(path,
                     "the model has {}, and --columns names {}; name them all, in its order",
                     counted(std::ssize(model.features), "feature"),
                     reading.columns.size());
    }
    if (columns.header && !nameless) {
      refuse_swapped(path, reading.columns, model, columns.names);
    }
    reading.categorical = text_features(model, reading.columns);
    return reading;
  }
  const NameSet there = set_of(columns.names);
  const bool has_all = std::ranges::all_of(
      model.features, [&](const std::string& name) { return there.contains(name); });
  if (columns.header && (has_all || !nameless)) {
    return by_name(path, std::move(reading), model, columns.names);
  }
  return by_place(context, path, std::move(reading), model, columns);
}

}  // namespace yupana::io
