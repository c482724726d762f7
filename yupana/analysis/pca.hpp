#pragma once

#include <cstdint>
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

}  // namespace yupana::analysis
