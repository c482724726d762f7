#include <algorithm>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/forest/importance.hpp"
#include "yupana/forest/tree_memory.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/job/tree_measures.hpp"
#include "yupana/job/trees_memory.hpp"

namespace yupana::job {
namespace {

using forest::Target;

/// What is kept of all rows.
struct PartRows {
  std::vector<std::string> features;
  std::string label;
  std::vector<std::string> classes;
  std::vector<std::int32_t> codes;
  std::int64_t missing = 0;
};

/// Rows that some trees grow from.
template <class T>
struct TreeRows {
  Table<T> table;
  std::vector<std::int32_t> codes;
};

template <class T>
class PartsGrower {
 public:
  PartsGrower(Context& context, const FitTreesParams& params)
      : context_(context), params_(params), forest_(params.forest_params) {}

  FitTreesResult run() {
    keep_labels();
    FitTreesResult result;
    forest::Model& model = result.model;
    model.features = rows_.features;
    model.classes = rows_.classes;
    model.label = rows_.label;
    model.zero_based = params_.table.columns.zero_based;
    model.voting = forest_.voting;
    result.rows = std::ssize(rows_.codes);
    result.missing = rows_.missing;
    result.alpha = params_.alpha;
    try {
      grow(result);
    } catch (const forest::TreesTooLarge& error) {
      throw with_bytes_that_do(error, bytes_that_do());
    }
    look_back(result);
    return result;
  }

 private:
  double memory() const { return static_cast<double>(context_.memory()); }

  void read(const std::string& stage, const io::TakeTable<T>& take) {
    Stage reading(context_, stage + " " + params_.table.path);
    const double most = std::min(memory() / 10, static_cast<double>(std::int64_t{256} << 20));
    io::read_table_parts<T>(
        context_, params_.table.path, params_.table.columns, static_cast<std::int64_t>(most), take);
  }

  void keep_labels() {
    io::Names names;
    read("read labels of", [&](io::TableFile<T>&& part) {
      check_missing(params_.table, part, std::ssize(rows_.codes));
      rows_.features = part.table.names();
      rows_.label = part.label;
      rows_.missing += part.missing;
      std::vector<std::int32_t> numbers;
      for (const std::string& name : part.classes) numbers.push_back(names.number(name));
      for (const std::int32_t code : part.codes) {
        rows_.codes.push_back(numbers[static_cast<std::size_t>(code)]);
      }
    });
    rows_.classes = io::ordered_names({names});
    check_classes(context_, params_.table, rows_.classes);
    const auto places = io::places_of(names.texts(), rows_.classes);
    for (std::int32_t& code : rows_.codes) code = places[static_cast<std::size_t>(code)];
  }

  std::int64_t rows_of_part() const { return divide_up(std::ssize(rows_.codes), forest_.trees); }
  double features() const { return static_cast<double>(rows_.features.size()); }
  /// Of one part: its rows, and the lists that its tree is grown from.
  double table_bytes() const {
    return static_cast<double>(rows_of_part()) * (features() * sizeof(T) + 4);
  }
  double list_bytes() const {
    // Halves of lists that are parted at once: those of a node, and smaller ones of others.
    const double beside = 16 * std::min(2 * features(), static_cast<double>(context_.threads()));
    return static_cast<double>(rows_of_part()) * (8 * features() + beside);
  }

  /// Bytes that no trees of these rows pass.
  double bytes_that_do() const {
    const double leaves = forest::most_leaves(forest_.tree, rows_of_part(), rows_of_part());
    const auto outputs = static_cast<std::int32_t>(rows_.classes.size());
    const double trees =
        static_cast<double>(forest_.trees) * (2 * leaves - 1) * forest::bytes_of_node(outputs);
    const double rows = 12 * static_cast<double>(rows_.codes.size());
    return (rows + trees + table_bytes() + list_bytes()) / 0.9;
  }

  /// Trees whose rows are held at a time, of `left`, besides the trees that are grown.
  std::int64_t trees_at_a_time(const std::vector<forest::Tree>& grown, std::int64_t left) const {
    const auto rows = static_cast<double>(rows_.codes.size());
    double trees = 0;
    for (const forest::Tree& tree : grown) trees += forest::bytes_at_rest(tree);
    const double room = 0.9 * memory() - 12 * rows - trees;
    const double table = table_bytes(), lists = list_bytes();
    if (room < table + lists) {
      throw resource_error(
          "{} of {}, one part and its lists{} take {}; memory is limited to {}; "
          "give more --trees, --float32 or more --memory ({} will do)",
          counted(std::ssize(rows_.codes), "row"),
          counted(forest_.trees, "part"),
          grown.empty() ? "" : " and the trees so far",
          needed_bytes((12 * rows + trees + table + lists) / 0.9),
          allowed_bytes(memory()),
          memory_option(bytes_that_do()));
    }
    return std::min(left, static_cast<std::int64_t>((room - lists) / table));
  }

  void grow(FitTreesResult& result) {
    const auto rows = std::ssize(rows_.codes);
    forest::check_trees(forest_, rows);
    const auto parts = forest::parts_of_rows(rows, forest_.trees, forest_.tree.seed);
    std::vector<forest::Tree>& trees = result.model.trees;
    forest::TreeMemory trees_memory(context_,
                                    forest_,
                                    static_cast<std::int32_t>(rows_.classes.size()),
                                    12 * static_cast<double>(rows));
    for (std::int64_t first = 0; first < forest_.trees;) {
      const std::int64_t last = first + trees_at_a_time(trees, forest_.trees - first);
      auto own = rows_of_trees(parts, first, last);
      const double begin = now();
      Stage stage(context_, "grow trees", static_cast<double>(last - first), "trees");
      for (std::int64_t t = first; t < last; ++t) {
        // A tree takes the place of its rows.
        const TreeRows<T> tree_rows = std::move(own[static_cast<std::size_t>(t - first)]);
        trees.push_back(tree(t, tree_rows));
        trees.back().nodes.shrink_to_fit();
        trees.back().values.shrink_to_fit();
        trees_memory.add(trees.back());
        stage.advance(1);
      }
      result.seconds += now() - begin;
      first = last;
    }
  }

  forest::Tree tree(std::int64_t t, const TreeRows<T>& rows) const {
    Target target;
    target.codes = rows.codes.data();
    target.classes = static_cast<std::int32_t>(rows_.classes.size());
    const auto features = std::ssize(rows_.features);
    const forest::TreeParams own = forest::params_of_tree(forest_, t, features, true);
    forest::Tree grown = forest::fit_tree(context_, rows.table.view(), target, own);
    return params_.alpha > 0 ? forest::prune_cost_complexity(grown, params_.alpha) : grown;
  }

  std::vector<TreeRows<T>> rows_of_trees(const Array<std::uint32_t>& parts,
                                         std::int64_t first,
                                         std::int64_t last) {
    std::vector<TreeRows<T>> trees(static_cast<std::size_t>(last - first));
    std::vector<std::int64_t> counts(trees.size(), 0);
    for (std::int64_t i = 0; i < parts.size(); ++i) {
      if (parts[i] < first || parts[i] >= last) continue;
      const auto tree = static_cast<std::size_t>(parts[i] - first);
      trees[tree].codes.push_back(rows_.codes[static_cast<std::size_t>(i)]);
      ++counts[tree];
    }
    for (std::size_t t = 0; t < trees.size(); ++t) {
      trees[t].table = Table<T>(counts[t], rows_.features);
    }
    std::vector<std::int64_t> filled(trees.size(), 0);
    std::int64_t row = 0;
    read("read parts of", [&](io::TableFile<T>&& part) {
      const std::vector<std::int64_t> begin = filled;
      context_.parallel_for(part.table.columns(), 1, [&](std::int64_t f, std::int64_t end) {
        for (; f < end; ++f) {
          std::vector<std::int64_t> next = begin;
          const T* from = part.table.column(f);
          for (std::int64_t i = 0; i < part.table.rows(); ++i) {
            const std::int64_t tree = static_cast<std::int64_t>(parts[row + i]) - first;
            if (tree < 0 || tree >= last - first) continue;
            const auto t = static_cast<std::size_t>(tree);
            trees[t].table.column(f)[next[t]++] = from[i];
          }
        }
      });
      for (std::int64_t i = 0; i < part.table.rows(); ++i, ++row) {
        if (parts[row] >= first && parts[row] < last) {
          ++filled[static_cast<std::size_t>(parts[row] - first)];
        }
      }
    });
    return trees;
  }

  void look_back(FitTreesResult& result) {
    const std::vector<forest::Tree>& trees = result.model.trees;
    result.importances = forest::importances(trees, std::ssize(rows_.features));
    result.importance_deviations = forest::importance_deviations(trees, result.importances);
    Target target;
    target.codes = rows_.codes.data();
    target.classes = static_cast<std::int32_t>(rows_.classes.size());
    TreeTally tally(context_, result.model);
    const TakePredictions count = [&](std::int64_t, MatrixView<const double> predicted) {
      tally.add(context_, target, predicted);
      target.codes += predicted.rows;
    };
    read("look back on", [&](io::TableFile<T>&& part) {
      predict_in_blocks<T>(context_, result.model, part.table.view(), count);
    });
    result.train = tally.measures(context_);
  }

  Context& context_;
  const FitTreesParams& params_;
  const forest::ForestParams& forest_;
  PartRows rows_;
};

}  // namespace

bool grows_in_parts(const Context& context, const FitTreesParams& params) {
  const forest::ForestParams& forest = params.forest_params;
  const bool own_rows = context.comm() == nullptr && params.forest &&
                        forest.sampling == forest::Sampling::partition && !params.out_of_bag &&
                        forest.first_tree == 0 && params.increasing.empty() &&
                        params.decreasing.empty() && !params.forest_params.tree.random_splits;
  const bool counts = !params.regression && forest.tree.criterion == forest::Criterion::gini &&
                      !params.balanced && params.class_weights.empty() &&
                      params.table.columns.weight.empty();
  const bool once = params.folds == 0 && params.fold_column.empty() && params.validation.empty();
  return own_rows && counts && once && params.table.columns.categorical.empty();
}

template <class T>
FitTreesResult fit_in_parts(Context& context, const FitTreesParams& params) {
  return PartsGrower<T>(context, params).run();
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, fit_in_parts)

}  // namespace yupana::job
