#include "yupana/analysis/mds.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <atomic>
#include <cmath>

#include "yupana/analysis/mds_backends.hpp"
#include "yupana/analysis/unreachable.hpp"
#include "yupana/core/eigensystem.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::analysis {
namespace {

// A GPU pays off above this: with one H200 next to 16 cores, ten axes of 2000 individuals take 38
// ms (26 ms on the cores), of 4000 86 ms (91 ms), carrying the matrix there included.
[[maybe_unused]] constexpr std::int64_t gpu_individuals = 4000;

template <class T>
ShiftedProduct product_of(Context& context, MatrixView<const T> distances, Entries entries) {
  if (context.backend() == Backend::reference) return reference::product(distances, entries);
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda && distances.rows >= gpu_individuals) {
    auto there = cuda::product(context, distances.data, distances.rows, distances.stride, entries);
    if (there) return there;
    context.note("mds: the matrix does not fit the GPU; its products run on the CPU");
  }
#endif
  return cpu::product(context, distances, entries);
}

/// Mean of all n^2 entries of D o D. trace(B) = n / 2 times it, because the diagonal is zero.
double mean_square(const ShiftedProduct& product, std::int64_t n) {
  Array<double> ones = Array<double>::zeros(round_up(n, strands));
  std::fill_n(ones.begin(), n, 1.0);
  Array<double> sums(n);
  product(0.0, ones.data(), sums.data());
  double total = 0;
  for (const double sum : sums) total += sum / static_cast<double>(n);
  if (!std::isfinite(total)) {
    throw input_error(
        "mds: expected distances whose squares fit a double; divide the matrix by its mean");
  }
  return total / static_cast<double>(n);
}

/// Points of the positive eigenpairs: columns scaled by sqrt(eigenvalue) and signed.
MdsResult scaled_points(const Eigenpairs& pairs, std::int64_t n, double trace) {
  MdsResult result;
  result.trace = trace;
  const double mean = n > 0 ? trace / static_cast<double>(n) : 0;
  const double zero = pairs.values.size() > 0 ? 1e-10 * std::max(pairs.values[0], mean) : 0;
  std::int64_t positive = 0;
  while (positive < pairs.values.size() && pairs.values[positive] > zero) ++positive;
  result.points = Matrix<double>(n, positive);
  for (std::int64_t k = 0; k < positive; ++k) {
    const double value = pairs.values[k];
    result.eigenvalues.push_back(value);
    // Both are sums of rounded squares: a share of 1 may come out a few units beyond.
    const double share = value / trace;
    result.share.push_back(share > 1 && share < 1 + 1e-12 ? 1 : share);
    Eigen::Index largest = 0;
    pairs.vectors.col(k).cwiseAbs().maxCoeff(&largest);
    const double sign = pairs.vectors(largest, k) < 0 ? -1 : 1;
    for (std::int64_t i = 0; i < n; ++i) {
      result.points(i, k) = sign * std::sqrt(value) * pairs.vectors(i, k);
    }
  }
  return result;
}

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

std::uint64_t mds_bytes(std::int64_t n, std::int64_t dimensions) {
  const auto individuals = static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1));
  const auto axes = std::min(static_cast<std::uint64_t>(dimensions), individuals);
  const std::uint64_t points = individuals * axes;
  // B and its eigenvectors; or a basis of 3 axes, the vectors it restarts from, and what belongs to
  // its projection.
  if (takes_dense(n, dimensions)) return sizeof(double) * (2 * individuals * individuals + points);
  return sizeof(double) * (5 * points + 27 * axes * axes);
}

template <class T>
MdsResult mds(Context& context,
              MatrixView<const T> distances,
              Entries entries,
              const MdsParams& params) {
  if (params.dimensions < 1) {
    throw usage_error("mds: dimensions: expected at least 1, got {}", params.dimensions);
  }
  check_distances(context, distances, "mds", Unreachable::refused);
  const std::int64_t n = distances.rows;
  if (n < 2) return scaled_points({}, n, 0);
  const ShiftedProduct product = product_of(context, distances, entries);
  const double mean = mean_square(product, n);
  const double trace = mean * static_cast<double>(n) / 2;
  if (trace == 0) return scaled_points({}, n, 0);
  const std::int64_t axes = std::min(params.dimensions, n - 1);
  if (takes_dense(n, axes)) return scaled_points(dense::mds(distances, entries, axes), n, trace);
  const Eigenpairs pairs = cpu::mds(context, product, n, mean, axes);
  if (pairs.values.size() < axes) {
    context.note(
        fmt::format("mds: {} of {} coordinates are given; the eigenvalues after them are "
                    "too close together to be separated",
                    pairs.values.size(),
                    axes));
  }
  return scaled_points(pairs, n, trace);
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, mds)

PcaResult pca(Context& context, MatrixView<const double> relationships, const PcaParams& params) {
  if (params.components < 1) {
    throw usage_error("pca: components: expected at least 1, got {}", params.components);
  }
  const double trace = checked_trace(context, relationships);
  const std::int64_t n = relationships.rows, axes = std::min(params.components, n);
  if (takes_dense(n, axes)) {
    const Eigenpairs pairs = dense_pairs(relationships, axes);
    return signed_components(pairs.vectors, pairs.values, trace);
  }
  const ShiftedProduct product = context.backend() == Backend::reference
                                     ? reference::product(relationships, Entries::squares)
                                     : cpu::product(context, relationships, Entries::squares);
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
