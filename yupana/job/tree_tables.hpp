#pragma once

#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/io/model_columns.hpp"
#include "yupana/io/table.hpp"

namespace yupana::job {

/// A table of a file, for trees.
struct TreeTable {
  std::string path;
  io::TableParams columns = {};
  bool single = false;  ///< values as float32, as scikit-learn has them
  bool refuse_missing = false;
};

/// How columns of text become numbers. ordered: a category's number is its place in the order of
/// the label's mean (of two classes: of the second's share; categories of equal mean by name);
/// for two classes and for numbers the best of all partings of the categories is among those of
/// this order at the root (Breiman et al. 1984, theorem 4.5). one_hot: a feature a category.
/// by_name: a category's place among the names. native: that too, and each node parts the
/// categories in two (forest/tree.hpp). automatic: ordered, one_hot for more than two classes.
enum class Categories { automatic, ordered, one_hot, by_name, native };

template <class T>
io::TableFile<T> read_tree_table(Context& context, const TreeTable& table);

/// bad_input where missing values are refused and there are some: the first row that has one.
/// `before`: rows of the file before those of the part.
template <class T>
void check_missing(const TreeTable& table, const io::TableFile<T>& part, std::int64_t before = 0);

template <class T>
forest::Target target_of(const io::TableFile<T>& file);

/// Learned from rows with their labels; a category without weight has no number: it is missing.
template <class T>
std::vector<forest::Encoding> learn_encodings(const io::TableFile<T>& file,
                                              TableView<T> table,
                                              const forest::Target& target,
                                              Categories how);

/// The columns that a model's features were made of.
io::ModelColumns columns_of(const forest::Model& model);

/// Of each column that a model reads, how many features it became where these are one-hot, else 0;
/// empty where none are. What forest::TreeParams::one_hot says.
std::vector<std::int32_t> one_hot_of(const forest::Model& model);

/// The model as one of the columns it reads: one-hot features are the category's number in one, and
/// a table never has to have them. Predicts the same; nodes keep their numbers. The model itself
/// where no feature is one-hot, else `made`.
const forest::Model& on_columns(const forest::Model& model, forest::Model& made);

/// Names of the features that columns become.
std::vector<std::string> feature_names(const std::vector<std::string>& columns,
                                       const std::vector<forest::Encoding>& encodings);

/// The features that a table's columns become. `unknown`, if given, counts cells of categories that
/// the encodings do not know: they are missing. file: whose names and categories `table` has.
template <class T>
Table<T> encoded(const io::TableFile<T>& file,
                 TableView<T> table,
                 const std::vector<forest::Encoding>& encodings,
                 std::int64_t* unknown = nullptr);

/// The model's columns of a table (io::reading_for_model) as the model's features.
template <class T>
io::TableFile<T> read_for_model(Context& context, const forest::Model& model, TreeTable table);

/// The same in parts of `bytes`, see io::read_table_parts.
template <class T>
void read_parts_for_model(Context& context,
                          const forest::Model& model,
                          TreeTable table,
                          std::int64_t bytes,
                          const io::TakeTable<T>& take);

/// bad_input where the classes of a label are over a hundred numbers, not all of them integers: a
/// measurement, whose every value would be a class with a count in each leaf. Notes classes that
/// are equal as numbers.
void check_classes(Context& context,
                   const TreeTable& table,
                   const std::vector<std::string>& classes);

/// Codes of the file's labels become those of `classes`; bad_input for a class that is none of
/// them.
template <class T>
void use_classes(io::TableFile<T>& file,
                 const std::string& path,
                 const std::vector<std::string>& classes);

}  // namespace yupana::job
