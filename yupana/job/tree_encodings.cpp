#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/io/names.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/job/tree_tables.hpp"

namespace yupana::job {
namespace {

using forest::Encoding;
using forest::Target;

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
