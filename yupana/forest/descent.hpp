#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/table.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/coded.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/packed.hpp"

namespace yupana::forest {

/// Trees in one form and, made for the first block of rows with a missing value, in that for such.
template <class Form>
class TreesInForm {
 public:
  template <class Make>
  TreesInForm(Context& context, const std::vector<Tree>& trees, const Make& make)
      : plain(trees.size()) {
    context.parallel_for(std::ssize(trees), 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
        plain[t] = make(trees[t], false);
      }
    });
  }
  /// By one thread: a thread that waited for others' part might be given rows to wait here with.
  template <class Make>
  const std::vector<Form>& with_missing(const std::vector<Tree>& trees, const Make& make) {
    std::call_once(once_, [&] {
      for (const Tree& tree : trees) missing_.push_back(make(tree, true));
    });
    return missing_;
  }

  std::vector<Form> plain;

 private:
  std::vector<Form> missing_;
  std::once_flag once_;
};

/// Rows as keys, sixteen side by side: for any number of rows, trees and columns.
template <class T>
class PackedDescent {
 public:
  using Cell = Key<T>;
  PackedDescent(Context& context, const std::vector<Tree>& trees, std::int64_t columns)
      : trees_(trees), columns_(columns), forms_(context, trees, maker()) {}

  const std::vector<std::int32_t>& origin(std::size_t tree) const {
    return forms_.plain[tree].origin;
  }
  /// Rows that go through a tree before the next tree's turn: the tree stays in the first cache,
  /// the rows stream from the second. 256 to 2,048 differ by 5 %. Of wide tables fewer: a block's
  /// keys stay below 8 MiB a thread.
  std::int64_t block_rows() const {
    const std::int64_t rows = (std::int64_t{1} << 20) / std::max<std::int64_t>(1, columns_);
    return std::clamp(rows / packed_lanes * packed_lanes, packed_lanes, std::int64_t{1024});
  }
  std::int64_t cells(std::int64_t rows) const {
    return round_up(rows, packed_lanes) * columns_ * 2;
  }

  template <class Add>
  void block(const T* data, std::int64_t stride, std::int64_t rows, Cell* keys, const Add& add) {
    const bool missing = !cpu::pack_rows(data, stride, columns_, rows, false, keys);
    if (missing) cpu::pack_rows(data, stride, columns_, rows, true, keys);
    const auto& trees = missing ? forms_.with_missing(trees_, maker()) : forms_.plain;
    const std::int64_t group = columns_ * packed_lanes * (missing ? 2 : 1);
    std::uint32_t leaves[1024];
    for (std::size_t t = 0; t < trees.size(); ++t) {
      cpu::descend(trees[t], keys, group, divide_up(rows, packed_lanes), leaves);
      add(t, leaves);
    }
  }

 private:
  auto maker() const {
    return
        [this](const Tree& tree, bool missing) { return packed<T>(tree, missing ? columns_ : 0); };
  }

  const std::vector<Tree>& trees_;
  std::int64_t columns_;
  TreesInForm<PackedTree<T>> forms_;
};

/// Rows as codes: for many rows and many trees that split few columns.
template <class T>
class CodedDescent {
 public:
  using Cell = std::uint16_t;
  CodedDescent(Context& context,
               const std::vector<Tree>& trees,
               std::vector<CodedColumn<T>> columns)
      : trees_(trees), columns_(std::move(columns)), forms_(context, trees, maker()) {}

  const std::vector<std::int32_t>& origin(std::size_t tree) const {
    return forms_.plain[tree].origin;
  }
  /// A tree and what its leaves say come from the third cache where there are many: more rows a
  /// turn than keys have.
  std::int64_t block_rows() const { return most_rows; }
  std::int64_t cells(std::int64_t rows) const {
    return round_up(rows, coded_rows) * std::ssize(columns_) * 2;
  }

  template <class Add>
  void block(const T* data, std::int64_t stride, std::int64_t rows, Cell* codes, const Add& add) {
    const bool missing = !cpu::code_rows(columns_, data, stride, rows, false, codes);
    if (missing) cpu::code_rows(columns_, data, stride, rows, true, codes);
    const auto& trees = missing ? forms_.with_missing(trees_, maker()) : forms_.plain;
    const std::int64_t group = std::ssize(columns_) * coded_rows * (missing ? 2 : 1);
    std::uint32_t leaves[most_rows];
    for (std::size_t t = 0; t < trees.size(); ++t) {
      cpu::descend(trees[t], codes, group, divide_up(rows, coded_rows), leaves);
      add(t, leaves);
    }
  }

 private:
  static constexpr std::int64_t most_rows = 4 * coded_rows;
  auto maker() const {
    return [this](const Tree& tree, bool missing) { return coded(tree, columns_, missing); };
  }

  const std::vector<Tree>& trees_;
  std::vector<CodedColumn<T>> columns_;
  TreesInForm<CodedTree> forms_;
};

/// The columns where codes are the faster form, else none.
template <class T>
std::vector<CodedColumn<T>> columns_if_coded(const Model& model, const TableView<T>& table);

/// Rows of a table through a model's trees.
template <class T>
class Descent {
 public:
  Descent(Context& context, const Model& model, TableView<T> table) : table_(table) {
    auto columns = columns_if_coded(model, table);
    if (columns.empty()) {
      packed_.emplace(context, model.trees, table.columns);
    } else {
      coded_.emplace(context, model.trees, std::move(columns));
    }
  }

  /// Of each tree, the nodes that its leaves' numbers stand for.
  const std::vector<std::int32_t>& origin(std::size_t tree) const {
    return coded_ ? coded_->origin(tree) : packed_->origin(tree);
  }

  /// For every block of rows: b = make_block(first row, rows), b.add(tree, leaf of each row) for
  /// each tree in order, b.finish().
  template <class MakeBlock>
  void run(Context& context, const MakeBlock& make_block) {
    coded_ ? run(context, *coded_, make_block) : run(context, *packed_, make_block);
  }

 private:
  template <class Form, class MakeBlock>
  void run(Context& context, Form& form, const MakeBlock& make_block) {
    const std::int64_t block_rows = form.block_rows();
    context.parallel_for(
        divide_up(table_.rows, block_rows), 1, [&](std::int64_t begin, std::int64_t end) {
          Array<typename Form::Cell> cells(form.cells(std::min(block_rows, table_.rows)));
          for (std::int64_t b = begin; b < end; ++b) {
            context.check_cancelled();
            const std::int64_t first = b * block_rows;
            const std::int64_t rows = std::min(block_rows, table_.rows - first);
            auto block = make_block(first, rows);
            form.block(
                table_.data + first,
                table_.stride,
                rows,
                cells.data(),
                [&](std::size_t tree, const std::uint32_t* leaves) { block.add(tree, leaves); });
            block.finish();
          }
        });
  }

  TableView<T> table_;
  std::optional<PackedDescent<T>> packed_;
  std::optional<CodedDescent<T>> coded_;
};

}  // namespace yupana::forest
