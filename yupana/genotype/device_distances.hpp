#pragma once

#include <cstdint>
#include <variant>

#include "yupana/core/context.hpp"
#include "yupana/core/device_matrix.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/genotype/pair_counts.hpp"

namespace yupana::genotype {

/// Squared distances where they were counted, and their copy on the host.
struct DeviceDistances {
  DeviceMatrix on_device;
  std::variant<SquareMatrix<std::int32_t>, SquareMatrix<double>> on_host;
  std::int64_t unshared = 0;  ///< pairs without a shared site; their distance is NaN
};

/// d^2 of all pairs from counts on a GPU, without bringing the counts to the host:
/// integers while no call is missing, else doubles with the bits of `distances`. Empty where the
/// counts are not on GPUs (or only in part), do not cover every row, where d^2 could pass 2^29, or
/// where counts and matrix together exceed the context's gpu_memory().
///   memory on the device: n^2 words; moves: one copy of the matrix to the host
DeviceDistances device_distances(Context& context, PairCounter& counter);

}  // namespace yupana::genotype
