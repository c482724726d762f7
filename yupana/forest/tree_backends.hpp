#pragma once

#include "yupana/forest/problem.hpp"
#include "yupana/forest/tree.hpp"

namespace yupana::forest {

namespace reference {
/// One node at a time, every split of it scored from its counts. Row i appears repeats[i] times
/// (null: once).
template <class T>
Tree fit_tree(Context& context,
              TableView<T> table,
              const Problem& problem,
              const TreeParams& params,
              const std::uint8_t* repeats);
}  // namespace reference

namespace cpu {
template <class T>
Tree fit_tree(Context& context,
              TableView<T> table,
              const Problem& problem,
              const TreeParams& params);
}  // namespace cpu

/// Throws device where the context requires a GPU and the build has no CUDA version.
void check_backend(const Context& context);

/// Throws usage for parameters without sense, bad_input for an empty table.
void check_tree_params(const TreeParams& params, std::int64_t rows, std::int64_t features);

}  // namespace yupana::forest
