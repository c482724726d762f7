#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/finite.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/table.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/coded.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/packed.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/forest/walked.hpp"

namespace yupana::forest {

/// Rows as keys, sixteen side by side: for any number of rows, trees and columns.
template <class T>
struct PackedForm {
  using Cell = Key<T>;
  using TreeForm = PackedTree<T>;
  static constexpr std::int64_t lanes = packed_lanes;
  std::int64_t columns;
  std::int64_t max_rows = 1024;

  /// threads: that share the rows.
  PackedForm(const std::vector<Tree>& trees, std::int64_t columns_, std::int64_t rows, int threads)
      : columns(columns_) {
    std::size_t nodes = 0;
    for (const Tree& tree : trees) nodes += tree.nodes.size();
    if (nodes > cached_nodes) max_rows = std::clamp(rows / (4 * threads), max_rows, many_rows);
  }

  /// Rows that go through a tree before the next tree's turn: the tree stays in the first cache,
  /// the rows stream from the second. 256 to 2,048 differ by 5 %. Trees that no cache holds
  /// together come from memory for each block: more rows. Of wide tables fewer: a block's keys stay
  /// below 8 MiB a thread.
  std::int64_t block_rows() const {
    const std::int64_t rows = (std::int64_t{1} << 20) / std::max<std::int64_t>(1, columns);
    return std::clamp(rows / lanes * lanes, lanes, max_rows / lanes * lanes);
  }
  std::int64_t width() const { return columns; }
  TreeForm make(const Tree& tree, bool missing) const {
    return packed<T>(tree, missing ? columns : 0);
  }
  bool fill(TableView<T> table, bool missing, Cell* keys) const {
    return cpu::pack_rows(table, missing, keys);
  }

 private:
  static constexpr std::size_t cached_nodes = std::size_t{1} << 16;
  static constexpr std::int64_t many_rows = std::int64_t{1} << 15;
};

/// Rows as codes: for many rows and many trees that split few columns.
template <class T>
struct CodedForm {
  using Cell = std::uint16_t;
  using TreeForm = CodedTree;
  static constexpr std::int64_t lanes = coded_rows;
  /// A tree and its leaves' votes come from the third cache where there are many: more rows a turn
  /// than keys have.
  static constexpr std::int64_t max_rows = 4 * coded_rows;
  std::vector<CodedColumn<T>> columns;

  std::int64_t block_rows() const { return max_rows; }
  std::int64_t width() const { return std::ssize(columns); }
  TreeForm make(const Tree& tree, bool missing) const { return coded(tree, columns, missing); }
  bool fill(TableView<T> table, bool missing, Cell* codes) const {
    return cpu::code_rows(columns, table, missing, codes);
  }
};

/// Trees in one form and, made for the first block of rows with a missing value, in that for such.
template <class T, class Form>
class FormDescent {
 public:
  using Cell = typename Form::Cell;
  FormDescent(Context& context, const std::vector<Tree>& trees, Form form)
      : trees_(trees), form_(std::move(form)), plain_(trees.size()) {
    context.parallel_for(
        std::ssize(trees), 1, [&](std::int64_t t) { plain_[t] = form_.make(trees[t], false); });
  }

  const std::vector<std::int32_t>& origin(std::size_t tree) const { return plain_[tree].origin; }
  std::int64_t block_rows() const { return form_.block_rows(); }
  std::int64_t cells(std::int64_t rows) const {
    return round_up(rows, Form::lanes) * form_.width() * 2;
  }

  /// leaves: memory for as many as block_rows(), in whole groups of lanes. Returns whether all
  /// values were looked at and are finite.
  template <class Add>
  bool block(TableView<T> rows, Cell* cells, std::uint32_t* leaves, const Add& add) {
    const bool missing = !form_.fill(rows, false, cells);
    if (missing) form_.fill(rows, true, cells);
    const auto& trees = missing ? with_missing() : plain_;
    const std::int64_t group = form_.width() * Form::lanes * (missing ? 2 : 1);
    for (std::size_t t = 0; t < trees.size(); ++t) {
      cpu::descend(trees[t], cells, group, divide_up(rows.rows, Form::lanes), leaves);
      add(t, leaves);
    }
    return false;
  }

 private:
  /// By one thread: a thread that waited for others' part might be given rows to wait here with.
  const std::vector<typename Form::TreeForm>& with_missing() {
    std::call_once(once_, [&] {
      for (const Tree& tree : trees_) missing_.push_back(form_.make(tree, true));
    });
    return missing_;
  }

  const std::vector<Tree>& trees_;
  Form form_;
  std::vector<typename Form::TreeForm> plain_, missing_;
  std::once_flag once_;
};

/// One tree, whose nodes read the table.
template <class T>
class DirectDescent {
 public:
  using Cell = T;
  explicit DirectDescent(const Tree& tree) : tree_(direct<T>(tree)) {}

  const std::vector<std::int32_t>& origin(std::size_t) const { return tree_.tree.origin; }
  std::int64_t block_rows() const { return 4096; }
  std::int64_t cells(std::int64_t) const { return 0; }

  template <class Add>
  bool block(TableView<T> rows, Cell*, std::uint32_t* leaves, const Add& add) {
    const bool finite = cpu::descend_direct(tree_, rows, leaves);
    add(0, leaves);
    return finite;
  }

 private:
  DirectTree<T> tree_;
};

/// The columns where codes are the faster form, else none.
template <class T>
std::vector<CodedColumn<T>> columns_if_coded(const Model& model, const TableView<T>& table);

/// errors: bad_input where some value is infinite
inline void check_finite(bool finite) {
  if (!finite) throw input_error("expected finite or missing values, got an infinite one");
}

/// Rows of a table through a model's trees.
template <class T>
class Descent {
 public:
  Descent(Context& context, const Model& model, TableView<T> table, Infinite infinite)
      : table_(table), infinite_(infinite) {
    if (splits_categories(model.trees)) {
      walked_.emplace(context, model.trees, WalkedForm<T>(model.trees, table.columns));
      return;
    }
    if (model.trees.size() == 1 && reads_table_faster(table, model.trees[0])) {
      direct_.emplace(model.trees[0]);
      return;
    }
    auto columns = columns_if_coded(model, table);
    if (columns.empty()) {
      packed_.emplace(context,
                      model.trees,
                      PackedForm<T>(model.trees, table.columns, table.rows, context.threads()));
    } else {
      coded_.emplace(context, model.trees, CodedForm<T>{std::move(columns)});
    }
  }

  /// Of each tree, the nodes that its leaves' numbers mean.
  const std::vector<std::int32_t>& origin(std::size_t tree) const {
    if (walked_) return walked_->origin(tree);
    if (direct_) return direct_->origin(tree);
    return coded_ ? coded_->origin(tree) : packed_->origin(tree);
  }

  /// For every block of rows: b = make_block(first row, rows), b.add(tree, leaf of each row) for
  /// each tree in order, b.finish(). Values are looked at while their block is in the cache.
  ///   errors: bad_input for an infinite value that is refused
  template <class MakeBlock>
  void run(Context& context, const MakeBlock& make_block) {
    if (walked_) return run(context, *walked_, make_block);
    if (direct_) return run(context, *direct_, make_block);
    coded_ ? run(context, *coded_, make_block) : run(context, *packed_, make_block);
  }

 private:
  /// Measured (Zen 5): 200,000 rows of 18 doubles go down 39 levels in 12 ms as they are, in 9 as
  /// keys; of floats in 6 and 8. Rows are as they are in one or two lines of a cache.
  static bool reads_table_faster(const TableView<T>& table, const Tree& tree) {
    return sizeof(T) == 4 || table.row_stride != 1 || tree.depth() <= 12;
  }

  template <class Form, class MakeBlock>
  void run(Context& context, Form& form, const MakeBlock& make_block) {
    const std::int64_t block_rows = form.block_rows();
    context.parallel_for(
        divide_up(table_.rows, block_rows), 1, [&](std::int64_t begin, std::int64_t end) {
          Array<typename Form::Cell> cells(form.cells(std::min(block_rows, table_.rows)));
          Array<std::uint32_t> ends(block_rows);
          for (std::int64_t b = begin; b < end; ++b) {
            context.check_cancelled();
            const std::int64_t first = b * block_rows;
            const std::int64_t rows = std::min(block_rows, table_.rows - first);
            auto block = make_block(first, rows);
            const TableView<T> part = table_.part(first, rows);
            const bool finite = form.block(
                part,
                cells.data(),
                ends.data(),
                [&](std::size_t tree, const std::uint32_t* leaves) { block.add(tree, leaves); });
            if (!finite && infinite_ == Infinite::refused) check_finite(all_finite(part, true));
            block.finish();
          }
        });
  }

  TableView<T> table_;
  Infinite infinite_;
  std::optional<DirectDescent<T>> direct_;
  std::optional<FormDescent<T, PackedForm<T>>> packed_;
  std::optional<FormDescent<T, CodedForm<T>>> coded_;
  std::optional<FormDescent<T, WalkedForm<T>>> walked_;
};

}  // namespace yupana::forest
