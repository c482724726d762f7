#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::analysis {

struct MdsParams {
  /// Coordinates; fewer where n or positive eigenvalues are, or where the eigenvalues after
  /// them are too close together to converge (noted).
  std::int64_t dimensions = 10;
};

struct MdsResult {
  Matrix<double> points;            ///< n x dimensions; column k has norm sqrt(eigenvalues[k])
  std::vector<double> eigenvalues;  ///< descending, positive
  std::vector<double> share;        ///< eigenvalue / trace
  double trace = 0;                 ///< sum of all eigenvalues of the double-centred matrix
};

/// Classical multidimensional scaling (principal coordinates): top eigenpairs of
///   B = -1/2 J (D o D) J,  J = I - 1/n 11'
/// without forming B. Each axis is signed so that its entry of largest size is positive.
///   `distances` symmetric (not checked); T is std::int32_t, float or double; `entries` says
///   whether the matrix holds D, or D o D already. Eigenvalues below 1e-10 * max(largest, trace /
///   n) count as zero. share is eigenvalue / trace of B, the field's "explained" share; where B has
///   negative eigenvalues (distances that no Euclidean space holds) shares can sum to more than 1.
///   accuracy |B v - lambda v| <= 1e-9 (lambda + trace / n) for every returned pair of unit v
///   multiple eigenvalues are found as often as they occur
///   work about 200 products with the matrix, read once each in its own type; memory 5
///   dimensions vectors; three arrays of n x n where dimensions are more than a quarter of n
///   a CUDA context multiplies on its first GPU from 4000 individuals on, if the matrix fits there;
///   all else runs on the CPU
///   determinism: the same bits on every backend (the reference included) and for any number of
///   threads, on processors with fused multiply-add. Processors without it round differently on the
///   CPU backend; there the accuracy above is the bound
///   errors (bad_input): not square, NaN, negative or unreachable (+inf; for integers half of the
///   largest value) distances, naming the number of components; dimensions < 1 is usage
///   sources: Torgerson 1952, Gower 1966; thick-restart Lanczos (Wu, Simon 2000)
template <class T>
MdsResult mds(Context& context,
              MatrixView<const T> distances,
              Entries entries,
              const MdsParams& params = {});

/// Bytes that mds() holds at most for n individuals on the CPU, next to their distances.
std::uint64_t mds_bytes(std::int64_t n, std::int64_t dimensions);

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
