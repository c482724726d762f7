#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "yupana/graph/shortest_paths.hpp"
#include "yupana/graph/sparse.hpp"

/// Private to the family. The graph is checked and `method` is not automatic. `predecessors` is
/// null where they are not wanted, else of the shape of `lengths`.
namespace yupana::graph {

/// Lengths are summed in a wider type, so that integers cannot overflow and a float is rounded
/// once.
template <class T>
using Length = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;

/// What becomes of an integer length of 2^30 or more.
enum class TooLong { refused, unreachable };
/// A length summed in the wide type, as a T.
template <class T>
T narrow(Length<T> length, TooLong too_long = TooLong::refused);
/// The error for a cycle of negative length through `vertex`.
[[noreturn]] void throw_negative_cycle(std::int64_t vertex);

namespace reference {
template <class T>
void sparse_paths(Context& context,
                  const SparseGraph<T>& graph,
                  const std::vector<std::int64_t>& sources,
                  Matrix<T>& lengths,
                  Matrix<std::int32_t>* predecessors = nullptr);
}  // namespace reference

namespace cpu {
template <class T>
void sparse_paths(Context& context,
                  const SparseGraph<T>& graph,
                  const std::vector<std::int64_t>& sources,
                  SparseMethod method,
                  Matrix<T>& lengths,
                  TooLong too_long = TooLong::refused,
                  Matrix<std::int32_t>* predecessors = nullptr);
}  // namespace cpu

}  // namespace yupana::graph
