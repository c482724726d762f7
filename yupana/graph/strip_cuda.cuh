#pragma once

#include "yupana/graph/strip_cuda.hpp"

/// Private to the family: rows of a matrix in kernels.
namespace yupana::graph::cuda {

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
