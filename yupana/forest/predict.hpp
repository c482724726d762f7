#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/table.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/forest.hpp"

namespace yupana::forest {

/// bad_input if a table of so many columns has other than the model's number of features.
void check_columns(const Model& model, std::int64_t columns);

/// What becomes of infinite values in a table to predict.
enum class Infinite { taken, refused };

/// What the trees say of each row: shares of the classes (soft: the mean of the trees' shares;
/// hard: the share of the trees that vote so), or one column, the mean of their numbers.
/// A missing value goes where the tree learned to send it. The table may lie in any layout: of rows
/// one after the other a processor reads rows, without a copy of the table. Trees that split
/// categories are walked on the CPU under a CUDA context too.
///   work: rows x trees x depth; a block of rows goes through a tree, 16 rows side by side
///   determinism: trees are added in their order: the same bits for any threads
///   errors: bad_input if the table has other than the model's number of features, for an infinite
///   value that is refused
template <class T>
Matrix<double> predict_shares(Context& context,
                              const Model& model,
                              TableView<T> table,
                              Infinite infinite = Infinite::taken);

/// Bytes of what one of so many trees votes for, as predict_shares() holds it: of a large tree
/// whose leaves are of few kinds, as pure ones are, a number for each leaf.
double vote_bytes(const Model& model, const Tree& tree, std::size_t trees);

/// The model of those columns alone that its trees ask for, or of the first where they ask for
/// none, and which they are: what a wide table of few values other than 0 is predicted by.
std::pair<Model, std::vector<std::int64_t>> on_asked_columns(const Model& model);

/// The class of each row: the largest share, the smaller class if equal.
template <class T>
Array<std::int32_t> predict_classes(Context& context,
                                    const Model& model,
                                    TableView<T> table,
                                    Infinite infinite = Infinite::taken);

/// Of each row, in each tree, the node it ends in.
template <class T>
Matrix<std::int32_t> apply(Context& context,
                           const Model& model,
                           TableView<T> table,
                           Infinite infinite = Infinite::taken);

/// The table column after column: itself where it lies so, else a copy in `memory`.
///   memory: in the latter case as much as the table
template <class T>
TableView<T> in_columns(Context& context, TableView<T> table, Array<T>& memory) {
  if (table.row_stride == 1) return table;
  // Few rows at a time: the first cache holds them while each of their columns is read.
  constexpr std::int64_t tile = 64;
  memory = Array<T>(table.rows * table.columns);
  context.parallel_for(divide_up(table.rows, tile), 64, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t first = begin * tile; first < end * tile; first += tile) {
      const std::int64_t last = std::min(first + tile, table.rows);
      for (std::int64_t c = 0; c < table.columns; ++c) {
        T* const column = memory.data() + c * table.rows;
        for (std::int64_t i = first; i < last; ++i) column[i] = table(i, c);
      }
    }
  });
  return {memory.data(), table.rows, table.columns, table.rows};
}

}  // namespace yupana::forest
