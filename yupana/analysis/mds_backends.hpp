#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::analysis {

/// Eigenpairs of B, at most as many as wanted, descending; the caller drops what is not positive.
struct Eigenpairs {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;  ///< n x values, columns of norm 1
};

namespace reference {
/// All eigenpairs of B, formed in full, by the dense solver of Eigen: n^3 work, three n x n arrays.
template <class T>
Eigenpairs mds(MatrixView<const T> distances, bool squared, std::int64_t wanted);
}  // namespace reference

namespace cpu {

/// sums[i] = sum over j of (d_ij^2 - shift) x_j, or of (d_ij - shift) x_j if `squared`, for rows
/// [begin, end). Every row is added up in sixteen strands and these pairwise, whatever the width of
/// the vectors, so that threads and blocks do not change a bit. `x` is 64-byte aligned and padded
/// with zeros to a multiple of sixteen.
template <class T>
void shifted_product(MatrixView<const T> distances,
                     bool squared,
                     double shift,
                     const double* x,
                     std::int64_t begin,
                     std::int64_t end,
                     double* sums);

template <class T>
Eigenpairs mds(Context& context,
               MatrixView<const T> distances,
               bool squared,
               double mean_square,
               std::int64_t wanted);
}  // namespace cpu

}  // namespace yupana::analysis
