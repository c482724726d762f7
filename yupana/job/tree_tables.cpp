#include "yupana/job/tree_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

using forest::Encoding;
using forest::Target;

/// Some rows of a part, their columns of text as features.
template <class T>
io::TableFile<T> encoded_rows(const io::TableFile<T>& part,
                              std::int64_t first,
                              std::int64_t count,
                              const std::vector<Encoding>& encodings,
                              std::int64_t& unknown) {
  TableView<T> view = part.table.view();
  view.data += first;
  view.rows = count;
  const auto rows_of = [&]<class V>(const Array<V>& all) {
    Array<V> some(all.empty() ? 0 : count);
    if (!all.empty()) std::copy_n(all.data() + first, count, some.data());
    return some;
  };
  io::TableFile<T> rows;
  rows.table = encoded(part, view, encodings, &unknown);
  for (std::int64_t c = 0; c < rows.table.columns(); ++c) {
    const T* const column = rows.table.column(c);
    rows.missing += std::count_if(column, column + count, [](T cell) { return std::isnan(cell); });
  }
  rows.label = part.label;
  rows.classes = part.classes;
  rows.codes = rows_of(part.codes);
  rows.values = rows_of(part.values);
  rows.weights = rows_of(part.weights);
  rows.ids.names = part.ids.names;
  const auto begin = part.ids.rows.begin() + (part.ids.rows.empty() ? 0 : first);
  rows.ids.rows.assign(begin, part.ids.rows.empty() ? begin : begin + count);
  return rows;
}

/// Place of each category in the order of the label's mean.
template <class T>
std::vector<double> ordered_values(const T* codes,
                                   std::int64_t rows,
                                   std::size_t count,
                                   const Target& target) {
  std::vector<double> weights(count, 0), sums(count, 0);
  for (std::int64_t i = 0; i < rows; ++i) {
    if (codes[i] != codes[i]) continue;
    const auto c = static_cast<std::size_t>(codes[i]);
    const double weight = target.weights != nullptr ? target.weights[i] : 1;
    weights[c] += weight;
    sums[c] += weight * (target.is_class() ? target.codes[i] == 1 : target.values[i]);
  }
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < count; ++c) {
    if (weights[c] > 0) order.push_back(c);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t a) { return sums[a] / weights[a]; });
  std::vector<double> values(count, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < order.size(); ++k) values[order[k]] = static_cast<double>(k);
  return values;
}

/// The features of one column of text; NaN where its cell is missing or its category unknown.
/// places: of each of the file's categories among the encoding's, or -1.
template <class T>
void encode_column(const T* codes,
                   const std::vector<std::int32_t>& places,
                   const Encoding& encoding,
                   Table<T>& table,
                   std::int64_t first,
                   std::int64_t* unknown) {
  constexpr T none = std::numeric_limits<T>::quiet_NaN();
  for (std::int64_t i = 0; i < table.rows(); ++i) {
    const bool known = codes[i] == codes[i];
    const std::int64_t place = known ? places[static_cast<std::size_t>(codes[i])] : -1;
    if (known && place < 0 && unknown != nullptr) ++*unknown;
    if (!encoding.one_hot) {
      table.column(first)[i] =
          place < 0 ? none : static_cast<T>(encoding.values[static_cast<std::size_t>(place)]);
      continue;
    }
    for (std::int64_t c = 0; c < encoding.width(); ++c) {
      table.column(first + c)[i] = place < 0 ? none : static_cast<T>(place == c);
    }
  }
}

/// bad_input where a category's feature has the name of a column: a model finds features by name.
template <class T>
void check_feature_names(const io::TableFile<T>& file, const std::vector<Encoding>& encodings) {
  const auto& names = file.table.names();
  const std::unordered_set<std::string_view> columns(names.begin(), names.end());
  for (const Encoding& encoding : encodings) {
    if (!encoding.one_hot) continue;
    for (const std::string& category : encoding.categories) {
      const std::string feature = encoding.column + "=" + category;
      if (columns.count(feature) == 0) continue;
      throw input_error(
          "--categories one-hot: the feature '{}' of column '{}' has the name of "
          "another column; rename that",
          io::printable(feature),
          io::printable(encoding.column));
    }
  }
}

}  // namespace

template <class T>
void check_missing(const TreeTable& table, const io::TableFile<T>& part, std::int64_t before) {
  if (!table.refuse_missing || part.missing == 0) return;
  for (std::int64_t row = 0; row < part.table.rows(); ++row) {
    for (std::int64_t c = 0; c < part.table.columns(); ++c) {
      if (!std::isnan(part.table.column(c)[row])) continue;
      throw bad_file(
          table.path,
          "row {} (from 1, a header not counted), column '{}': the value is missing, and "
          "--missing error; fill it in or let trees learn where such rows go",
          before + row + 1,
          io::printable(part.table.names()[static_cast<std::size_t>(c)]));
    }
  }
}

void check_classes(Context& context,
                   const TreeTable& table,
                   const std::vector<std::string>& classes) {
  constexpr std::size_t believable = 100;
  note_equal_classes(context, table.path, classes);
  if (classes.size() <= believable || are_whole_numbers(classes).value_or(true)) {
    return note_number_classes(context, table.path, classes, "--regression predicts numbers");
  }
  const std::string& label = table.columns.label;
  throw bad_file(table.path,
                 "{}: {} different numbers as classes, and not all integers; "
                 "--regression predicts numbers",
                 label.empty() ? "label" : "column '" + io::printable(label) + "'",
                 classes.size());
}

template <class T>
io::TableFile<T> read_tree_table(Context& context, const TreeTable& table) {
  auto file = io::read_table<T>(context, table.path, table.columns);
  check_missing(table, file);
  return file;
}

template <class T>
Target target_of(const io::TableFile<T>& file) {
  Target target;
  if (!file.codes.empty()) {
    target.codes = file.codes.data();
    target.classes = static_cast<std::int32_t>(file.classes.size());
  } else {
    target.values = file.values.data();
  }
  if (!file.weights.empty()) target.weights = file.weights.data();
  return target;
}

template <class T>
void read_parts_for_model(Context& context,
                          const forest::Model& model,
                          TreeTable table,
                          std::int64_t bytes,
                          const io::TakeTable<T>& take) {
  table.columns.label_is_number = !model.is_class();
  const io::ModelColumns columns = columns_of(model);
  const io::TableParams reading =
      io::reading_for_model(context, table.path, table.columns, columns);
  // Values of a row as read and as the model's features.
  const auto values = static_cast<std::int64_t>(columns.features.size() + model.features.size());
  const std::int64_t at_a_time =
      std::max<std::int64_t>(1, bytes / (values * static_cast<std::int64_t>(sizeof(T))));
  std::int64_t unknown = 0, rows = 0;
  const io::TakeTable<T> take_encoded = [&](io::TableFile<T>&& part) {
    check_missing(table, part, rows);
    rows += part.table.rows();
    if (model.encodings.empty()) return take(std::move(part));
    // A part has a piece of text at least, whose features may take many times as much.
    for (std::int64_t first = 0; first < part.table.rows(); first += at_a_time) {
      const std::int64_t count = std::min(at_a_time, part.table.rows() - first);
      check_memory(
          context,
          fmt::format("a part of {} with their columns of text as features", counted(count, "row")),
          static_cast<std::uint64_t>(count * values) * sizeof(T));
      take(encoded_rows(part, first, count, model.encodings, unknown));
    }
  };
  io::read_table_parts<T>(context, table.path, reading, bytes, take_encoded);
  if (unknown > 0 && table.refuse_missing) {
    throw bad_file(table.path,
                   "{} of categories that the model does not know, which are missing "
                   "values, and --missing error; leave such rows out",
                   counted(unknown, "cell"));
  }
  if (unknown > 0) {
    context.note(fmt::format("{}: {} of categories that the model does not know; taken as missing",
                             table.path,
                             counted(unknown, "cell")));
  }
}

template <class T>
io::TableFile<T> read_for_model(Context& context, const forest::Model& model, TreeTable table) {
  Stage stage(context, "read " + table.path);
  io::TableFile<T> file;
  const io::TakeTable<T> take = [&](io::TableFile<T>&& whole) { file = std::move(whole); };
  constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  read_parts_for_model(context, model, std::move(table), all, take);
  return file;
}

template <class T>
void use_classes(io::TableFile<T>& file,
                 const std::string& path,
                 const std::vector<std::string>& classes) {
  const auto codes = io::places_of(file.classes, classes);
  const auto unknown = std::find(codes.begin(), codes.end(), -1) - codes.begin();
  if (unknown < std::ssize(codes)) {
    throw bad_file(path,
                   "has the class '{}', which the model does not know; leave such rows out",
                   io::printable(file.classes[static_cast<std::size_t>(unknown)]));
  }
  for (std::int32_t& code : file.codes) code = codes[static_cast<std::size_t>(code)];
  file.classes = classes;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS,
                 read_tree_table,
                 check_missing,
                 target_of,
                 read_for_model,
                 read_parts_for_model,
                 use_classes)

io::ModelColumns columns_of(const forest::Model& model) {
  io::ModelColumns columns;
  columns.label = model.label;
  columns.zero_based = model.zero_based;
  std::size_t next = 0;
  for (std::int64_t f = 0; f < std::ssize(model.features);) {
    const bool is_text = next < model.encodings.size() && model.encodings[next].feature == f;
    columns.features.push_back(is_text ? model.encodings[next].column
                                       : model.features[static_cast<std::size_t>(f)]);
    if (is_text) columns.categorical.push_back(columns.features.back());
    f += is_text ? model.encodings[next++].width() : 1;
  }
  return columns;
}

template <class T>
std::vector<Encoding> learn_encodings(const io::TableFile<T>& file,
                                      TableView<T> table,
                                      const Target& target,
                                      Categories how) {
  const bool many = target.is_class() && target.classes > 2;
  if (how == Categories::automatic) how = many ? Categories::one_hot : Categories::ordered;
  if (how == Categories::ordered && many) {
    throw usage_error(
        "--categories ordered: expected two classes or --regression, got {} classes; use one-hot",
        target.classes);
  }
  std::vector<Encoding> encodings;
  std::int64_t feature = 0;
  for (std::size_t c = 0; c < file.categories.size(); ++c) {
    const auto& categories = file.categories[c];
    if (categories.empty()) {
      ++feature;
      continue;
    }
    Encoding& encoding = encodings.emplace_back();
    encoding.column = file.table.names()[c];
    encoding.feature = feature;
    encoding.one_hot = how == Categories::one_hot;
    encoding.categories = categories;
    if (how == Categories::ordered) {
      const T* codes = table.column(static_cast<std::int64_t>(c));
      encoding.values = ordered_values(codes, table.rows, categories.size(), target);
    } else if (!encoding.one_hot) {
      encoding.values.resize(categories.size());
      std::iota(encoding.values.begin(), encoding.values.end(), 0.0);
    }
    feature += encoding.width();
  }
  check_feature_names(file, encodings);
  return encodings;
}

std::vector<std::int32_t> one_hot_of(const forest::Model& model) {
  std::vector<std::int32_t> one_hot;
  std::size_t next = 0;
  bool any = false;
  for (std::int64_t f = 0; f < std::ssize(model.features);) {
    const bool is_text = next < model.encodings.size() && model.encodings[next].feature == f;
    const std::int64_t width = is_text ? model.encodings[next].width() : 1;
    const bool made = is_text && model.encodings[next++].one_hot;
    one_hot.push_back(made ? static_cast<std::int32_t>(width) : 0);
    any = any || made;
    f += width;
  }
  return any ? one_hot : std::vector<std::int32_t>();
}

const forest::Model& on_columns(const forest::Model& given, forest::Model& model) {
  const std::vector<std::int32_t> one_hot = one_hot_of(given);
  if (one_hot.empty()) return given;
  model = given;
  const auto columns = std::ssize(one_hot);
  model.trees = forest::on_columns(std::move(model.trees), columns, one_hot);
  model.features = columns_of(model).features;
  std::int64_t before = 0;  // features that columns so far have too many
  for (Encoding& encoding : model.encodings) {
    encoding.feature -= before;
    if (!encoding.one_hot) continue;
    before += encoding.width() - 1;
    encoding.one_hot = false;
    encoding.values.resize(encoding.categories.size());
    std::iota(encoding.values.begin(), encoding.values.end(), 0.0);
  }
  return model;
}

std::vector<std::string> feature_names(const std::vector<std::string>& columns,
                                       const std::vector<Encoding>& encodings) {
  std::vector<std::string> names;
  std::size_t next = 0;
  for (const std::string& column : columns) {
    const bool is_text = next < encodings.size() && encodings[next].feature == std::ssize(names);
    if (!is_text || !encodings[next].one_hot) {
      names.push_back(column);
    } else {
      for (const auto& category : encodings[next].categories)
        names.push_back(column + "=" + category);
    }
    next += is_text ? 1 : 0;
  }
  return names;
}

template <class T>
Table<T> encoded(const io::TableFile<T>& file,
                 TableView<T> table,
                 const std::vector<Encoding>& encodings,
                 std::int64_t* unknown) {
  Table<T> result(table.rows, feature_names(file.table.names(), encodings));
  std::size_t next = 0;
  std::int64_t feature = 0;
  for (std::int64_t c = 0; c < table.columns; ++c) {
    if (next == encodings.size() || encodings[next].feature != feature) {
      std::copy_n(table.column(c), table.rows, result.column(feature++));
      continue;
    }
    const Encoding& encoding = encodings[next++];
    const auto& categories = file.categories[static_cast<std::size_t>(c)];
    const auto places = io::places_of(categories, encoding.categories);
    encode_column(table.column(c), places, encoding, result, feature, unknown);
    feature += encoding.width();
  }
  return result;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, learn_encodings, encoded)

}  // namespace yupana::job
