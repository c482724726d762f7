#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/forest/tree.hpp"

namespace yupana::forest {

/// Which rows each tree of a forest sees: draws with replacement, see max_samples; one of
/// as many random parts as there are trees; all of them.
enum class Sampling { bootstrap, partition, all };
/// How trees agree on a class: the majority of their classes, or the largest mean of their shares.
/// Ties go to the smaller class. Numbers are averaged.
enum class Voting { hard, soft };

inline constexpr std::int64_t root_of_features = -1;

struct ForestParams {
  std::int64_t trees = 100;
  std::int64_t first_tree = 0;  ///< where only a range of a larger forest is grown: its first tree
  std::int64_t all_trees = 0;   ///< and the larger forest's trees; 0: first_tree + trees
  Sampling sampling = Sampling::bootstrap;
  std::int64_t max_samples = 0;  ///< rows that a tree of a bootstrap draws; 0: as many as there are
  Voting voting = Voting::hard;
  std::int64_t max_features = root_of_features;  ///< -1: the root for classes, all for numbers
  TreeParams tree = {};                          ///< of each tree; its max_features is not used
};

/// How a column of text became features of numbers.
struct Encoding {
  std::string column;
  std::int64_t feature = 0;  ///< the (first) feature made of it
  bool one_hot = false;      ///< a feature a category, 1 where a row has it, else 0
  std::vector<std::string> categories;
  std::vector<double> values;  ///< unless one_hot: the number of each category, NaN if none

  /// How many features were made of the column.
  std::int64_t width() const { return one_hot ? std::ssize(categories) : 1; }
  bool operator==(const Encoding&) const = default;
};

/// Trees and what their numbers mean.
struct Model {
  std::vector<std::string> features;
  std::vector<Encoding> encodings;   ///< of features that were text; in order
  std::vector<std::string> classes;  ///< empty: numbers are predicted
  std::string label;
  bool zero_based = false;  ///< grown from a libsvm file whose indices begin at 0
  Voting voting = Voting::soft;
  std::vector<Tree> trees;

  bool is_class() const { return !classes.empty(); }
  bool operator==(const Model&) const = default;
};

struct OutOfBag {
  double score = 0;       ///< accuracy, or R^2 of numbers
  std::int64_t rows = 0;  ///< that some tree did not see
  /// Rows x outputs: shares of the classes (of votes if Voting::hard) or the mean; NaN where all
  /// saw the row. Empty where every tree saw every row.
  Array<double> values = {};
};

/// What a forest's trees say of the rows that they did not see.
template <class T>
OutOfBag out_of_bag(Context& context,
                    const std::vector<Tree>& trees,
                    TableView<T> table,
                    const Target& target,
                    const ForestParams& params);

/// Grows each tree on its rows, trees side by side. Tree t draws from (seed, t) alone. Collective:
/// every rank has the whole table and returns the forest; on CPUs rank r grows trees r, r + ranks,
/// ..., on GPUs each grows all.
///   memory: the sorted table (8 bytes a value), and as much for each tree at work
///   determinism: the same forest for any threads and backend
///   errors: as fit_tree; usage for no trees, bad_input for more trees than rows to part
///   source: Breiman, Random Forests, Machine Learning 45, 2001
template <class T>
std::vector<Tree> fit_forest(Context& context,
                             TableView<T> table,
                             const Target& target,
                             const ForestParams& params = {});

/// What fit_tree takes to grow a forest's tree from the rows of the tree alone: its own draws of
/// features.
TreeParams params_of_tree(const ForestParams& params,
                          std::int64_t tree,
                          std::int64_t features,
                          bool is_class);

/// usage or bad_input for a number of trees that rows cannot have.
void check_trees(const ForestParams& params, std::int64_t rows);

/// The rows that a tree of the forest sees, in the order they are drawn; else ascending.
std::vector<std::uint32_t> rows_of_tree(const ForestParams& params,
                                        std::int64_t rows,
                                        std::int64_t tree);

/// The tree that sees each row, where `trees` of them share the rows by random parts: what
/// Sampling::partition assigns. Below 2^32 rows.
Array<std::uint32_t> parts_of_rows(std::int64_t rows, std::int64_t trees, std::uint64_t seed);

/// Mean decrease of impurity by each feature over the trees with a split, each tree's adding to 1;
/// all 0 where no tree has one.
std::vector<double> importances(std::span<const Tree> trees, std::int64_t features);

}  // namespace yupana::forest
