#pragma once

#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::spectral {

struct MatmulParams {
  /// Strassen-Winograd halves products whose three sides all exceed this; 0: the measured crossover
  /// (matmul_cpu.cpp, matmul_cuda.cu); a number no side reaches: never.
  std::int64_t strassen_above = 0;
};

/// c = a b, for a of m x k, b of k x n, c of m x n that overlaps neither.
///   error: classical product |c - ab| <= 2 k u |a||b| entry by entry (u = 2^-24, 2^-53). With L
///   halvings (Higham 2002, 23.2.2): max|c - ab| <= (18^L (k0^2 + 6 k0) - 6 k) u max|a| max|b| +
///   O(u^2), k0 = k / 2^L: a bound for the matrix as a whole, not for small entries of it
///   work: 2 m n k below the crossover, 7/8 of that for each halving
///   memory: three quarters, one of each shape, for a halving, and a quarter of that for each
///   further one; with CUDA the same on the device besides the three matrices, or halves and bands
///   of them
///   NaN and infinities are in the cells whose classical sums have them; where c is in the memory
///   of a GPU and halved, in other cells too
///   determinism: the same bits for any number of threads, and on CUDA for any memory; CPU and CUDA
///   add in other orders and agree within their bounds
///   errors (bad_input): shapes that do not fit, overlapping views
void matmul(Context& context,
            MatrixView<const float> a,
            MatrixView<const float> b,
            MatrixView<float> c,
            const MatmulParams& params = {});
void matmul(Context& context,
            MatrixView<const double> a,
            MatrixView<const double> b,
            MatrixView<double> c,
            const MatmulParams& params = {});

}  // namespace yupana::spectral
