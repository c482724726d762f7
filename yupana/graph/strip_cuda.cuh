#pragma once

#include <type_traits>

#include "yupana/graph/min_plus_cuda.hpp"
#include "yupana/graph/strip_cuda.hpp"

/// Private to the family: rows of a matrix and their cells in kernels.
namespace yupana::graph::cuda {

/// What a matrix holds for a length, and the length of a cell: the same but for Packed16.
template <class Stored, class Value>
__device__ __forceinline__ Stored cell_of(Value length) {
  if constexpr (std::is_same_v<Stored, Packed16::Stored>) {
    return static_cast<Stored>(packed_zero - length);
  } else {
    return length;
  }
}
template <class Value, class Stored>
__device__ __forceinline__ Value length_of(Stored cell) {
  if constexpr (std::is_same_v<Stored, Packed16::Stored>) {
    return packed_zero - cell;
  } else {
    return cell;
  }
}

/// Row i, or null where it is not to be touched.
template <class Stored>
__device__ __forceinline__ Stored* row_of(const StripRows<Stored>& rows, std::int64_t i) {
  if (rows.strips == nullptr) {
    return i >= rows.held.begin && i < rows.held.end ? rows.base + i * rows.stride : nullptr;
  }
  Stored* const strip = rows.strips[i / rows.strip];
  return strip == nullptr ? nullptr : strip + i % rows.strip * rows.stride;
}

}  // namespace yupana::graph::cuda
