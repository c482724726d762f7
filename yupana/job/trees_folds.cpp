#include <algorithm>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/table_columns.hpp"
#include "yupana/job/tree_steps.hpp"

namespace yupana::job {

std::string read_folds_too(TreeTable& table, const std::string& column) {
  io::TableParams& reading = table.columns;
  std::string name = column;
  if (!io::is_libsvm(table.path)) {
    const auto named = [&](const std::string& text, const char* role) {
      return io::column_named(table.path, table.columns, text, role);
    };
    name = named(column, "fold");
    const auto refuse_if = [&](const std::string& other, const char* role) {
      if (other.empty() || named(other, role) != name) return;
      throw usage_error(
          "--cv-column: column '{}' is the {} as well; name it once", io::printable(name), role);
    };
    refuse_if(reading.label, "label");
    refuse_if(reading.weight, "weight");
    for (const std::string& ignored : reading.ignored) refuse_if(ignored, "ignored one");
    for (const std::string& text : reading.categorical) refuse_if(text, "categorical one");
    reading.categorical.push_back(name);
  }
  if (!reading.columns.empty()) reading.columns.push_back(name);
  return name;
}

template <class T>
std::vector<std::int32_t> taken_folds(io::TableFile<T>& file,
                                      const std::string& column,
                                      std::vector<std::string>& folds) {
  const auto& names = file.table.names();
  const auto found = std::find(names.begin(), names.end(), column);
  if (found == names.end()) {
    throw input_error("--cv-column {}: no column has that name", io::printable(column));
  }
  const auto at = found - names.begin();
  std::vector<std::int32_t> fold;
  std::vector<T> values;
  for (std::int64_t i = 0; i < file.table.rows(); ++i) {
    const T value = file.table.column(at)[i];
    if (value != value) {
      throw input_error(
          "--cv-column {}: row {} has no fold; fill it in", io::printable(column), i + 1);
    }
    const auto place = std::find(values.begin(), values.end(), value) - values.begin();
    if (place == std::ssize(values)) values.push_back(value);
    if (values.size() > 10000) {
      throw input_error("--cv-column {}: more than 10000 folds; name a column of fold numbers",
                        io::printable(column));
    }
    fold.push_back(static_cast<std::int32_t>(place));
  }
  if (values.size() < 2) {
    throw input_error("--cv-column {}: expected at least 2 folds, got 1; name another column",
                      io::printable(column));
  }
  const bool is_text = !file.categories.empty() && !file.categories[at].empty();
  for (const T value : values) {
    folds.push_back(is_text ? file.categories[at][static_cast<std::size_t>(value)]
                            : fmt::format("{}", value));
  }
  std::vector<std::string> others = names;
  others.erase(others.begin() + at);
  Table<T> table(file.table.rows(), others);
  for (std::int64_t f = 0; f < table.columns(); ++f) {
    std::copy_n(file.table.column(f < at ? f : f + 1), table.rows(), table.column(f));
  }
  if (!file.categories.empty()) file.categories.erase(file.categories.begin() + at);
  file.table = std::move(table);
  return fold;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, taken_folds)

}  // namespace yupana::job
