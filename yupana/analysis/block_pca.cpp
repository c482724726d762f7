#include <Eigen/QR>
#include <algorithm>

#include "yupana/analysis/mds_backends.hpp"
#include "yupana/core/eigensystem.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"

namespace yupana::analysis {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index spare_columns = 10;  ///< of a block, next to the components
constexpr int max_products = 20;
constexpr double tolerance = 1e-7;  ///< of a residual, relative to the largest eigenvalue

/// Takes the part in `basis` out of every column, and makes what is left orthonormal. Where little
/// is left of the columns, those that the factorization puts in their place have such a part again.
MatrixXd orthonormal(MatrixXd block, const Eigen::Ref<const MatrixXd>& basis) {
  for (int round = 0; round < 3; ++round) {
    block -= basis * (basis.transpose() * block);
    const Eigen::HouseholderQR<MatrixXd> qr(block);
    block = qr.householderQ() * MatrixXd::Identity(block.rows(), block.cols());
  }
  return block;
}

/// Columns of a block: all there can be where the products would hold the whole space.
Index block_width(std::int64_t n, const PcaParams& params) {
  const Index width = std::min(params.components, n) + spare_columns;
  return n <= max_products * width ? n : width;
}

}  // namespace

std::uint64_t block_pca_bytes(std::int64_t n, const PcaParams& params) {
  const Index width = block_width(n, params), blocks = std::min<Index>(n / width, max_products);
  return 8 * static_cast<std::uint64_t>(n * width * (2 * blocks + 5));
}

PcaResult block_pca(Context& context,
                    std::int64_t n,
                    const BlockProduct& product,
                    const PcaParams& params) {
  if (params.components < 1) {
    throw usage_error("pca: components: expected at least 1, got {}", params.components);
  }
  const Index axes = std::min(params.components, n);
  const Index width = block_width(n, params);
  const Index blocks = std::min<Index>(n / width, max_products);
  MatrixXd basis(n, width * blocks), images(n, width * blocks), next(n, width);
  MatrixXd quotients(width * blocks, width * blocks);
  const Random random(0);
  for (Index i = 0; i < next.size(); ++i) next.data()[i] = random.uniform(i) - 0.5;
  for (Index used = 0;; used += width) {
    // Krylov space of blocks: its Rayleigh quotient, and what the last block leads out of it.
    basis.middleCols(used, width) = orthonormal(next, basis.leftCols(used));
    const Rows x = basis.middleCols(used, width);
    Rows image = Rows::Zero(n, width);
    const double trace = product({x.data(), n, width}, {image.data(), n, width});
    if (!(trace > 0)) {
      throw input_error(
          "pca: expected individuals that differ, got relationships whose trace is {}", trace);
    }
    images.middleCols(used, width) = image;
    const Index size = used + width;
    quotients.block(0, used, size, width) =
        basis.leftCols(size).transpose() * images.middleCols(used, width);
    quotients.block(used, 0, width, used) =
        basis.middleCols(used, width).transpose() * images.leftCols(used);
    const auto quotient = quotients.topLeftCorner(size, size);
    const Eigensystem ritz = eigensystem("pca", (quotient + quotient.transpose()) / 2);
    const MatrixXd chosen = ritz.vectors.rightCols(axes).rowwise().reverse();
    const Eigen::VectorXd values = ritz.values.tail(axes).reverse();
    const MatrixXd vectors = basis.leftCols(size) * chosen;
    const MatrixXd residuals = images.leftCols(size) * chosen - vectors * values.asDiagonal();
    const double worst = residuals.colwise().norm().maxCoeff();
    const bool converged = worst <= tolerance * std::abs(values[0]) || size == n;
    if (converged || size == basis.cols()) {
      if (!converged) {
        context.note(
            fmt::format("pca: {} products leave a residual of {:.2g} of the largest "
                        "eigenvalue; the last components are not accurate",
                        size / width,
                        worst / std::abs(values[0])));
      }
      return signed_components(vectors, values, trace);
    }
    next = image;
  }
}

}  // namespace yupana::analysis
