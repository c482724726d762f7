#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "yupana/arrays/sort_vectors.hpp"

/// Private to the family: what quicksort by vectors does with all keys of a part, by the
/// instructions of the processor.
namespace yupana::arrays::cpu {

/// Values that count_known() counts at once.
inline constexpr std::size_t max_counted = 4;

/// What is done with many words of 4 or 8 bytes, by vectors.
template <class U>
struct VectorKernels {
  using Float = std::conditional_t<sizeof(U) == 4, float, double>;

  /// Words become their codes, or come back.
  void (*encode)(U* words, std::int64_t n, const KeyCode<U>& code);
  void (*decode)(U* words, std::int64_t n, const KeyCode<U>& code);
  /// Puts words of at most `pivot` first and returns how many they are; with a code words become
  /// theirs before.
  std::int64_t (*split)(U* words, std::int64_t n, U pivot, const KeyCode<U>* code);
  bool (*are_equal)(const U* words, std::int64_t n, U word);
  /// Adds to counts[v] how often values[v] occurs, v < count <= max_counted, n < 2^32. Moves other
  /// words to the front, in their order; returns how many they are.
  std::int64_t (*count_known)(
      U* words, std::int64_t n, const U* values, std::size_t count, std::int64_t* counts);
  /// Whether some float is NaN or -0.
  bool (*any_odd)(const Float* keys, std::int64_t n);
};
using VectorTables = std::tuple<VectorKernels<std::uint32_t>, VectorKernels<std::uint64_t>>;

/// Those for this processor.
const VectorTables& vector_kernels();
template <class U>
const VectorKernels<U>& vector_kernels() {
  return std::get<VectorKernels<U>>(vector_kernels());
}

}  // namespace yupana::arrays::cpu
