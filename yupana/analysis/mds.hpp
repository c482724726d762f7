#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::analysis {

struct MdsParams {
  std::int64_t dimensions = 10;  ///< coordinates wanted; fewer where n or positive eigenvalues are
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
///   `distances` symmetric; +inf is bad_input (the message says how many components). T is
///   std::int32_t, float or double; `squared` says the matrix holds D o D already.
///   share is eigenvalue / trace of B, the field's "explained" share.
template <class T>
MdsResult mds(Context& context,
              MatrixView<const T> distances,
              bool squared,
              const MdsParams& params = {});

}  // namespace yupana::analysis
