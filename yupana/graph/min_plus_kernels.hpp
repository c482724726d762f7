#pragma once

#include <cstdint>
#include <type_traits>

/// Private to the family: what the SIMD code offers to the plain C++ that plans around it.
namespace yupana::graph::cpu {

/// Signs of the weights a kernel may meet.
enum class Signs {
  nonnegative,  ///< no value below zero and no -0.0: floats order as their bits do
  any,
};

/// Kernels of one element type on one instruction set.
template <class T>
struct MinPlusKernels {
  std::int64_t rows = 0;     ///< of a register tile
  std::int64_t columns = 0;  ///< of a register tile: the width of a packed right panel

  /// c(i, j) = min(c(i, j), left(k, i) + right(k, j)) over k in [0, depth), for the register tile.
  /// `left` holds `rows`, `right` `columns` values a step of k; `c` has rows `stride` apart.
  void (*tile)(std::int64_t depth, const T* left, const T* right, T* c, std::int64_t stride);

  /// Floyd-Warshall on the n x n block at `c`. Returns -1, or with Signs::any the first vertex
  /// through which a cycle of negative length was seen (the block is then abandoned).
  std::int64_t (*leaf)(std::int64_t n, T* c, std::int64_t stride);
};

/// Statistics of weights, from one pass.
template <class T>
struct WeightStats {
  T smallest;                  ///< of all values
  T largest;                   ///< of all values that are not `unreachable`
  bool unreachable = false;    ///< some value is
  bool not_a_number = false;   ///< some value is
  bool negative_zero = false;  ///< some value may be -0.0
};

/// All that one instruction set offers for one element type.
template <class T>
struct SimdTable {
  MinPlusKernels<T> nonnegative;
  MinPlusKernels<T> any;
  /// Adds `count` values to `stats`.
  void (*scan_weights)(const T* values, std::int64_t count, WeightStats<T>& stats);
  /// Add+min on registers alone, what the kernels are measured against: sets the number of pairs
  /// done, returns a value that depends on each.
  T (*register_loop)(std::int64_t steps, std::int64_t& pairs);

  const MinPlusKernels<T>& kernels(Signs signs) const {
    return signs == Signs::nonnegative ? nonnegative : any;
  }
};

struct SimdTables {
  SimdTable<std::int32_t> i32;
  SimdTable<float> f32;
  SimdTable<double> f64;
};

/// Of the best instruction set of this machine.
const SimdTables& simd_tables();

template <class T>
const SimdTable<T>& simd_table() {
  if constexpr (std::is_same_v<T, std::int32_t>) return simd_tables().i32;
  if constexpr (std::is_same_v<T, float>) return simd_tables().f32;
  if constexpr (std::is_same_v<T, double>) return simd_tables().f64;
}

}  // namespace yupana::graph::cpu
