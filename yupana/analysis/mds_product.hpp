#pragma once

#include <cstdint>
#include <functional>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::analysis {

/// product(shift, x, sums): sums[i] = sum over j of (d_ij^2 - shift) x_j, or of (d_ij - shift) x_j
/// where the matrix holds squares, for all rows. `x` is 64-byte aligned and padded with zeros to a
/// multiple of `strands`. Every row is added up in that many strands, column j in strand
/// j mod strands by fused multiply-adds in the order of j, and these pairwise: whatever the width
/// of the vectors, the threads or the device, the bits are the same.
using ShiftedProduct = std::function<void(double shift, const double* x, double* sums)>;
inline constexpr std::int64_t strands = 16;

namespace reference {
/// The rule above written plainly, on one thread.
template <class T>
ShiftedProduct product(MatrixView<const T> distances, Entries entries);
}  // namespace reference

namespace cpu {
/// The product of rows [begin, end) alone.
template <class T>
void shifted_product(MatrixView<const T> distances,
                     Entries entries,
                     double shift,
                     const double* x,
                     std::int64_t begin,
                     std::int64_t end,
                     double* sums);

template <class T>
ShiftedProduct product(Context& context, MatrixView<const T> distances, Entries entries);
}  // namespace cpu

namespace cuda {
/// The same bits from a copy of the n x n matrix on the context's first device; empty where it does
/// not fit there. Processors without fused multiply-add round differently from every GPU.
template <class T>
ShiftedProduct product(
    Context& context, const T* distances, std::int64_t n, std::int64_t stride, Entries entries);
}  // namespace cuda

}  // namespace yupana::analysis
