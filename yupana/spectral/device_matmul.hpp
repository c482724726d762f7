#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

/// Only for CUDA builds: products of matrices that are in device memory already.
namespace yupana::spectral::cuda {

/// c = a b, or c + a b, by the classical sums, on `stream`; the host does not wait. c overlaps
/// neither factor. A cell is one chain of fused multiply-adds along k (double: on tensor cores from
/// compute capability 8 on), so that it does not depend on the shape around it. Full speed where
/// rows start at multiples of 16 bytes.
void classical(MatrixView<const float> a,
               MatrixView<const float> b,
               MatrixView<float> c,
               bool add,
               cudaStream_t stream);
void classical(MatrixView<const double> a,
               MatrixView<const double> b,
               MatrixView<double> c,
               bool add,
               cudaStream_t stream);

/// c = a b with Strassen and Winograd's halves where all sides exceed `strassen_above` (0: the
/// measured crossover). The work is queued on `stream`; the host waits for all but its end, and
/// checks for cancellation between any two products of leaves.
///   memory: as matmul()
template <class T>
void matmul(Context& context,
            MatrixView<const T> a,
            MatrixView<const T> b,
            MatrixView<T> c,
            std::int64_t strassen_above,
            cudaStream_t stream);

}  // namespace yupana::spectral::cuda
