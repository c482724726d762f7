#pragma once

#include <Eigen/Core>
#include <string_view>

namespace yupana {

/// All of a symmetric matrix: eigenvalues in ascending order, unit eigenvectors column by column.
struct Eigensystem {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};

/// Of the matrix whose lower triangle is given. Eigen's solver takes seconds to compile: once,
/// here.
///   errors (bad_input): the eigenvalues do not converge; `name` begins the message
Eigensystem eigensystem(std::string_view name, const Eigen::MatrixXd& matrix);

}  // namespace yupana
