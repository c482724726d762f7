#include <Eigen/Eigenvalues>

#include "yupana/analysis/mds_backends.hpp"
#include "yupana/core/error.hpp"

namespace yupana::analysis::reference {

template <class T>
Eigenpairs mds(MatrixView<const T> distances, bool squared, std::int64_t wanted) {
  const std::int64_t n = distances.rows;
  Eigen::MatrixXd b(n, n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const double d = static_cast<double>(distances(i, j));
      b(i, j) = -0.5 * (squared ? d : d * d);
    }
  }
  b.colwise() -= b.rowwise().mean().eval();
  b.rowwise() -= b.colwise().mean().eval();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(b);
  if (solver.info() != Eigen::Success) {
    throw Error(ErrorCode::bad_input, "mds: the eigenvalues of this matrix do not converge");
  }
  return {solver.eigenvalues().tail(wanted).reverse(),
          solver.eigenvectors().rightCols(wanted).rowwise().reverse()};
}

template Eigenpairs mds(MatrixView<const std::int32_t>, bool, std::int64_t);
template Eigenpairs mds(MatrixView<const float>, bool, std::int64_t);
template Eigenpairs mds(MatrixView<const double>, bool, std::int64_t);

}  // namespace yupana::analysis::reference
