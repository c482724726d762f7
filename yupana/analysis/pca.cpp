#include "yupana/analysis/pca.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <atomic>
#include <cmath>

#include "yupana/analysis/mds_backends.hpp"
#include "yupana/core/eigensystem.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"

namespace yupana::analysis {
namespace {

// Up to this many individuals the dense solver takes no longer than the iteration.
constexpr std::int64_t dense_individuals = 128;

double checked_trace(Context& context, MatrixView<const double> matrix) {
  if (matrix.rows != matrix.cols) {
    throw input_error("pca: expected a square matrix, got {} x {}", matrix.rows, matrix.cols);
  }
  std::atomic<bool> finite{true};
  context.parallel_for(matrix.rows, 64, [&](std::int64_t i) {
    const auto good = [](double value) { return std::isfinite(value); };
    if (!std::all_of(matrix.row(i), matrix.row(i) + matrix.cols, good)) finite = false;
  });
  if (!finite) throw input_error("pca: expected finite relationships, got nan or infinity");
  double trace = 0;
  for (std::int64_t i = 0; i < matrix.rows; ++i) trace += matrix(i, i);
  if (!(trace > 0)) {
    throw input_error("pca: expected individuals that differ, got relationships whose trace is {}",
                      trace);
  }
  return trace;
}

Eigenpairs dense_pairs(MatrixView<const double> matrix, std::int64_t axes) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Rows, 0, Eigen::OuterStride<>> view(
      matrix.data, matrix.rows, matrix.cols, Eigen::OuterStride<>(matrix.stride));
  const Eigensystem all = eigensystem("pca", view);
  return {all.values.tail(axes).reverse(), all.vectors.rightCols(axes).rowwise().reverse()};
}

/// Columns as the components of a result: of norm 1, signed by their entry of largest size.
PcaResult signed_components(const Eigen::MatrixXd& vectors,
                            const Eigen::VectorXd& values,
                            double trace) {
  PcaResult result;
  result.trace = trace;
  result.eigenvalues.assign(values.begin(), values.end());
  result.vectors = Matrix<double>(vectors.rows(), vectors.cols());
  for (Eigen::Index k = 0; k < vectors.cols(); ++k) {
    Eigen::Index largest = 0;
    vectors.col(k).cwiseAbs().maxCoeff(&largest);
    const double sign = vectors(largest, k) < 0 ? -1 : 1;
    for (Eigen::Index i = 0; i < vectors.rows(); ++i) result.vectors(i, k) = sign * vectors(i, k);
  }
  return result;
}

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

PcaResult pca(Context& context, MatrixView<const double> relationships, const PcaParams& params) {
  if (params.components < 1) {
    throw usage_error("pca: components: expected at least 1, got {}", params.components);
  }
  const double trace = checked_trace(context, relationships);
  const std::int64_t n = relationships.rows, axes = std::min(params.components, n);
  // Lanczos pays off for few of all eigenvalues; the choice looks at sizes alone.
  if (n <= dense_individuals || 4 * axes > n) {
    const Eigenpairs pairs = dense_pairs(relationships, axes);
    return signed_components(pairs.vectors, pairs.values, trace);
  }
  const ShiftedProduct product = context.backend() == Backend::reference
                                     ? reference::product(relationships, true)
                                     : cpu::product(context, relationships, true);
  const Eigenpairs pairs = cpu::pca(context, product, n, trace / static_cast<double>(n), axes);
  if (pairs.values.size() < axes) {
    context.note(
        fmt::format("pca: {} of {} components are given; the eigenvalues after them are "
                    "too close together to be separated",
                    pairs.values.size(),
                    axes));
  }
  return signed_components(pairs.vectors, pairs.values, trace);
}

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
