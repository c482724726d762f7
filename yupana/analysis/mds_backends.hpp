#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "yupana/analysis/mds.hpp"
#include "yupana/analysis/mds_product.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::analysis {

/// Eigenpairs of B, at most `axes` of them, descending; the caller drops what is not positive.
struct Eigenpairs {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;  ///< n x values, columns of norm 1
};

/// Whether the dense solver finds the eigenpairs: up to 128 individuals it takes no longer than the
/// iteration (6 ms), and Lanczos pays off for few of all eigenvalues. The choice looks at sizes
/// alone, never at the backend, whose results would else differ in their last bits.
inline bool takes_dense(std::int64_t n, std::int64_t axes) { return n <= 128 || 4 * axes > n; }

namespace dense {
/// All eigenpairs of B, formed in full, by the dense solver of Eigen: n^3 work, three n x n arrays.
/// Every backend takes it for few individuals or many dimensions, where it is no slower; the
/// iteration is tested against it.
template <class T>
Eigenpairs mds(MatrixView<const T> distances, Entries entries, std::int64_t axes);
}  // namespace dense

namespace cpu {

/// Top eigenpairs of the B of n individuals whose matrix `product` multiplies with. The same bits
/// for the same bits of the product: all backends share this iteration.
Eigenpairs mds(Context& context,
               const ShiftedProduct& product,
               std::int64_t n,
               double mean_square,
               std::int64_t axes);
/// The same of the symmetric matrix itself, which `product` multiplies with where its shift is 0.
Eigenpairs pca(Context& context,
               const ShiftedProduct& product,
               std::int64_t n,
               double mean_eigenvalue,
               std::int64_t axes);
}  // namespace cpu

}  // namespace yupana::analysis
