#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "yupana/core/cuda/runtime.hpp"

/// What functions must know of arrays in the memory of the current GPU before they work on them.
/// Only for CUDA builds; each call has ended on the device when it returns.
namespace yupana::python::device {

inline constexpr unsigned long long nowhere = ~0ull;

/// Weights of a dense graph.
struct WeightsSummary {
  unsigned long long bad = nowhere;           ///< the first cell that no weight can be
  unsigned long long bad_diagonal = nowhere;  ///< the first vertex with a weight below 0 to itself
  unsigned asymmetric = 0, negative = 0, unreachable = 0;  ///< whether some weight is
  int largest = 0;  ///< of integers that are not negative and not "no edge"
};
/// Sets the diagonal to zero and -0.0 to 0. w: n x n; T: std::int32_t, float or double.
template <class T>
WeightsSummary prepare_weights(T* w, std::int64_t n);

/// Largest magnitude and the sum of all: 32 bits each of the sum's halves, added up apart.
struct IntegersSummary {
  unsigned long long most = 0, low = 0, high = 0;
};
IntegersSummary summarize_integers(const std::int64_t* values, std::int64_t n);

/// The first value that is NaN or infinite; `nowhere` where none is.
unsigned long long first_not_finite(const double* values, std::int64_t n);

/// The largest absolute value of every column of a rows x cols matrix; NaN or infinity where it has
/// one.
std::vector<float> column_extents(const float* values, std::int64_t rows, std::int64_t cols);

/// to[i] = row chosen[i] of a matrix of `cols` columns; `to` is host memory.
void fetch_rows(const float* values,
                std::int64_t cols,
                const std::vector<std::int64_t>& chosen,
                float* to);

/// to = column j of an n x n matrix; `room` holds n values on the device, `to` is host memory.
template <class T>
void fetch_column(const T* values, std::int64_t n, std::int64_t j, T* room, T* to);

}  // namespace yupana::python::device
