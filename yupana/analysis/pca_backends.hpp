#pragma once

#include <Eigen/Core>

#include "yupana/analysis/pca.hpp"

namespace yupana::analysis {

/// Columns as the components of a result: of norm 1, signed by their entry of largest size.
PcaResult signed_components(const Eigen::MatrixXd& vectors,
                            const Eigen::VectorXd& values,
                            double trace);

}  // namespace yupana::analysis
