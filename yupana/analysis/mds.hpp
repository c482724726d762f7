#pragma once

#include <cstdint>
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
///   `distances` symmetric (not checked); T is std::int32_t, float or double; `squared` says the
///   matrix holds D o D already. Eigenvalues below 1e-10 * max(largest, trace / n) count as zero.
///   share is eigenvalue / trace of B, the field's "explained" share; where B has negative
///   eigenvalues (distances that no Euclidean space holds) shares can sum to more than 1.
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
              bool squared,
              const MdsParams& params = {});

/// Bytes that mds() holds at most for n individuals on the CPU, next to their distances.
std::uint64_t mds_bytes(std::int64_t n, std::int64_t dimensions);

}  // namespace yupana::analysis
