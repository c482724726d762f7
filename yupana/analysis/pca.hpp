#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::analysis {

struct PcaParams {
  /// Components; fewer where n is, or where the eigenvalues after them are too close together to
  /// converge (noted).
  std::int64_t components = 10;
};

struct PcaResult {
  Matrix<double> vectors;           ///< n x components; columns of norm 1
  std::vector<double> eigenvalues;  ///< descending
  double trace = 0;                 ///< sum of all eigenvalues
};

/// Principal components: eigenpairs of the largest eigenvalues of a symmetric matrix (not checked)
/// of relationships, which is not centred. Each vector is signed so that its entry of largest size
/// is positive.
///   accuracy |A v - lambda v| <= 1e-9 (|lambda| + trace / n) for every returned pair
///   work about 200 products with the matrix; memory 3 components + 1 vectors (at least 31)
///   runs on the CPU; determinism as that of mds, whose iteration it is
///   errors (bad_input): not square, a number that is not finite, a trace that is not positive;
///   components < 1 is usage
PcaResult pca(Context& context,
              MatrixView<const double> relationships,
              const PcaParams& params = {});

/// product(x, sums): sums = A x of the symmetric matrix A; x and sums are n x any columns. Returns
/// the trace of A.
using BlockProduct = std::function<double(MatrixView<const double> x, MatrixView<double> sums)>;

/// The same components of a matrix that only its product gives, as of genotypes that are read again
/// each time: Rayleigh-Ritz pairs of a Krylov space of random blocks of components + 10 vectors.
///   accuracy |A v - lambda v| <= 1e-7 * the largest eigenvalue, or a note says what is left
///   work at most 20 products; memory 40 blocks of n x (components + 10) doubles
///   determinism: the same bits for the same bits of the products
///   errors: as above
///   source: Golub, Underwood 1977; Musco, Musco 2015
PcaResult block_pca(Context& context,
                    std::int64_t n,
                    const BlockProduct& product,
                    const PcaParams& params = {});
/// Bytes that it holds.
std::uint64_t block_pca_bytes(std::int64_t n, const PcaParams& params);

}  // namespace yupana::analysis
