#include "yupana/core/eigensystem.hpp"

#include <Eigen/Eigenvalues>

#include "yupana/core/messages.hpp"

namespace yupana {

Eigensystem eigensystem(std::string_view name, const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  if (solver.info() != Eigen::Success) {
    throw input_error("{}: the eigenvalues of this matrix do not converge", name);
  }
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace yupana
