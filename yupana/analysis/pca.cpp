#include "yupana/analysis/pca.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "yupana/analysis/mds_backends.hpp"
#include "yupana/core/eigensystem.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::analysis {
namespace {

// Up to this many individuals the dense solver takes no longer than the iteration.
constexpr std::int64_t dense_individuals = 128;

double checked_trace(Context& context, MatrixView<const double> matrix) {
  if (matrix.rows != matrix.cols) {
    throw input_error("pca: expected a square matrix, got {} x {}", matrix.rows, matrix.cols);
  }
  std::atomic<bool> finite{true};
  context.parallel_for(matrix.rows, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto good = [](double value) { return std::isfinite(value); };
      if (!std::all_of(matrix.row(i), matrix.row(i) + matrix.cols, good)) finite = false;
    }
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

}  // namespace

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

}  // namespace yupana::analysis
